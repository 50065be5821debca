// Dekel, Algorithm 1: stochastic gradient descent, the last iterate.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.x_i + b, y_i).
// Invariants after t steps: v = sum g_i x_i, a = sum g_i, and the iterate is w = -eta_t v, b = -eta_t a.
// Cost of a step: O(non-zeros of the row), one double a feature. It does not average; see asgd.h.
#pragma once

#include "learners/dekel.h"

namespace sparselin {

template <typename Real>
struct SgdOf {
    template <typename Number>
    struct CellOf {
        Number v;
    };
    using Cell = CellOf<double>;

    explicit SgdOf(const Settings& settings) : schedule(settings), one(settings.intercept ? 1 : 0) {}

    Real predict(const auto& cell, const auto& x) const {
        const Real vx = x.sum([&](auto i) { return cell(i).v * x[i]; });
        return -(vx + a) * schedule.eta;
    }

    void update(const auto& cell, const auto& x, Real g) {
        x.each([&](auto i) { cell(i).v += g * x[i]; });
        a += g * one;
    }

    Real weight(const auto& cell) const { return -cell.v * schedule.eta; }
    double bias() const { return -a * schedule.eta; }
    double centred_bias() const { return bias(); }
    Real step_size() const { return schedule.eta; }
    Real shrinking() const { return 1 - schedule.lambda * schedule.eta; }

    static SgdOf merged(const Both<SgdOf>& both, double lambda) {
        SgdOf merged = both.x;
        merged.schedule = DekelSchedule<Real>::merged(both, lambda);
        merged.a = both.mean([](const SgdOf& part) { return part.schedule.eta * part.a; }) / merged.schedule.eta;
        return merged;
    }

    void add(auto&& cell, const Part<SgdOf>& part, const auto& its) const {
        cell.v += part.share * part.ratio * part.learner.schedule.eta / schedule.eta * its.v;
    }

    static auto state_of(auto& self) { return std::array{&self.schedule.lambda, &self.schedule.K, &self.a}; }

    DekelSchedule<Real> schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    Real a{};
};

using Sgd = SgdOf<double>;
static_assert(Learner<Sgd>);

}  // namespace sparselin
