// Lipton and Elkan: the elastic net with constant-time delayed updates.
//
// Minimises F(w, b) = l1 |w|_1 + l2/2 |w|^2 + (1/m) sum_i omega_i loss(w.x_i + b, y_i), l2 = lambda, with steps
// eta_t = eta0 t^-power. Step t: a gradient step on the row's features and the bias; then, on all weights,
//   sgd     |w_j| becomes max((1 - eta_t l2) |w_j| - eta_t l1, 0), the sign kept
//   fobos   |w_j| becomes max(|w_j| - eta_t l1, 0) / (1 + eta_t l2), the sign kept
// The bias is left alone.
//
// Lazy, and without the paper's table of cached sums: with P the product of all (1 - eta l2), or of 1/(1 + eta l2), and
// B = l1 sum eta_t / P_t (fobos: eta_t / P_(t-1)), a feature keeps W = sign(w) (|w|/P + B) from when its row came by.
// Invariant: at any later time w = sign(W) P max(|W| - B, 0) is the weight that the eager learner has.
// Cost of a step: O(non-zeros of the row), one double a feature. When P gets tiny or B large, all features are brought
// to P = 1 and B = 0: a long walk, but rare, at times that t alone decides. Large is meant beside the pull of one step,
// so that large labels and an l1 to match have no walk a step. A weight that is 0 needs no cell.
#pragma once

#include "learners/divergence.h"
#include "learners/learner.h"
#include "learners/power_schedule.h"

#include <algorithm>

namespace sparselin {

class ElasticNet {
public:
    struct Cell {
        double W;
    };

    ElasticNet(const Settings& settings, const Centre&, Memory memory, StopSign)
        : schedule(settings),
          one(settings.intercept ? 1 : 0),
          fobos(settings.method == Method::fobos),
          l1(settings.l1),
          l2(settings.lambda),
          features(memory) {}

    template <typename LossFunction, typename Value>
    double step(LossFunction loss, const ExampleOf<Value>& example, StopSign stop) {
        if (P < least_P || B * P > most_pull * std::clamp(l1 * schedule.eta, 1.0, 1e100)) rebase(stop);
        const auto work = [&](auto cell) {
            const RowOf<Value> x = example.x;
            const double y = example.y, omega = example.omega;
            const double B_now = B;  // what is written to a feature cannot change it
            const double vx =
                sum_over(x.nnz, stop, [&](int32_t i) { return beyond(B_now, cell(i).W) * double{x.value[i]}; });
            const double p = P * vx + b;
            check_finite(p, "prediction", schedule.t + 1);
            const double g = omega * loss.slope(p, y);
            schedule.advance();
            const double eta = schedule.eta, change = eta * g / P;
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) {
                double& W = cell(i).W;
                const double v = beyond(B_now, W) - change * double{x.value[i]};
                W = v + std::copysign(B_now, v);
            });
            b -= eta * g * one;
            regularise(eta);
            return loss.value(p, y);
        };
        return features.with_cells(example.x, stop, work, [this](const Cell& cell) { return alive(cell); });
    }

    double weight(const Cell& cell) const { return P * beyond(B, cell.W); }
    double bias() const { return b; }
    double centred_bias() const { return b; }

    bool alive(const Cell& cell) const { return weight(cell) != 0; }

    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) const {
        return squared_norm_of(x, stop);
    }

    // With t and the cells, all that learning on needs.
    static auto state_of(auto& self) { return std::array{&self.P, &self.B, &self.b}; }

    PowerSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    bool fobos;
    double l1, l2;
    double P = 1, B = 0, b = 0;
    FeatureTable<Cell> features;

    // Tests make these bounds narrow.
    double least_P = 1e-100, most_pull = 1e3;

private:
    // w/P: sign(W) max(|W| - B, 0)
    static double beyond(double B, double W) { return W - std::min(std::max(W, -B), B); }

    // Step t's, on all weights at once.
    void regularise(double eta) {
        if (fobos) {
            B += l1 * eta / P;
            P /= 1 + eta * l2;
        } else {
            P *= 1 - eta * l2;
            B += l1 * eta / P;
        }
    }

    void rebase(StopSign stop) {
        features.change_all(stop, [this](Cell& cell) { cell.W = weight(cell) + 0.0; });
        P = 1;
        B = 0;
    }
};

}  // namespace sparselin
