// Xu: averaged stochastic gradient descent in one pass.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.x_i + b, y_i); the bias is the weight of a
// feature that is always 1. Steps gamma_t = gamma0 (1 + decay_rate gamma0 t)^-decay; the result is the plain mean of
// the iterates after step t0. Where t0 is not given, it is the step at which a running mean of the iterates first
// predicts better than the iterate itself, but no step before the 100th. See xu.h for the invariants.
// Cost of a step: O(non-zeros of the row), two doubles a feature; now and then a fold of all features.
#pragma once

#include "learners/learner.h"
#include "learners/merge.h"
#include "learners/xu.h"

#include <algorithm>

namespace sparselin {

struct Onepass {
    template <typename Number>
    using CellOf = XuAverage::CellOf<Number>;
    using Cell = XuAverage::Cell;

    explicit Onepass(const Settings& settings)
        : schedule(settings), average(settings.lambda, settings.average_start), one(settings.intercept ? 1 : 0) {}

    // By theta; and p_hat by theta^, as long as anybody asks.
    double predict(const auto& cell, const auto& x) {
        const double ux = bias_cell.u + x.sum([&](int32_t i) { return cell(i).u * x[i]; });
        if (average.searching()) {
            const double u_hat_x = bias_cell.u_hat + x.sum([&](int32_t i) { return cell(i).u_hat * x[i]; });
            p_hat = average.theta_hat(Cell{ux, u_hat_x});
        }
        return ux / average.alpha;
    }

    void update(const auto& cell, const auto& x, double g) {
        average.begin_step(schedule.gamma);
        // Copies, which the compiler need not read anew for every feature.
        const XuAverage now = average;
        const double step_g = schedule.gamma * g;
        x.each([&](int32_t i) { now.move(cell(i), step_g * x[i]); });
        average.move(bias_cell, step_g * one);
    }

    // `loss` and `loss_hat` are those of p and p_hat.
    void end_step(double loss, double loss_hat) { average.end_step(loss, loss_hat); }
    bool searching() const { return average.searching(); }

    double weight(const auto& cell) const { return average.weight(cell); }
    double bias() const { return average.weight(bias_cell); }
    double centred_bias() const { return bias(); }
    double step_size() const { return schedule.gamma; }
    double shrinking() const { return 1 - average.lambda * schedule.gamma; }

    bool wants_fold() const { return average.wants_fold(); }
    Cell folded(const auto& cell) const { return average.folded(cell); }
    void end_fold() {
        bias_cell = average.folded(bias_cell);
        average.end_fold();
    }

    void note_options(Options& options) const {
        options.gamma0 = schedule.gamma0;
        if (!average.searching()) options.average_start = average.t0;
    }

    // As many iterates have been averaged as in both; where neither has begun, averaging begins when it would have, but
    // not before the next step.
    static Onepass merged(const Both<Onepass>& both, double) {
        Onepass merged = both.x;
        const double count = averaged(both.x) + averaged(both.y), t = static_cast<double>(both.t);
        const bool searching = both.x.searching() && both.y.searching();
        const double start = std::max(std::min(both.x.average.t0, both.y.average.t0), t);
        merged.schedule.gamma0 = std::min(both.x.schedule.gamma0, both.y.schedule.gamma0);  // it is a bound
        merged.schedule.resume(both.t);
        merged.average.t = t;
        merged.average.t0 = searching ? XuAverage::unknown : count > 0 ? t - count : start;
        merged.average.m = both.mean([](const Onepass& part) { return part.average.m; });
        merged.average.m_hat = both.mean([](const Onepass& part) { return part.average.m_hat; });
        merged.average.end_fold();
        merged.bias_cell = {
            both.mean([&](const Onepass& part) { return merged.cell_for(part, part.bias_cell).u; }),
            both.mean([&](const Onepass& part) { return merged.cell_for(part, part.bias_cell).u_hat; })};
        return merged;
    }

    void add(auto&& cell, const Part<Onepass>& part, const auto& its) const {
        const Cell number = cell_for(part.learner, its);
        cell.u += part.share * part.ratio * number.u;
        cell.u_hat += part.share * part.ratio * number.u_hat;
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
    double p_hat = 0;

private:
    static double averaged(const Onepass& part) {
        return part.average.averaging() ? part.average.t - part.average.t0 : 0;
    }

    // What a part's cell would be here, if all had been learned by it: theta, and theta^ or the sum of what is
    // averaged.
    Cell cell_for(const Onepass& part, const auto& its) const {
        const XuAverage& theirs = part.average;
        return {theirs.theta(its), searching() ? theirs.theta_hat(its) : averaged(*this) * theirs.weight(its)};
    }
};

static_assert(Learner<Onepass> && Folds<Onepass> && HearsLosses<Onepass>);

}  // namespace sparselin
