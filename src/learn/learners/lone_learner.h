// A lone run: one step, which is what every learner's step has around its formulas.
#pragma once

#include "options/losses.h"
#include "learners/implicit_step.h"
#include "learners/tabled_learners.h"

#include <array>

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

// What the losses of so many steps lack: log(1 + e).
template <typename LossFunction>
void add_logs(Seen* seen, double* e, size_t count) {
    if constexpr (HasLog<LossFunction>) {
        take_logs(e, count);
        for (size_t k = 0; k < count; ++k) seen[k].loss += e[k];
    }
}

// The prediction for a row whose mu_x is not known yet: where that is wanted it is added up beside v.x.
template <typename L, typename Value>
[[gnu::always_inline]] inline double predict(L& learner, const auto& cell, RowInFrame<Value>& x) {
    if constexpr (Centres<L>) {
        const Two sums = x.sum([&](auto i) {
            const auto& its = cell(i);
            return Two(its.v, its.mu) * x[i];
        });
        x.mu_x = sums.second();
        return learner.predict_by(sums.first(), x);
    } else {
        return learner.predict(cell, x);
    }
}

// y takes the place of the row's own label; `reach`: see Settings. The loss that is seen lacks log(1 + e).
template <typename L, typename LossFunction, typename Value>
void take_step(L& learner, FeatureTable<typename L::Cell>& features, const LossFunction& loss,
               const ExampleOf<Value>& row, double y, double reach, Seen& seen, double& e, StopSign stop) {
    const double omega = row.omega;
    fold_where_due(features, learner, stop);
    e = 0;
    // Flattened, so that the loops of predict() and update() know that nobody else writes to the row, or to the
    // learner.
    with_cells_of<L>(
        features, learner, row.x, stop, [&](auto cell) __attribute__((flatten)) {
            RowInFrame<Value> x{row.x, stop, row.most_length};
            const double p = predict(learner, cell, x);
            seen.finite = std::isfinite(p);
            if (!seen.finite) return;
            const Judged its = judged(loss, p, y);
            seen.loss = its.value;
            e = its.e;
            double loss_hat = 0;
            if constexpr (HearsLosses<L>) loss_hat = learner.searching() ? loss.value(learner.p_hat, y) : 0;
            double squared_length = 0;
            if constexpr (requires { LossFunction::moves_where_right; }) squared_length = squared_length_of(learner, x);
            const double at = slope_is_taken_at(learner, p);
            const double slope = at == p ? its.slope : loss.slope(at, y);
            learner.schedule.advance();
            const double g = omega * slope_of_step(learner, loss, x, slope, p, y, omega, reach);
            if (g == 0) x.x.nnz = 0;
            learner.update(cell, x, g);
            if constexpr (HearsLosses<L>) {
                const double its_loss = learner.searching() ? loss.value(p, y) : 0;
                learner.end_step(omega * its_loss, omega * loss_hat);
            }
            if constexpr (requires { LossFunction::moves_where_right; }) {
                seen.idle_loss = idle_loss_after(loss, y, learner.step_size() * omega * (learner.one + squared_length));
            } else {
                seen.idle_loss = value_of_zero(loss, y);
            }
        });
}

template <typename L, typename LossFunction>
class LoneLearner final : public TabledLearners<L, Alone<L>> {
public:
    LoneLearner(std::span<const Settings> settings, const LossFunction& loss, Frame& frame, Memory memory,
                StopSign stop)
        : TabledLearners<L, Alone<L>>(settings, frame, memory, stop), loss_(loss) {}

    size_t learn(const Batch& rows, const double* y, Seen* seen, StopSign stop) override {
        Frame& frame = this->frame_;
        const bool leaves_rows = frame.leaves_rows(), is_far = this->is_far();
        std::array<double, Batch::most> e;
        const size_t taken = taken_of(rows, [&](size_t k) {
            if (is_far && rows.after(k) != nullptr) expect(*rows.after(k));
            if (leaves_rows) {
                step(rows[k], y[k], seen[k], e[k], stop);
            } else {
                step(this->example_in(frame, rows[k], stop), y[k], seen[k], e[k], stop);
            }
            return seen[k].finite;
        });
        add_logs<LossFunction>(seen, e.data(), taken);
        return taken;
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
    void step(const ExampleOf<Value>& row, double y, Seen& seen, double& e, StopSign stop) {
        take_step(this->layout_.learner, this->features_, loss_, row, y, this->reach_, seen, e, stop);
    }

    [[no_unique_address]] LossFunction loss_;
};

}  // namespace sparselin
