// Settling from its definition: the least value of phi(alpha, beta) found by bisection of its slope in beta, and around
// that by bisection in alpha of the slope that is left there. Shares nothing with src/learn. phi is convex, and so is
// its least value over beta, whose slope in alpha is phi's own at that beta.
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

struct Settling {
    Loss loss = Loss::logistic;
    std::vector<Real> s, y, omega;
    Real a2 = 0, a1 = 0, b2 = 0;  // a2/2 alpha^2 + a1 alpha + b2/2 beta^2
    bool alpha_moves = true, beta_moves = true;
    Real least_alpha = -64, most_alpha = 1024, widest_beta = 1024;
    Real b = 0;  // where beta is before
};

struct Place {
    Real alpha, beta;
};

inline Real phi(const Settling& of, const Place& at) {
    Real sum = 0;
    for (size_t i = 0; i < of.s.size(); ++i)
        sum += of.omega[i] * loss_of(of.loss, at.alpha * of.s[i] + at.beta, of.y[i]);
    return of.a2 / 2 * at.alpha * at.alpha + of.a1 * at.alpha + of.b2 / 2 * at.beta * at.beta +
           sum / static_cast<Real>(of.s.size());
}

// Of phi in beta, and in alpha.
inline Place slopes(const Settling& of, const Place& at) {
    Real by_alpha = 0, by_beta = 0;
    for (size_t i = 0; i < of.s.size(); ++i) {
        const Real g = of.omega[i] * derivative_of(of.loss, at.alpha * of.s[i] + at.beta, of.y[i]);
        by_alpha += g * of.s[i];
        by_beta += g;
    }
    const Real m = static_cast<Real>(of.s.size());
    return {of.a2 * at.alpha + of.a1 + by_alpha / m, of.b2 * at.beta + by_beta / m};
}

// Where a slope that grows comes to 0.
inline Real bisected(Real low, Real high, const auto& slope) {
    for (int i = 0; i < 76; ++i) {
        const Real middle = (low + high) / 2;
        (slope(middle) < 0 ? low : high) = middle;
    }
    return (low + high) / 2;
}

inline Place settled(const Settling& of) {
    const auto best_beta = [&](Real alpha) {
        if (!of.beta_moves) return of.b;
        return bisected(-of.widest_beta, of.widest_beta, [&](Real beta) { return slopes(of, {alpha, beta}).beta; });
    };
    Place best{1, 0};
    if (of.alpha_moves)
        best.alpha = bisected(of.least_alpha, of.most_alpha, [&](Real alpha) {
            return slopes(of, {alpha, best_beta(alpha)}).alpha;
        });
    best.beta = best_beta(best.alpha);
    return best;
}

}  // namespace dense
