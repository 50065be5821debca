// A lone run: one step, which is what every learner's step has around its formulas.
#pragma once

#include "options/losses.h"
#include "learners/implicit_step.h"
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

// The slope that the step at hand goes by, where `slope` is that at the prediction p.
template <typename L, typename LossFunction, typename Value>
[[gnu::always_inline]] inline double slope_of_step(const L& learner, const LossFunction& loss,
                                                   const RowInFrame<Value>& x, double slope, double p, double y,
                                                   double omega, double reach) {
    if constexpr (ShortensSteps<L>) {
        const double q = MoveOfRow(learner, x, omega, reach).beyond_reach(learner.step_size());
        if (q > 0) return heavy_slope(loss, slope, learner.shrinking() * p, y, q, reach);
    }
    return slope;
}

// y takes the place of the row's own label; `reach`: see Settings.
template <typename L, typename LossFunction, typename Value>
Seen take_step(L& learner, FeatureTable<typename L::Cell>& features, const LossFunction& loss,
               const ExampleOf<Value>& row, double y, double reach, StopSign stop) {
    const double omega = row.omega;
    fold_where_due(features, learner, stop);
    Seen seen{};
    // Flattened, so that the loops of predict() and update() know that nobody else writes to the row, or to the
    // learner.
    with_cells_of<L>(
        features, learner, row.x, stop, [&](auto cell) __attribute__((flatten)) {
            auto x =
                row_in_frame<L>(RowInFrame<Value>{row.x, stop, row.most_length}, [&](auto i) { return cell(i).mu; });
            const double p = learner.predict(cell, x);
            seen.finite = std::isfinite(p);
            if (!seen.finite) return;
            seen.loss = loss.value(p, y);
            double loss_hat = 0;
            if constexpr (HearsLosses<L>) loss_hat = learner.searching() ? loss.value(learner.p_hat, y) : 0;
            double squared_length = 0;
            if constexpr (requires { LossFunction::moves_where_right; }) squared_length = squared_length_of(learner, x);
            const double slope = loss.slope(slope_is_taken_at(learner, p), y);
            learner.schedule.advance();
            const double g = omega * slope_of_step(learner, loss, x, slope, p, y, omega, reach);
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

    void learn(const Example& row, const double* y, Seen* seen, StopSign stop) override {
        Frame& frame = this->frame_;
        *seen = frame.leaves_rows() ? step(row, *y, stop) : step(this->example_in(frame, row, stop), *y, stop);
    }

    // Each cell is asked for at its beginning, of all but very long rows.
    void expect(const SparseRow& next) override {
        constexpr size_t most = 1024;
        const std::span index = next.features();
        for (const int32_t its : index.first(std::min(index.size(), most)))
            __builtin_prefetch(this->features_.likely_place(its), 1);
    }

private:
    template <typename Value>
    Seen step(const ExampleOf<Value>& row, double y, StopSign stop) {
        return take_step(this->layout_.learner, this->features_, loss_, row, y, this->reach_, stop);
    }

    [[no_unique_address]] LossFunction loss_;
};

}  // namespace sparselin
