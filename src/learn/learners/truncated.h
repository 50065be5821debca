// Langford, Li and Zhang: truncated gradient, and coefficient rounding.
//
// Follows the gradient of (1/m) sum_i omega_i loss(w.x_i + b, y_i) with steps eta_t = eta0 t^-power, and after every
// K-th step takes small weights closer to zero. With t a multiple of K:
//   truncate   every |w_j| <= threshold becomes max(|w_j| - eta_t K gravity, 0), the sign kept
//   round      every |w_j| <= threshold becomes 0
// The bias is left alone. Where predictions are clipped, the slope is taken at the clipped one.
//
// Lazy: G is the sum of all pulls so far, that of step t being eta_t K gravity; rounding is a pull that no weight
// withstands. Each feature remembers G as it was when its weight was last right. A weight that nobody touches stays on
// its side of the threshold, since pulls only make it smaller.
// Invariant: weight(cell) is the weight that the eager learner has. A weight is made current before it predicts, so
// that nothing differs.
// Cost of a step: O(non-zeros of the row), two doubles a feature. A weight that is 0 needs no cell.
#pragma once

#include "learners/learner.h"
#include "learners/merge.h"
#include "learners/power_schedule.h"

#include <algorithm>

namespace sparselin {

struct Truncated {
    template <typename Number>
    struct CellOf {
        Number w, G;
    };
    using Cell = CellOf<double>;

    explicit Truncated(const Settings& settings)
        : schedule(settings),
          one(settings.intercept ? 1 : 0),
          rounds(settings.method == Method::round),
          K(settings.truncate_every),
          gravity(settings.gravity),
          threshold(settings.threshold),
          clip_min(settings.clip_min),
          clip_max(settings.clip_max) {}

    double predict(const auto& cell, const auto& x) const {
        const double wx = x.sum([&, now = current_at(G)](int32_t i) {
            auto&& feature = cell(i);
            feature.w = now(feature);
            feature.G = now.G;
            return feature.w * x[i];
        });
        return wx + b;
    }

    // Where the slope is taken.
    double clipped(double p) const { return std::clamp(p, clip_min, clip_max); }

    void update(const auto& cell, const auto& x, double g) {
        const double eta_g = schedule.eta * g;
        x.each([&](int32_t i) { cell(i).w -= eta_g * x[i]; });
        b -= eta_g * one;
        if (schedule.t % K == 0) G += pull();
    }

    // What the pulls since it was last right have left of a weight.
    double weight(const auto& cell) const { return current_at(G)(cell); }
    bool alive(const auto& cell) const { return weight(cell) != 0; }
    double bias() const { return b; }
    double centred_bias() const { return b; }
    double step_size() const { return schedule.eta; }

    static Truncated merged(const Both<Truncated>& both, double) {
        Truncated merged = both.x;
        merged.schedule.resume(both.t);
        merged.b = both.mean([](const Truncated& part) { return part.b; });
        merged.G = 0;
        return merged;
    }

    void add(auto&& cell, const Part<Truncated>& part, const auto& its) const {
        cell.w += part.share * part.ratio * part.learner.weight(its);
    }

    static auto state_of(auto& self) { return std::array{&self.G, &self.b}; }

    PowerSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    bool rounds;
    int64_t K;
    double gravity, threshold, clip_min, clip_max;
    double G = 0, b = 0;

private:
    // A value of its own, so that the loop over a row need not read members again after each number that it writes.
    struct Current {
        double G, threshold;
        double operator()(const auto& cell) const {
            const double size = std::fabs(cell.w);
            const double least = size > threshold ? size : 0;
            return std::copysign(std::max(size - (G - cell.G), least), cell.w);
        }
    };
    Current current_at(double G_now) const { return {G_now, threshold}; }

    // Enough for any weight, and small enough that the sum of as many as there can be is finite.
    static constexpr double strongest_pull = 1e280;

    double pull() const {
        if (rounds) return strongest_pull;
        return std::min(schedule.eta * gravity * static_cast<double>(K), strongest_pull);
    }
};

static_assert(Learner<Truncated> && Forgets<Truncated>);

}  // namespace sparselin
