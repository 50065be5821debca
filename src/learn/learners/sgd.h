// Dekel, Algorithm 1: stochastic gradient descent, the last iterate.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.x_i + b, y_i).
// Invariants after t steps: v = sum g_i x_i, a = sum g_i, and the iterate is w = -eta_t v, b = -eta_t a.
// Cost of a step: O(non-zeros of the row), one double a feature. It does not average; see asgd.h.
#pragma once

#include "learners/dekel.h"
#include "rows/feature_table.h"

namespace sparselin {

class Sgd {
public:
    struct Cell {
        double v;
    };

    Sgd(const Settings& settings, const Centre&, Memory memory, StopSign)
        : schedule(settings), one(settings.intercept ? 1 : 0), features(memory) {}

    template <typename LossFunction, typename Value>
    double step(LossFunction loss, const ExampleOf<Value>& example, StopSign stop) {
        return features.with_cells(example.x, stop, [&](auto cell) {
            const RowOf<Value> x = example.x;
            const double y = example.y, omega = example.omega;
            const double vx = sum_over(x.nnz, stop, [&](int32_t i) { return cell(i).v * double{x.value[i]}; });
            const double p = -(vx + a) * schedule.eta;
            check_finite(p, "prediction", schedule.t + 1);
            const double g = omega * loss.slope(p, y);
            schedule.advance();
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) { cell(i).v += g * double{x.value[i]}; });
            a += g * one;
            return loss.value(p, y);
        });
    }

    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) const {
        return squared_norm_of(x, stop);
    }

    double weight(const Cell& cell) const { return -cell.v * schedule.eta; }
    double bias() const { return -a * schedule.eta; }
    double centred_bias() const { return bias(); }

    void note_options(Options& options) const { schedule.note_options(options); }

    // With t and the cells, all that learning on needs.
    static auto state_of(auto& self) { return std::array{&self.schedule.lambda, &self.schedule.K, &self.a}; }

    DekelSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    double a = 0;
    FeatureTable<Cell> features;
};

}  // namespace sparselin
