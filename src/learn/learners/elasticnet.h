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

#include "learners/learner.h"
#include "learners/merge.h"
#include "learners/power_schedule.h"

#include <algorithm>

namespace sparselin {

struct ElasticNet {
    template <typename Number>
    struct CellOf {
        Number W;
    };
    using Cell = CellOf<double>;

    explicit ElasticNet(const Settings& settings)
        : schedule(settings),
          one(settings.intercept ? 1 : 0),
          fobos(settings.method == Method::fobos),
          l1(settings.l1),
          l2(settings.lambda) {}

    double predict(const auto& cell, const auto& x) const {
        const double B_now = B;  // what is written to a feature cannot change it
        const double vx = x.sum([&](int32_t i) { return beyond(B_now, cell(i).W) * x[i]; });
        return P * vx + b;
    }

    void update(const auto& cell, const auto& x, double g) {
        const double B_now = B, eta = schedule.eta, change = eta * g / P;
        x.each([&](int32_t i) {
            auto&& feature = cell(i);
            const double v = beyond(B_now, feature.W) - change * x[i];
            feature.W = v + std::copysign(B_now, v);
        });
        b -= eta * g * one;
        regularise(eta);
    }

    double weight(const auto& cell) const { return P * beyond(B, cell.W); }
    bool alive(const auto& cell) const { return weight(cell) != 0; }
    double bias() const { return b; }
    double centred_bias() const { return b; }
    double step_size() const { return schedule.eta; }

    bool wants_fold() const { return P < least_P || B * P > most_pull * std::clamp(l1 * schedule.eta, 1.0, 1e100); }
    Cell folded(const auto& cell) const { return {weight(cell) + 0.0}; }
    void end_fold() {
        P = 1;
        B = 0;
    }

    static ElasticNet merged(const Both<ElasticNet>& both, double) {
        ElasticNet merged = both.x;
        merged.schedule.resume(both.t);
        merged.b = both.mean([](const ElasticNet& part) { return part.b; });
        merged.end_fold();
        return merged;
    }

    void add(auto&& cell, const Part<ElasticNet>& part, const auto& its) const {
        cell.W += part.share * part.ratio * part.learner.weight(its);
    }

    static auto state_of(auto& self) { return std::array{&self.P, &self.B, &self.b}; }

    PowerSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    bool fobos;
    double l1, l2;
    double P = 1, B = 0, b = 0;

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
};

static_assert(Learner<ElasticNet> && Folds<ElasticNet> && Forgets<ElasticNet>);

}  // namespace sparselin
