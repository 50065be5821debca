// Dekel, Algorithm 2: averaged stochastic gradient descent.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.x_i + b, y_i).
// Invariants after t steps: v = sum g_i x_i and a = sum g_i, so that the iterate is w_t = -eta_t v, b_t = -eta_t a;
// h = sum i^q eta_i; c = sum i^q eta_i a_i; and h v - u = sum i^q eta_i v_i, so that the average is
// w = -(h v - u)/Omega, b = -c/Omega.
// Cost of a step: O(non-zeros of the row), two doubles a feature, side by side.
// MATH's h, u and c are these divided by lambda; without that division a tiny lambda cannot overflow them.
#pragma once

#include "learners/dekel.h"
#include "rows/feature_table.h"

namespace sparselin {

class Asgd {
public:
    struct Cell {
        double v, u;
    };

    Asgd(const Settings& settings, const Centre&, Memory memory, StopSign)
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
            const double hg = h * g;
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) {
                Cell& feature = cell(i);
                const double x_i = x.value[i];
                feature.v += g * x_i;
                feature.u += hg * x_i;
            });
            a += g * one;
            schedule.advance();
            c += schedule.power * schedule.eta * a;
            h += schedule.power * schedule.eta;
            return loss.value(p, y);
        });
    }

    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) const {
        return squared_norm_of(x, stop);
    }

    double weight(const Cell& cell) const { return -(h * cell.v - cell.u) / schedule.Omega; }
    double bias() const { return -c / schedule.Omega; }
    double centred_bias() const { return bias(); }

    void note_options(Options& options) const { schedule.note_options(options); }

    // With t and the cells, all that learning on needs.
    static auto state_of(auto& self) {
        return std::array{&self.schedule.lambda, &self.schedule.K, &self.schedule.Omega, &self.a, &self.c, &self.h};
    }

    DekelSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    double a = 0, c = 0, h = 0;
    FeatureTable<Cell> features;
};

}  // namespace sparselin
