// Dekel, Algorithm 3: centred and averaged stochastic gradient descent, on x - mu without ever forming it.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.(x_i - mu) + b, y_i).
// Invariants after t steps: v = sum g_i x_i, a = sum g_i, z = v.mu, theta = 1 + |mu|^2, r = a theta - z, so that the
// iterate predicts -eta_t (v.x + r - a mu.x); h = sum i^q eta_i; c = sum i^q eta_i a_i; s = sum i^q eta_i r_i;
// h v - u = sum i^q eta_i v_i. The average is w = -(h v - u - c mu)/Omega and b' = -s/Omega, b' being the bias for
// rows as they are, b = b' + w.mu the one for centred rows.
// Without an intercept theta = |mu|^2, and b' is -w.mu by the same formula.
// Cost of a step: O(non-zeros of the row), two doubles a feature beside mu, side by side.
#pragma once

#include "learners/dekel.h"

namespace sparselin {

template <typename Real>
struct CasgdOf {
    template <typename Number, typename Shared = Number>
    struct CellOf {
        Number v, u;
        Shared mu;
    };
    using Cell = CellOf<double>;

    explicit CasgdOf(const Settings& settings) : schedule(settings), one(settings.intercept ? 1 : 0) {}

    // Before the first step.
    void centre_at(double squared_length_of_mu) {
        mu_mu = Real{} + squared_length_of_mu;
        theta = one + mu_mu;
    }

    Real predict(const auto& cell, const auto& x) const {
        return predict_by(x.sum([&](auto i) { return cell(i).v * x[i]; }), x);
    }
    Real predict_by(Real vx, const auto& x) const { return -(vx + r - a * x.mu_x) * schedule.eta; }

    void update(const auto& cell, const auto& x, Real g) {
        add_to_v_and_u(cell, x, g, h * g);
        a += g;
        z += g * x.mu_x;
        r = a * theta - z;
        s += schedule.t_q * schedule.eta * r;
        c += schedule.t_q * schedule.eta * a;
        h += schedule.t_q * schedule.eta;
    }

    Real weight(const auto& cell) const { return total(cell) / schedule.Omega; }
    Real total(const auto& cell) const { return -(h * cell.v - cell.u - c * cell.mu); }
    double bias() const { return -s / schedule.Omega; }
    double centred_bias() const { return -one * (c_before + c) / schedule.Omega; }
    Real step_size() const { return schedule.eta; }
    Real shrinking() const { return 1 - schedule.lambda * schedule.eta; }

    // The centres may differ: the new one is their mean, and both predictors are written anew around it.
    static CasgdOf merged(const Both<CasgdOf>& both, double lambda) {
        CasgdOf merged = both.x;
        merged.schedule = DekelSchedule<Real>::merged(both, lambda);
        merged.r =
            both.mean([](const CasgdOf& part) { return -part.schedule.eta * part.r; });  // b' of the last iterate
        merged.s = both.mean([](const CasgdOf& part) { return part.bias(); });           // and of the average
        return merged;
    }

    // v is the last iterate and u the average, until finish().
    void add(auto&& cell, const Part<CasgdOf>& part, const auto& its) const {
        const CasgdOf& learner = part.learner;
        cell.v += part.share * part.ratio * -learner.schedule.eta * (its.v - learner.a * its.mu);
        cell.u += part.share * part.ratio * learner.weight(its);
    }

    void finish(const auto& cells) {
        const double last_bias = r, average_bias = s;
        double last_mu = 0, average_mu = 0, squared_mu = 0;
        cells.walk([&](const auto& cell) {
            last_mu += cell.v * cell.mu;
            average_mu += cell.u * cell.mu;
            squared_mu += cell.mu * cell.mu;
        });
        a = -(last_bias + last_mu) / schedule.eta;
        cells.change_all([&](auto&& cell) {
            cell.v = -cell.v / schedule.eta + a * cell.mu + 0.0;  // no negative zero: a cell of zeros has to stay one
            cell.u *= schedule.Omega;
        });
        z = 0;
        cells.walk([&](const auto& cell) { z += cell.v * cell.mu; });
        centre_at(squared_mu);
        r = a * theta - z;
        s = -schedule.Omega * average_bias;
        c_before = -schedule.Omega * (average_bias + average_mu);
        c = h = 0;
    }

    static auto state_of(auto& self) {
        return std::array{&self.schedule.lambda,
                          &self.schedule.K,
                          &self.schedule.Omega,
                          &self.mu_mu,
                          &self.a,
                          &self.z,
                          &self.r,
                          &self.s,
                          &self.c,
                          &self.h,
                          &self.c_before};
    }

    void resume() { theta = one + mu_mu; }

    DekelSchedule<Real> schedule;
    double one;    // the constant feature: 1, or 0 without an intercept
    Real mu_mu{};  // |mu|^2
    Real theta = Real{} + one;
    Real a{}, z{}, r{}, s{}, c{}, h{};
    Real c_before{};  // what c was when a merge set it to 0
};

using Casgd = CasgdOf<double>;
static_assert(Learner<Casgd> && Centres<Casgd>);

}  // namespace sparselin
