// A lone run: one step, which is what every learner's step has around its formulas.
#pragma once

#include "options/losses.h"
#include "learners/tabled_learners.h"

namespace sparselin {

// Makes the cells anew where that is due. After Interrupted the next call goes on where this one stopped.
template <typename L>
void fold_where_due(FeatureTable<typename L::Cell>& features, L& learner, StopSign stop) {
    if constexpr (Folds<L>) {
        if (!learner.wants_fold()) return;
        features.change_all(stop, [&learner](typename L::Cell& cell) { cell = learner.folded(cell); });
        learner.end_fold();
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

template <typename L, typename LossFunction, typename Value>
Seen take_step(L& learner, FeatureTable<typename L::Cell>& features, const LossFunction& loss, const RowOf<Value>& row,
               double y, double omega, StopSign stop) {
    fold_where_due(features, learner, stop);
    Seen seen{};
    // Flattened, so that the loops of predict() and update() know that nobody else writes to the row, or to the
    // learner.
    with_cells_of<L>(
        features, learner, row, stop, [&](auto cell) __attribute__((flatten)) {
            auto x = row_in_frame<L>(row, stop, [&](auto i) { return cell(i).mu; });
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

template <typename L, typename LossFunction>
class LoneLearner final : public TabledLearners<L, Alone<L>> {
public:
    LoneLearner(std::span<const Settings> settings, const LossFunction& loss, Frame& frame, Memory memory,
                StopSign stop)
        : TabledLearners<L, Alone<L>>(settings, frame, memory, stop), loss_(loss) {}

    void learn(const SparseRow& x, const double* y, double omega, Seen* seen, StopSign stop) override {
        L& learner = this->layout_.learner;
        Scale& scale = this->frame_.scale;
        *seen = scale.is_one() ? take_step(learner, this->features_, loss_, x, *y, omega, stop)
                               : take_step(learner, this->features_, loss_, scale.apply(x, stop), *y, omega, stop);
    }

private:
    [[no_unique_address]] LossFunction loss_;
};

}  // namespace sparselin
