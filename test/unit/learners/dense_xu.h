// Xu's learner from its definition: dense vectors, everything updated in full at every step.
//
// Written to be obviously right and shares nothing with src/learn. Each row is a dense vector z with one more element
// that is 1 where there is an intercept, theta the weights:
//
//     theta_t = (1 - lambda gamma_t) theta_(t-1) - gamma_t omega loss'(theta_(t-1).z, y) z
//     gamma_t = gamma0 (1 + decay_rate gamma0 t)^-decay
//
// with the slope of dense_losses.h where a row is so long, or weighs so much, that this would overshoot.
//
// The result is the mean of theta_j over t0 < j <= T, or theta_T where there is none. Without a given t0 it is the
// first t >= 100 at which the running loss of theta^, the running mean of the theta, is below that of theta.
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

struct XuSetup {
    Loss loss = Loss::logistic;
    double lambda = 1e-5;
    double gamma0 = automatic;
    double decay = automatic;       // 2/3 for squared, else 3/4
    double decay_rate = automatic;  // lambda
    double average_start = automatic;
    bool intercept = true;
    double implicit_above = 8;
    size_t rows_for_unit = std::numeric_limits<size_t>::max();  // the first so many: 1000 where rows stream
};

struct XuResult {
    Dense w;
    Real b = 0;
    Real gamma0 = 0;
    std::optional<size_t> t0;  // given or found
    Real progressive_loss = 0;
    size_t rows = 0, steps = 0, heavy = 0;
};

// min(1/M, 1/(2 lambda)), M being the largest omega (|x|^2 + 1) of the first 1000 rows.
inline Real automatic_gamma0(const std::vector<Row>& rows, size_t dimension, Real lambda) {
    Real M = 0;
    for (size_t i = 0; i < rows.size() && i < 1000; ++i) {
        const Dense x = dense_row(rows[i], dimension);
        M = std::max(M, rows[i].weight * (dot(x, x) + 1));
    }
    return lambda > 0 ? std::min(1 / M, 1 / (2 * lambda)) : 1 / M;
}

// `order` names the row of each step, counted from 0 in `rows`; a row of weight 0 in it takes no step.
inline XuResult learn_xu(const std::vector<Row>& rows, size_t dimension, const XuSetup& setup,
                         const std::vector<size_t>& order) {
    const std::vector<Row> present = learned(rows);
    const Real lambda = setup.lambda;
    const Real rate = std::isnan(setup.decay_rate) ? lambda : Real(setup.decay_rate);
    // The defaults are doubles.
    const Real decay = std::isnan(setup.decay) ? (setup.loss == Loss::squared ? 2.0 / 3 : 0.75) : setup.decay;

    XuResult result;
    result.rows = present.size();
    result.gamma0 = std::isnan(setup.gamma0) ? automatic_gamma0(present, dimension, lambda) : Real(setup.gamma0);
    const Real reach = reach_of(setup.loss, setup.implicit_above, unit_of(present, setup.rows_for_unit));
    if (!std::isnan(setup.average_start)) result.t0 = static_cast<size_t>(setup.average_start);

    const size_t size = dimension + (setup.intercept ? 1 : 0);
    Dense theta(size, 0), theta_hat(size, 0), sum(size, 0);
    Real m = 0, m_hat = 0, first_loss = 0, first_weight = 0;
    size_t t = 0;
    for (const size_t number : order) {
        const Row& row = rows.at(number);
        if (row.weight == 0) continue;
        ++t;
        Dense z = dense_row(row, dimension);
        if (setup.intercept) z.push_back(1);
        const Real p = dot(theta, z), p_hat = dot(theta_hat, z);
        const Real gamma = result.gamma0 * std::pow(1 + rate * result.gamma0 * t, -decay);
        const Real q = gamma * row.weight * dot(z, z), p0 = (1 - lambda * gamma) * p;
        const Real g = row.weight * slope_of_step(setup.loss, p, p0, row.label, q, reach);
        result.heavy += q > reach;
        const bool searching = !result.t0;
        for (size_t j = 0; j < size; ++j) {
            theta[j] = (1 - lambda * gamma) * theta[j] - gamma * g * z[j];
            if (!searching && t > *result.t0) sum[j] += theta[j];
            theta_hat[j] = 0.99L * theta_hat[j] + 0.01L * theta[j];
        }
        m = 0.99L * m + 0.01L * row.weight * loss_of(setup.loss, p, row.label);
        m_hat = 0.99L * m_hat + 0.01L * row.weight * loss_of(setup.loss, p_hat, row.label);
        if (searching && t >= 100 && m_hat < m) result.t0 = t;
        if (t <= present.size()) {
            first_loss += row.weight * loss_of(setup.loss, p, row.label);
            first_weight += row.weight;
        }
    }
    result.steps = t;
    result.progressive_loss = first_loss / first_weight;
    result.w = theta;
    if (result.t0 && t > *result.t0)
        for (size_t j = 0; j < size; ++j) result.w[j] = sum[j] / (t - *result.t0);
    if (setup.intercept) {
        result.b = result.w.back();
        result.w.pop_back();
    }
    return result;
}

}  // namespace dense
