// Several classes learned together, from the definition (MATH, sections 3 and 8): dense vectors, a full softmax, and
// everything updated in full at every step. Shares nothing with src/learn.
//
// With z the row (for casgd x - mu), and one more element that is 1 where there is an intercept, the loss of scores
// s_k = w_k.z where the class is y is
//
//     log sum_k exp(s_k) - s_y,   with the slopes   g_k = omega (exp(s_k) / sum_j exp(s_j) - [k = y])
//
// and each w_k, g divided by what its step goes too far, max(1, q/(2 c)) for q = omega |z|^2/(lambda (t+k)), takes the
// steps w_k <- (t-1+k)/(t+k) w_k - g_k z / (lambda (t+k)) of dense_dekel.h.
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

struct Multinomial {
    std::vector<Dense> w;            // of each class
    std::vector<Real> b, centred_b;  // the second is what the objective regularises
    Real lambda = 0, k = 0, progressive_loss = 0;
    size_t steps = 0, heavy = 0;
};

inline Real automatic_k_of_multinomial(const std::vector<Row>& rows, const Dense& mu, Real lambda, size_t limit) {
    std::vector<Real> square;
    Real omega = 0, omega_squared = 0;
    for (size_t i = 0; i < std::min(limit, rows.size()); ++i) {
        const Dense z = moved(rows[i], mu);
        square.push_back(dot(z, z));
        omega += rows[i].weight;
        omega_squared += Real(rows[i].weight) * rows[i].weight;
    }
    std::sort(square.begin(), square.end());
    return (1 + square[(square.size() - 1) / 2]) / (2 * lambda) * (omega_squared / omega);
}

// The softmax of the scores, and the loss where the class is y.
inline Dense softmax(const Dense& scores, size_t y, Real& loss) {
    const Real most = *std::max_element(scores.begin(), scores.end());
    Real sum = 0;
    for (const Real score : scores) sum += std::exp(score - most);
    Dense share;
    for (const Real score : scores) share.push_back(std::exp(score - most) / sum);
    loss = most + std::log(sum) - scores.at(y);
    return share;
}

// A row's label is the number of its class; `order` is that of learn().
inline Multinomial learn_multinomial(const std::vector<Row>& rows, size_t dimension, size_t classes, const Setup& setup,
                                     const std::vector<size_t>& order) {
    const std::vector<Row> present = learned(rows);
    Multinomial result;
    const Real lambda = result.lambda =
        std::isnan(setup.lambda) ? 1 / static_cast<Real>(present.size()) : Real(setup.lambda);
    Dense mu(dimension, 0);
    if (setup.learner == Learner::casgd) mu = setup.center ? *setup.center : mean_of(present, dimension);
    const Real k = result.k =
        std::isnan(setup.k) ? automatic_k_of_multinomial(present, mu, lambda, setup.rows_for_k) : Real(setup.k);

    const size_t size = dimension + (setup.intercept ? 1 : 0);
    std::vector<Dense> w(classes, Dense(size, 0)), sum = w;
    Real sum_of_powers = 0, first_loss = 0, first_weight = 0;
    size_t t = 0;
    for (const size_t number : order) {
        const Row& row = rows.at(number);
        if (row.weight == 0) continue;
        ++t;
        Dense z = moved(row, mu);
        if (setup.intercept) z.push_back(1);
        const auto y = static_cast<size_t>(row.label);
        Dense scores;
        for (const Dense& its : w) scores.push_back(dot(its, z));
        Real loss = 0;
        const Dense share = softmax(scores, y, loss);
        if (t <= present.size()) {
            first_loss += row.weight * loss;
            first_weight += row.weight;
        }
        const Real q = row.weight * dot(z, z) / (lambda * (t + k));
        const Real too_far = std::isinf(setup.implicit_above) ? 1 : std::max(Real(1), q / 2 / setup.implicit_above);
        result.heavy += too_far > 1;
        const Real power = std::pow(static_cast<Real>(t), static_cast<Real>(setup.q));
        for (size_t c = 0; c < classes; ++c) {
            const Real g = row.weight * (share[c] - (c == y ? 1 : 0)) / too_far;
            for (size_t j = 0; j < size; ++j) {
                w[c][j] = (t - 1 + k) / (t + k) * w[c][j] - g * z[j] / (lambda * (t + k));
                sum[c][j] += power * w[c][j];
            }
        }
        sum_of_powers += power;
    }
    result.steps = t;
    result.progressive_loss = first_loss / first_weight;
    for (size_t c = 0; c < classes; ++c) {
        Dense its = w[c];
        if (setup.learner != Learner::sgd)
            for (size_t j = 0; j < size; ++j) its[j] = sum[c][j] / sum_of_powers;
        result.centred_b.push_back(setup.intercept ? its.back() : 0);
        its.resize(dimension);
        result.b.push_back(result.centred_b.back() - dot(its, mu));
        result.w.push_back(its);
    }
    return result;
}

}  // namespace dense
