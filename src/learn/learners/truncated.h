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
// Invariant: current(cell) is the weight that the eager learner has. A weight is made current before it predicts, so
// that nothing differs.
// Cost of a step: O(non-zeros of the row), two doubles a feature. A weight that is 0 needs no cell.
#pragma once

#include "learners/divergence.h"
#include "learners/learner.h"
#include "learners/power_schedule.h"

#include <algorithm>

namespace sparselin {

class Truncated {
public:
    struct Cell {
        double w, G;
    };

    Truncated(const Settings& settings, const Centre&, Memory memory, StopSign)
        : schedule(settings),
          one(settings.intercept ? 1 : 0),
          rounds(settings.method == Method::round),
          K(settings.truncate_every),
          gravity(settings.gravity),
          threshold(settings.threshold),
          clip_min(settings.clip_min),
          clip_max(settings.clip_max),
          features(memory) {}

    template <typename LossFunction, typename Value>
    double step(LossFunction loss, const ExampleOf<Value>& example, StopSign stop) {
        const auto work = [&](auto cell) {
            const RowOf<Value> x = example.x;
            const double y = example.y, omega = example.omega;
            const double wx = sum_over(x.nnz, stop, [&, now = current_at(G)](int32_t i) {
                Cell& feature = cell(i);
                feature = {now(feature), now.G};
                return feature.w * double{x.value[i]};
            });
            const double p = wx + b;
            check_finite(p, "prediction", schedule.t + 1);
            const double g = omega * loss.slope(std::clamp(p, clip_min, clip_max), y);
            schedule.advance();
            const double eta_g = schedule.eta * g;
            each_of(g != 0 ? x.nnz : 0, stop, [&](int32_t i) { cell(i).w -= eta_g * double{x.value[i]}; });
            b -= eta_g * one;
            if (schedule.t % K == 0) G += pull();
            return loss.value(p, y);
        };
        return features.with_cells(example.x, stop, work,
                                   [now = current_at(G)](const Cell& cell) { return now(cell) != 0; });
    }

    // What the pulls since it was last right have left of a weight.
    double current(const Cell& cell) const { return current_at(G)(cell); }

    bool alive(const Cell& cell) const { return current(cell) != 0; }

    template <typename Value>
    double squared_length(const RowOf<Value>& x, StopSign stop) const {
        return squared_norm_of(x, stop);
    }

    double weight(const Cell& cell) const { return current(cell); }
    double bias() const { return b; }
    double centred_bias() const { return b; }

    // With t and the cells, all that learning on needs.
    static auto state_of(auto& self) { return std::array{&self.G, &self.b}; }

    PowerSchedule schedule;
    double one;  // the constant feature: 1, or 0 without an intercept
    bool rounds;
    int64_t K;
    double gravity, threshold, clip_min, clip_max;
    double G = 0, b = 0;
    FeatureTable<Cell> features;

private:
    // A value of its own, so that the loop over a row need not read members again after each number that it writes.
    struct Current {
        double G, threshold;
        double operator()(const Cell& cell) const {
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

}  // namespace sparselin
