// One step of one run: what every learner's step has around its formulas.
#pragma once

#include "learners/learner.h"
#include "learners/losses.h"
#include "learners/seen.h"
#include "rows/feature_table.h"

#include <algorithm>

namespace sparselin {

// How the table tells cells that nobody misses.
template <typename L>
auto alive_for(const L& learner) {
    return [&learner](const auto& cell) { return learner.alive(cell); };
}

// Calls work(cells) with the cells of the row.
template <typename L, typename Value, typename Work>
void with_cells_of(FeatureTable<typename L::Cell>& features, const L& learner, const RowOf<Value>& x, StopSign stop,
                   Work&& work) {
    if constexpr (Forgets<L>) {
        features.with_cells(x, stop, work, alive_for(learner));
    } else {
        features.with_cells(x, stop, work);
    }
}

// Makes the cells anew where that is due. After Interrupted the next call goes on where this one stopped.
template <typename L>
void fold_where_due(FeatureTable<typename L::Cell>& features, L& learner, StopSign stop) {
    if constexpr (Folds<L>) {
        if (!learner.wants_fold()) return;
        features.change_all(stop, [&learner](typename L::Cell& cell) { cell = learner.folded(cell); });
        learner.end_fold();
    }
}

// |x - mu|^2, or |x|^2
template <typename L, typename Value>
double squared_length_of(const L& learner, const RowInFrame<Value>& x) {
    const double length = squared_norm_of(x.x, x.stop);
    if constexpr (Centres<L>) {
        return std::max(0.0, length - 2 * x.mu_x + lane_of(learner.mu_mu, 0));
    } else {
        return length;
    }
}

// Truncated looks at slopes elsewhere than at the prediction itself.
template <typename L>
double slope_is_taken_at(const L& learner, double p) {
    if constexpr (requires { learner.clipped(p); }) {
        return learner.clipped(p);
    } else {
        return p;
    }
}

// What one step from 0 predicts, with a loss that moves away from predictions that are right: how far the step of this
// row has moved its own prediction is q.
template <typename LossFunction>
double idle_loss_after(const LossFunction& loss, double y, double q) {
    return std::max(value_of_zero(loss, y), loss.value(-q * loss.slope(0, y), y));
}

template <typename L, typename LossFunction, typename Value>
Seen take_step(L& learner, FeatureTable<typename L::Cell>& features, const LossFunction& loss, const RowOf<Value>& row,
               double y, double omega, StopSign stop) {
    fold_where_due(features, learner, stop);
    Seen seen{};
    // Flattened, so that the loops of predict() and update() know that nobody else writes to the row, or to the
    // learner.
    with_cells_of(
        features, learner, row, stop, [&](auto cell) __attribute__((flatten)) {
            RowInFrame<Value> x{row, stop};
            if constexpr (Centres<L>) x.mu_x = x.sum([&](int32_t i) { return cell(i).mu * x[i]; });
            const double p = learner.predict(cell, x);
            seen.finite = std::isfinite(p);
            if (!seen.finite) return;
            seen.loss = loss.value(p, y);
            double loss_hat = 0;
            if constexpr (HearsLosses<L>) loss_hat = learner.searching() ? loss.value(learner.p_hat, y) : 0;
            double squared_length = 0;
            if constexpr (requires { LossFunction::moves_where_right; }) squared_length = squared_length_of(learner, x);
            const double g = omega * loss.slope(slope_is_taken_at(learner, p), y);
            if (g == 0) x.x.nnz = 0;
            learner.update(cell, x, g);
            if constexpr (HearsLosses<L>) learner.end_step(omega * seen.loss, omega * loss_hat);
            if constexpr (requires { LossFunction::moves_where_right; }) {
                seen.idle_loss = idle_loss_after(loss, y, learner.step_size() * omega * (learner.one + squared_length));
            } else {
                seen.idle_loss = value_of_zero(loss, y);
            }
        });
    return seen;
}

}  // namespace sparselin
