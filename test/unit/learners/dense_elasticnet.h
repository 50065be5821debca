// The elastic net from its definition: every weight shrinks at every step. Shares nothing with src/learn. After the
// loss step of step t:
//
//     sgd     w <- sign(w) max((1 - eta_t l2) |w| - eta_t l1, 0)
//     fobos   w <- sign(w) max(|w| - eta_t l1, 0) / (1 + eta_t l2)
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

struct ElasticNetSetup {
    Loss loss = Loss::logistic;
    bool fobos = false;
    double l1 = 1e-6, l2 = 1e-5;
    double eta0 = 0.5, power = 0.5;
    bool intercept = true;
};

inline Real shrunk(const ElasticNetSetup& setup, Real eta, Real w) {
    const Real size = std::fabs(w);
    const Real left = setup.fobos ? std::max(size - eta * setup.l1, Real(0)) / (1 + eta * setup.l2)
                                  : std::max((1 - eta * setup.l2) * size - eta * setup.l1, Real(0));
    return w > 0 ? left : -left;
}

// `zeroed`: how many weights that were not 0 have become 0.
inline Result learn(const std::vector<Row>& rows, size_t dimension, const ElasticNetSetup& setup,
                    const std::vector<size_t>& order, size_t* zeroed = nullptr) {
    size_t became_zero = 0;
    Result result;
    result.rows = learned(rows).size();
    result.lambda = setup.l2;
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
        const Real g = row.weight * derivative_of(setup.loss, p, row.label);
        const Real eta = setup.eta0 / std::pow(static_cast<Real>(t), static_cast<Real>(setup.power));
        for (size_t j = 0; j < dimension; ++j) {
            const Real moved = w[j] - eta * g * x[j];
            w[j] = shrunk(setup, eta, moved);
            became_zero += moved != 0 && w[j] == 0;
        }
        if (setup.intercept) b -= eta * g;
    }
    result.w = w;
    result.b = result.centred_b = b;
    result.steps = t;
    result.progressive_loss = first_loss / first_weight;
    if (zeroed != nullptr) *zeroed = became_zero;
    return result;
}

}  // namespace dense
