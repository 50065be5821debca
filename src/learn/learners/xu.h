// Xu's step size and his average of the iterates, apart from any loss: theta_t = (1 - lambda gamma_t) theta_(t-1) -
// gamma_t g_t for a gradient g_t that is mostly zeros.
//
// Invariants after t steps, for each feature with its two numbers u and u_hat:
//   theta_t = u / alpha
//   averaging (t > t0): sum over t0 < j <= t of theta_j = A u + u_hat
//   searching (t0 not known): theta^_t = R (A u + u_hat), theta^ being .99 theta^ + .01 theta after every step
// Where alpha or 1/R has grown, wants_fold() asks to make all features anew, before A u and u_hat cancel each other's
// digits.
#pragma once

#include "base/error.h"
#include "options/settings.h"

#include <cmath>
#include <limits>

namespace sparselin {

// gamma_t = gamma0 (1 + decay_rate gamma0 t)^-decay
struct XuSchedule {
    explicit XuSchedule(const Settings& settings)
        : gamma0(settings.gamma0), decay(settings.decay), decay_rate(settings.decay_rate) {}

    double gamma0, decay, decay_rate;
    int64_t t = 0;
    double gamma = 0;  // gamma_t

    void advance() {
        ++t;
        gamma = gamma0 * std::pow(1 + decay_rate * gamma0 * static_cast<double>(t), -decay);
    }

    void begin_with(double first_step) { gamma0 = first_step; }

    void resume(int64_t step) { t = step; }
};

struct XuAverage {
    template <typename Number>
    struct CellOf {
        Number u, u_hat;
    };
    using Cell = CellOf<double>;

    static constexpr double unknown = std::numeric_limits<double>::max();
    static constexpr double earliest_start = 100;  // before, a running mean of few losses is better by chance

    XuAverage(double lambda, double start) : lambda(lambda), t0(is_automatic(start) ? unknown : start) {}

    double lambda;
    double t0;     // unknown: searching
    double t = 0;  // a double, since it is compared with t0 and divided by
    double alpha = 1, A = 0, R = 1;
    double m = 0, m_hat = 0;  // running losses of theta and of theta^

    // When to fold. In A u + u_hat all but about log(alpha)/alpha of the terms cancels, and one step more, no longer
    // than those before, makes alpha at most the square of its bound. R has only to stay a number: what theta^ forgets
    // takes its rounding errors with it.
    double largest_alpha = 1e3, smallest_R = 1e-200;

    bool searching() const { return t0 == unknown; }
    bool averaging() const { return t > t0; }

    double theta(const auto& cell) const { return cell.u / alpha; }
    double theta_hat(const auto& cell) const { return R * (A * cell.u + cell.u_hat); }

    // The average where there is one, else the last iterate.
    double weight(const auto& cell) const { return averaging() ? (A * cell.u + cell.u_hat) / (t - t0) : theta(cell); }

    // Step t in three parts: before, for each feature of the gradient, and after.
    void begin_step(double gamma) { alpha /= 1 - lambda * gamma; }

    // theta -= change
    void move(auto&& cell, double change) const {
        cell.u_hat += A * alpha * change;
        cell.u -= alpha * change;
    }

    // `loss` and `loss_hat` are those of theta's and theta^'s predictions before the step.
    void end_step(double loss, double loss_hat) {
        ++t;
        if (searching()) {
            m = 0.99 * m + 0.01 * loss;
            m_hat = 0.99 * m_hat + 0.01 * loss_hat;
            R *= 0.99;
            A += 0.01 / (R * alpha);
            if (t >= earliest_start && m_hat < m) t0 = t;
        } else if (averaging()) {
            A += 1 / alpha;
        }
    }

    // Whether all cells have to be made anew before the next step: each is replaced by folded(), then end_fold(). What
    // theta^ has left in u_hat goes when averaging begins.
    bool wants_fold() const { return alpha > largest_alpha || R < smallest_R || (t == t0 && A != 0); }

    Cell folded(const auto& cell) const {
        if (searching()) return {cell.u / alpha, theta_hat(cell)};
        return {cell.u / alpha, averaging() ? A * cell.u + cell.u_hat : 0};
    }

    void end_fold() {
        alpha = 1;
        A = 0;
        R = 1;
    }
};

}  // namespace sparselin
