// Dekel's three learners from their definitions: dense vectors, everything updated in full at every step.
//
// Written to be obviously right and shares nothing with src/learn. Each row becomes a dense vector z (for casgd
// x - mu, computed element by element) with one more element that is 1 where there is an intercept. On these, w is
// plain stochastic gradient descent for F(w) = lambda/2 |w|^2 + (1/m) sum omega_i loss(w.z_i, y_i):
//
//     w <- w - eta (lambda w + omega loss'(w.z, y) z),   eta = 1/(lambda (t + k))
//
// with the slope of dense_losses.h where a row is so long, or weighs so much, that this would overshoot. It starts
// from w = 0, where with k > 0 the first iterates shrink by (t-1+k)/(t+k) and so w = -sum g z / (lambda (t+k)).
// The average is the sum of t^q w over the iterates after each step, divided by the sum of t^q.
//
// Numbers are long double, so that the reference's own rounding is no part of a difference.
#pragma once

#include "learners/dense_losses.h"

#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace dense {

using Dense = std::vector<Real>;

enum class Learner { sgd, asgd, casgd };
constexpr double automatic = std::numeric_limits<double>::quiet_NaN();

struct Row {
    std::vector<std::pair<int, Real>> features;  // 0-based position in the dense vector, value; a float where the
                                                 // extension learns from it too
    double label = 1;                            // -1 or 1 for a classification loss
    double weight = 1;
};

struct Setup {
    Learner learner = Learner::asgd;
    Loss loss = Loss::logistic;
    double lambda = automatic;  // 1/m
    double k = automatic;
    double q = 2;
    bool intercept = true;
    double implicit_above = 8;
    std::optional<Dense> center;                             // casgd; without it the mean of the rows
    size_t rows_for_k = std::numeric_limits<size_t>::max();  // the automatic k looks at the first so many
};

struct Result {
    Dense w;
    Real b = 0;
    Real centred_b = 0;  // the bias that the objective regularises
    Real lambda = 0, k = 0;
    Dense mu;
    Real progressive_loss = 0;
    size_t rows = 0, steps = 0, heavy = 0;
};

inline Real dot(const Dense& a, const Dense& b) {
    Real sum = 0;
    for (size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
}

inline Dense dense_row(const Row& row, size_t dimension) {
    Dense x(dimension, 0);
    for (const auto& [position, value] : row.features) x.at(static_cast<size_t>(position)) = value;
    return x;
}

inline Dense mean_of(const std::vector<Row>& rows, size_t dimension) {
    Dense sum(dimension, 0);
    for (const Row& row : rows) {
        const Dense x = dense_row(row, dimension);
        for (size_t j = 0; j < dimension; ++j) sum[j] += x[j];
    }
    for (Real& value : sum) value /= static_cast<Real>(rows.size());
    return sum;
}

// casgd's rows are moved, the others' stay (mu is 0). No intercept here.
inline Dense moved(const Row& row, const Dense& mu) {
    Dense z = dense_row(row, mu.size());
    for (size_t j = 0; j < z.size(); ++j) z[j] -= mu[j];
    return z;
}

// How far the labels lie from their lower median, on the mean.
inline Real unit_of(const std::vector<Row>& rows, size_t limit) {
    std::vector<Real> labels;
    for (size_t i = 0; i < std::min(limit, rows.size()); ++i) labels.push_back(rows[i].label);
    std::sort(labels.begin(), labels.end());
    const Real median = labels[(labels.size() - 1) / 2];
    Real distances = 0, sizes = 0;
    for (const Real y : labels) distances += std::fabs(y - median), sizes += std::fabs(y);
    if (distances > 0) return distances / static_cast<Real>(labels.size());
    return sizes > 0 ? sizes / static_cast<Real>(labels.size()) : 1;
}

inline Real automatic_k(const std::vector<Row>& rows, const Dense& mu, Loss loss, Real lambda, size_t limit,
                        bool all_explicit) {
    std::vector<Real> square;
    Real most = 0, omega = 0, omega_squared = 0;
    for (size_t i = 0; i < std::min(limit, rows.size()); ++i) {
        const Dense z = moved(rows[i], mu);
        const Real weight = rows[i].weight;
        square.push_back(dot(z, z));
        most = std::max(most, weight * (1 + square.back()));
        omega += weight;
        omega_squared += weight * weight;
    }
    if (all_explicit && (loss == Loss::squared || loss == Loss::squared_hinge)) return most / (2 * lambda);
    std::sort(square.begin(), square.end());
    const Real median = square[(square.size() - 1) / 2];
    const Real L = loss == Loss::logistic ? Real(1) / 4 : curvature_in_unit(loss, unit_of(rows, limit));
    return L * (1 + median) / lambda * (omega_squared / omega);
}

// Rows of weight 0 are as if they were not there.
inline std::vector<Row> learned(const std::vector<Row>& rows) {
    std::vector<Row> some;
    for (const Row& row : rows)
        if (row.weight != 0) some.push_back(row);
    return some;
}

// `order` names the row of each step, counted from 0 in `rows`; a row of weight 0 in it takes no step.
inline Result learn(const std::vector<Row>& rows, size_t dimension, const Setup& setup,
                    const std::vector<size_t>& order) {
    const std::vector<Row> present = learned(rows);
    Result result;
    result.rows = present.size();
    result.lambda = setup.lambda;
    if (std::isnan(setup.lambda))
        result.lambda =
            curvature_in_unit(setup.loss, unit_of(present, present.size())) / static_cast<Real>(present.size());
    result.mu.assign(dimension, 0);
    if (setup.learner == Learner::casgd) {
        if (setup.center)
            for (size_t j = 0; j < setup.center->size(); ++j) result.mu.at(j) = (*setup.center)[j];
        else
            result.mu = mean_of(present, dimension);
    }
    const Real lambda = result.lambda;
    const Real k = result.k = std::isnan(setup.k) ? automatic_k(present, result.mu, setup.loss, lambda,
                                                                setup.rows_for_k, std::isinf(setup.implicit_above))
                                                  : Real(setup.k);
    const Real reach = reach_of(setup.loss, setup.implicit_above, unit_of(present, setup.rows_for_k));

    const size_t size = dimension + (setup.intercept ? 1 : 0);
    Dense w(size, 0), sum(size, 0);
    Real sum_of_powers = 0, first_loss = 0, first_weight = 0;
    size_t t = 0;
    for (const size_t number : order) {
        const Row& row = rows.at(number);
        if (row.weight == 0) continue;
        ++t;
        Dense z = moved(row, result.mu);
        if (setup.intercept) z.push_back(1);
        const Real p = dot(w, z);
        if (t <= present.size()) {
            first_loss += row.weight * loss_of(setup.loss, p, row.label);
            first_weight += row.weight;
        }
        const Real eta = 1 / (lambda * (t + k));
        const Real q = eta * row.weight * dot(z, z), p0 = (t - 1 + k) / (t + k) * p;
        const Real g = row.weight * slope_of_step(setup.loss, p, p0, row.label, q, reach);
        result.heavy += q > reach;
        const Real power = std::pow(static_cast<Real>(t), static_cast<Real>(setup.q));
        for (size_t j = 0; j < size; ++j) {
            w[j] = (t - 1 + k) / (t + k) * w[j] - eta * g * z[j];
            sum[j] += power * w[j];
        }
        sum_of_powers += power;
    }
    if (setup.learner != Learner::sgd)
        for (size_t j = 0; j < size; ++j) w[j] = sum[j] / sum_of_powers;

    result.steps = t;
    result.progressive_loss = first_loss / first_weight;
    if (setup.intercept) {
        result.centred_b = w.back();
        w.pop_back();
    }
    result.b = result.centred_b - dot(w, result.mu);
    result.w = std::move(w);
    return result;
}

inline Real predict(const Result& model, const Row& row) {
    return dot(model.w, dense_row(row, model.w.size())) + model.b;
}

// F at the model, over the rows that count.
inline Real objective(const Result& model, const std::vector<Row>& rows, Loss loss) {
    Real sum = 0;
    size_t m = 0;
    for (const Row& row : rows) {
        if (row.weight == 0) continue;
        sum += row.weight * loss_of(loss, predict(model, row), row.label);
        ++m;
    }
    return model.lambda / 2 * (dot(model.w, model.w) + model.centred_b * model.centred_b) + sum / static_cast<Real>(m);
}

}  // namespace dense
