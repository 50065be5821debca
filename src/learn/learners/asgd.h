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

namespace sparselin {

template <typename Real>
struct AsgdOf {
    template <typename Number>
    struct CellOf {
        Number v, u;
    };
    using Cell = CellOf<double>;

    explicit AsgdOf(const Settings& settings) : schedule(settings), one(settings.intercept ? 1 : 0) {}

    Real predict(const auto& cell, const auto& x) const {
        const Real vx = x.sum([&](auto i) { return cell(i).v * x[i]; });
        return -(vx + a) * schedule.eta;
    }

    void update(const auto& cell, const auto& x, Real g) {
        add_to_v_and_u(cell, x, g, h * g);
        a += g * one;
        c += schedule.t_q * schedule.eta * a;
        h += schedule.t_q * schedule.eta;
    }

    Real weight(const auto& cell) const { return total(cell) / schedule.Omega; }
    Real total(const auto& cell) const { return -(h * cell.v - cell.u); }
    double bias() const { return -c / schedule.Omega; }
    double centred_bias() const { return bias(); }
    Real step_size() const { return schedule.eta; }
    Real shrinking() const { return 1 - schedule.lambda * schedule.eta; }

    static AsgdOf merged(const Both<AsgdOf>& both, double lambda) {
        AsgdOf merged = both.x;
        merged.schedule = DekelSchedule<Real>::merged(both, lambda);
        merged.a = both.mean([](const AsgdOf& part) { return part.schedule.eta * part.a; }) / merged.schedule.eta;
        merged.c = -merged.schedule.Omega * both.mean([](const AsgdOf& part) { return part.bias(); });
        merged.h = 0;
        return merged;
    }

    void add(auto&& cell, const Part<AsgdOf>& part, const auto& its) const {
        cell.v += part.share * part.ratio * part.learner.schedule.eta / schedule.eta * its.v;
        cell.u += schedule.Omega * part.share * part.ratio * part.learner.weight(its);
    }

    static auto state_of(auto& self) {
        return std::array{&self.schedule.lambda, &self.schedule.K, &self.schedule.Omega, &self.a, &self.c, &self.h};
    }

    DekelSchedule<Real> schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    Real a{}, c{}, h{};
};

using Asgd = AsgdOf<double>;
static_assert(Learner<Asgd>);

}  // namespace sparselin
