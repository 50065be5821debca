// Xu: averaged stochastic gradient descent in one pass.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.x_i + b, y_i); the bias is the weight of a
// feature that is always 1. Steps gamma_t = gamma0 (1 + decay_rate gamma0 t)^-decay; the result is the plain mean of
// the iterates after step t0. Where t0 is not given, it is the step at which a running mean of the iterates first
// predicts better than the iterate itself, but no step before the 100th. See xu.h for the invariants.
// Cost of a step: O(non-zeros of the row), two doubles a feature; now and then a fold of all features.
#pragma once

#include "learners/divergence.h"
#include "learners/learner.h"
#include "learners/xu.h"

namespace sparselin {

class Onepass {
public:
    using Cell = XuAverage::Cell;

    Onepass(const Settings& settings, const Centre&, Memory memory, StopSign)
        : schedule(settings),
          average(settings.lambda, settings.average_start),
          one(settings.intercept ? 1 : 0),
          features(memory) {}

    template <typename LossFunction, typename Value>
    double step(LossFunction loss, const ExampleOf<Value>& example, StopSign stop) {
        if (average.wants_fold()) fold(stop);
        return features.with_cells(example.x, stop, [&](auto cell) {
            const RowOf<Value> x = example.x;
            const double y = example.y, omega = example.omega;
            const double ux =
                bias_cell.u + sum_over(x.nnz, stop, [&](int32_t i) { return cell(i).u * double{x.value[i]}; });
            const double p = ux / average.alpha;
            check_finite(p, "prediction", schedule.t + 1);
            const double l = loss.value(p, y);
            double l_hat = 0;
            if (average.searching()) {
                const double u_hat_x = bias_cell.u_hat + sum_over(x.nnz, stop, [&](int32_t i) {
                                           return cell(i).u_hat * double{x.value[i]};
                                       });
                l_hat = loss.value(average.theta_hat({ux, u_hat_x}), y);
            }
            const double g = omega * loss.slope(p, y);
            schedule.advance();
            average.begin_step(schedule.gamma);
            // Copies, which the compiler need not read anew for every feature.
            const XuAverage now = average;
            const double step_g = schedule.gamma * g;
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) { now.move(cell(i), step_g * double{x.value[i]}); });
            average.move(bias_cell, step_g * one);
            average.end_step(omega * l, omega * l_hat);
            return l;
        });
    }

    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) const {
        return squared_norm_of(x, stop);
    }

    double weight(const Cell& cell) const { return average.weight(cell); }
    double bias() const { return average.weight(bias_cell); }
    double centred_bias() const { return bias(); }

    void note_options(Options& options) const {
        options.gamma0 = schedule.gamma0;
        if (!average.searching()) options.average_start = average.t0;
    }

    // With t and the cells, all that learning on needs.
    static auto state_of(auto& self) {
        return std::array{&self.schedule.gamma0, &self.average.t0,  &self.average.alpha,
                          &self.average.A,       &self.average.R,   &self.average.m,
                          &self.average.m_hat,   &self.bias_cell.u, &self.bias_cell.u_hat};
    }

    void resume() { average.t = static_cast<double>(schedule.t); }

    XuSchedule schedule;
    XuAverage average;
    double one;  // the constant feature: 1, or 0 without an intercept
    Cell bias_cell{};
    FeatureTable<Cell> features;

private:
    void fold(StopSign stop) {
        features.change_all(stop, [this](Cell& cell) { cell = average.folded(cell); });
        bias_cell = average.folded(bias_cell);
        average.end_fold();
    }
};

}  // namespace sparselin
