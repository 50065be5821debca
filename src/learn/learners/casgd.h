// Dekel, Algorithm 3: centred and averaged stochastic gradient descent, on x - mu without ever forming it.
//
// Minimises F(w, b) = lambda/2 (|w|^2 + b^2) + (1/m) sum_i omega_i loss(w.(x_i - mu) + b, y_i).
// Invariants after t steps: v = sum g_i x_i, a = sum g_i, z = v.mu, theta = 1 + |mu|^2, r = a theta - z, so that the
// iterate predicts -eta_t (v.x + r - a mu.x); h = sum i^q eta_i; c = sum i^q eta_i a_i; s = sum i^q eta_i r_i;
// h v - u = sum i^q eta_i v_i. The average is w = -(h v - u - c mu)/Omega and b' = -s/Omega, b' being the bias for
// rows as they are, b = b' + w.mu the one for centred rows.
// Without an intercept theta = |mu|^2, and b' is -w.mu by the same formula.
// Cost of a step: O(non-zeros of the row), three doubles a feature, side by side.
#pragma once

#include "learners/dekel.h"
#include "rows/feature_table.h"

namespace sparselin {

class Casgd {
public:
    struct Cell {
        double v, u, mu;
    };

    Casgd(const Settings& settings, const Centre& centre, Memory memory, StopSign stop)
        : schedule(settings), one(settings.intercept ? 1 : 0), features(memory) {
        for (size_t j = 0; j < centre.index.size(); ++j) {
            stop.poll_every_so_often(j);
            features.at(centre.index[j], stop).mu = centre.mu[j];
            mu_mu += centre.mu[j] * centre.mu[j];
        }
        theta = one + mu_mu;
    }

    template <typename LossFunction, typename Value>
    double step(LossFunction loss, const ExampleOf<Value>& example, StopSign stop) {
        return features.with_cells(example.x, stop, [&](auto cell) {
            const RowOf<Value> x = example.x;
            const double y = example.y, omega = example.omega;
            const double vx = sum_over(x.nnz, stop, [&](int32_t i) { return cell(i).v * double{x.value[i]}; });
            const double e = sum_over(x.nnz, stop, [&](int32_t i) { return cell(i).mu * double{x.value[i]}; });
            const double p = -(vx + r - a * e) * schedule.eta;
            check_finite(p, "prediction", schedule.t + 1);
            const double g = omega * loss.slope(p, y);
            const double hg = h * g;
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) {
                Cell& feature = cell(i);
                const double x_i = x.value[i];
                feature.v += g * x_i;
                feature.u += hg * x_i;
            });
            a += g;
            z += g * e;
            r = a * theta - z;
            schedule.advance();
            s += schedule.power * schedule.eta * r;
            c += schedule.power * schedule.eta * a;
            h += schedule.power * schedule.eta;
            return loss.value(p, y);
        });
    }

    // |x - mu|^2
    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) {
        const double e = features.with_cells(x, stop, [&](auto cell) {
            return sum_over(x.nnz, stop, [&](int32_t i) { return cell(i).mu * double{x.value[i]}; });
        });
        return std::max(0.0, squared_norm_of(x, stop) - 2 * e + mu_mu);
    }

    double weight(const Cell& cell) const { return -(h * cell.v - cell.u - c * cell.mu) / schedule.Omega; }
    double bias() const { return -s / schedule.Omega; }
    double centred_bias() const { return -one * (c_before + c) / schedule.Omega; }

    void note_options(Options& options) const { schedule.note_options(options); }

    // With t and the cells, all that learning on needs.
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

    DekelSchedule schedule;
    double one;        // the constant feature: 1, or 0 without an intercept
    double mu_mu = 0;  // |mu|^2
    double theta;
    double a = 0, z = 0, r = 0, s = 0, c = 0, h = 0;
    double c_before = 0;  // what c was when a merge set it to 0
    FeatureTable<Cell> features;
};

}  // namespace sparselin
