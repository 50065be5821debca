// Truncated gradient and coefficient rounding from their definitions: every weight is looked at whenever weights are
// truncated. Shares nothing with src/learn. After the loss step of step t, with t a multiple of K:
//
//     truncate   w <- w, if |w| > threshold;   else sign(w) max(|w| - eta_t K gravity, 0)
//     round      w <- w, if |w| > threshold;   else 0
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct TruncatedSetup {
    Loss loss = Loss::logistic;
    double eta0 = 0.5, power = 0.5;
    size_t truncate_every = 10;
    bool rounds = false;
    double gravity = 1e-4, threshold = infinite;
    double clip_min = -infinite, clip_max = infinite;
    bool intercept = true;
};

// What has happened, so that a test can say that it has: a comparison of two learners that never truncate says little.
struct TruncatedEvents {
    size_t pulled = 0, zeroed = 0, beyond = 0, clipped_below = 0, clipped_above = 0;
};

inline Result learn(const std::vector<Row>& rows, size_t dimension, const TruncatedSetup& setup,
                    const std::vector<size_t>& order, TruncatedEvents* events = nullptr) {
    TruncatedEvents seen;
    Result result;
    result.rows = learned(rows).size();
    Dense w(dimension, 0);
    Real b = 0, first_loss = 0, first_weight = 0;
    size_t t = 0;
    for (const size_t number : order) {
        const Row& row = rows.at(number);
        if (row.weight == 0) continue;
        ++t;
        const Dense x = dense_row(row, dimension);
        const Real p = dot(w, x) + b;
        if (t <= result.rows) {
            first_loss += row.weight * loss_of(setup.loss, p, row.label);
            first_weight += row.weight;
        }
        Real clipped = p;
        if (clipped < setup.clip_min) clipped = setup.clip_min, ++seen.clipped_below;
        if (clipped > setup.clip_max) clipped = setup.clip_max, ++seen.clipped_above;
        const Real g = row.weight * derivative_of(setup.loss, clipped, row.label);
        const Real eta = setup.eta0 / std::pow(static_cast<Real>(t), static_cast<Real>(setup.power));
        for (size_t j = 0; j < dimension; ++j) w[j] -= eta * g * x[j];
        if (setup.intercept) b -= eta * g;
        if (t % setup.truncate_every != 0) continue;
        for (Real& weight : w) {
            if (weight == 0) continue;
            if (std::fabs(weight) > setup.threshold) {
                ++seen.beyond;
                continue;
            }
            const Real pull = eta * static_cast<Real>(setup.truncate_every) * setup.gravity;
            const Real left = setup.rounds ? 0 : std::max(std::fabs(weight) - pull, Real(0));
            weight = weight > 0 ? left : -left;
            ++(weight == 0 ? seen.zeroed : seen.pulled);
        }
    }
    result.w = w;
    result.b = result.centred_b = b;
    result.steps = t;
    result.progressive_loss = first_loss / first_weight;
    if (events != nullptr) *events = seen;
    return result;
}

}  // namespace dense
