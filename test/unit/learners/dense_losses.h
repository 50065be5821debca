// The losses and their derivatives from their definitions, and the slope of a step that is taken implicitly as the root
// of its equation, found by bisection. Shares nothing with src/learn.
//
// A step of slope g moves the row's own prediction from p0 to p0 - q g. Where q is beyond the reach c/L, what is beyond
// it goes by the slope where it ends: g = loss'(p', y) with p' = p0 - (q - c/L) g, and a quarter of that for logistic.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace dense {

using Real = long double;

enum class Loss { logistic, hinge, squared_hinge, squared, absolute, huber = 6, quantile };

// The parameters of those that have one, the same in all comparisons.
constexpr double huber_delta = 0.375, quantile_tau = 0.625;

inline Real loss_of(Loss loss, Real p, Real y) {
    switch (loss) {
        case Loss::logistic: return std::max(-p * y, Real(0)) + std::log1p(std::exp(-std::fabs(p)));
        case Loss::hinge: return std::max(Real(0), 1 - p * y);
        case Loss::squared_hinge: return std::max(Real(0), 1 - p * y) * std::max(Real(0), 1 - p * y) / 2;
        case Loss::squared: return (p - y) * (p - y) / 2;
        case Loss::absolute: return std::fabs(p - y);
        case Loss::huber:
            return std::fabs(p - y) <= huber_delta ? (p - y) * (p - y) / 2
                                                   : huber_delta * (std::fabs(p - y) - Real(huber_delta) / 2);
        case Loss::quantile: return p <= y ? quantile_tau * (y - p) : (1 - Real(quantile_tau)) * (p - y);
    }
    throw std::logic_error("no such loss");
}

inline Real derivative_of(Loss loss, Real p, Real y) {
    switch (loss) {
        case Loss::logistic: return -y / (1 + std::exp(p * y));
        case Loss::hinge: return p * y <= 1 ? -y : 0;
        case Loss::squared_hinge: return p * y <= 1 ? -y * (1 - p * y) : 0;
        case Loss::squared: return p - y;
        case Loss::absolute: return p <= y ? -1 : 1;
        case Loss::huber: return std::min(std::max(p - y, -Real(huber_delta)), Real(huber_delta));
        case Loss::quantile: return p <= y ? -Real(quantile_tau) : 1 - Real(quantile_tau);
    }
    throw std::logic_error("no such loss");
}

// What takes the place of the curvature where the loss hangs on the label's unit S.
inline Real curvature_in_unit(Loss loss, Real S) {
    if (loss == Loss::absolute || loss == Loss::quantile) return 1 / S;
    return loss == Loss::huber ? std::min(Real(1), huber_delta / S) : 1;
}

// c/L
inline Real reach_of(Loss loss, Real implicit_above, Real S) {
    if (std::isinf(implicit_above)) return implicit_above;
    const bool grows = loss == Loss::squared || loss == Loss::squared_hinge;
    const Real c = grows                 ? std::min(implicit_above, Real(1))
                   : loss == Loss::huber ? std::min(implicit_above, Real(2))
                                         : implicit_above;
    return c / (loss == Loss::logistic ? Real(1) / 4 : loss == Loss::huber ? 1 : curvature_in_unit(loss, S));
}

// derivative_of() at the p' that is p0 - r derivative_of(p'), which derivatives that only grow leave one of; where that
// lies on a jump, what of the jump the equation asks for.
inline Real implicit_slope(Loss loss, Real p0, Real y, Real r) {
    const auto above = [&](Real p) { return p - p0 + r * derivative_of(loss, p, y) > 0; };
    const Real end = p0 - r * derivative_of(loss, p0, y);
    Real low = std::min(p0, end), high = std::max(p0, end);
    for (;;) {
        const Real middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) break;
        (above(middle) ? high : low) = middle;
    }
    const Real before = derivative_of(loss, low, y), after = derivative_of(loss, high, y);
    const bool cancels = loss != Loss::logistic && r > 1;  // what is left of p - y where the step ends beside it
    return cancels || after - before > 0.01L ? std::clamp((p0 - high) / r, before, after) : (before + after) / 2;
}

// p: the prediction before the step; p0: what a step of slope 0 leaves of it.
inline Real slope_of_step(Loss loss, Real p, Real p0, Real y, Real q, Real reach) {
    if (q <= reach) return derivative_of(loss, p, y);
    return implicit_slope(loss, p0, y, loss == Loss::logistic ? (q - reach) / 4 : q - reach);
}

}  // namespace dense
