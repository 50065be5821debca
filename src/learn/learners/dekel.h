// What Dekel's three algorithms share: the step size and the weights of the average.
//
//   step size          eta_t = 1/(lambda (t + k)) = 1/(lambda t + K), K = lambda k
//   averaging weight   t^q, Omega their sum
//
// k = 0 and q = 0 are the paper. K rather than k, so that a tiny lambda cannot overflow.
#pragma once

#include "learners/learner.h"
#include "learners/merge.h"
#include "learners/power_sum.h"

namespace sparselin {

template <typename Real>
struct DekelSchedule {
    explicit DekelSchedule(const Settings& settings)
        : lambda(Real{} + settings.lambda),
          K(Real{} + (is_automatic(settings.step_offset) ? 0 : settings.lambda * settings.step_offset)),
          q(is_automatic(settings.average_power) ? 0 : settings.average_power) {}  // sgd has none

    Real lambda, K;
    double q;
    int64_t t = 0;
    Real eta{};      // eta_t
    double t_q = 0;  // t^q
    Real Omega{};

    void advance() {
        resume(t + 1);
        Omega += t_q;
    }

    // To the point after step `step`; Omega is somebody else's.
    void resume(int64_t step) {
        t = step;
        eta = t == 0 ? Real{} : 1 / (lambda * static_cast<double>(t) + K);
        t_q = q == 2 ? static_cast<double>(t) * static_cast<double>(t)
                     : (q == 0 ? 1 : std::pow(static_cast<double>(t), q));
    }

    void begin_with(double offset) { K = Real{} + offset; }

    void note_options(Options& options) const {
        const double k = K / lambda;
        if (is_automatic(options.step_offset) && std::isfinite(k)) options.step_offset = k;
    }

    // Of two: k is the step-weighted mean as well.
    template <typename L>
    static DekelSchedule merged(const Both<L>& both, double lambda) {
        DekelSchedule schedule = both.x.schedule;
        schedule.lambda = lambda;
        schedule.K = both.mean([&](const L& part) { return part.schedule.K * (lambda / part.schedule.lambda); });
        schedule.Omega = power_sum(both.t, schedule.q);
        schedule.resume(both.t);
        return schedule;
    }
};

// v += g x and u += h g x, in the cells of a row. They lie side by side: to a processor two doubles are one number.
template <typename Real>
[[gnu::always_inline]] inline void add_to_v_and_u(const auto& cell, const auto& x, Real g, Real hg) {
    if constexpr (std::is_same_v<Real, double>) {
        const Two step(g, hg);
        x.each([&](auto i) {
            double* const v = &cell(i).v;
            (Two::at(v) + step * x[i]).copy_to(v);
        });
    } else {
        x.each([&](auto i) {
            auto&& feature = cell(i);
            const auto& x_i = x[i];
            feature.v += g * x_i;
            feature.u += hg * x_i;
        });
    }
}

}  // namespace sparselin
