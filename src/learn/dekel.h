// What Dekel's three algorithms share: the step size and the weights of the average.
//
//   step size          eta_t = 1/(lambda (t + k)) = 1/(lambda t + K), K = lambda k
//   averaging weight   t^q, Omega their sum
//
// k = 0 and q = 0 are the paper. K rather than k, so that a tiny lambda cannot overflow.
#pragma once

#include "error.h"
#include "example.h"
#include "options.h"

#include <cmath>

namespace sparselin {

struct DekelSchedule {
    explicit DekelSchedule(const Settings& settings)
        : lambda(settings.lambda),
          K(is_automatic(settings.step_offset) ? 0 : settings.lambda * settings.step_offset),
          q(settings.average_power) {}

    double lambda, K, q;
    int64_t t = 0;
    double eta = 0;    // eta_t
    double power = 0;  // t^q
    double Omega = 0;

    void advance() {
        ++t;
        eta = 1 / (lambda * static_cast<double>(t) + K);
        power = q == 2 ? static_cast<double>(t) * static_cast<double>(t)
                       : (q == 0 ? 1 : std::pow(static_cast<double>(t), q));
        Omega += power;
    }
};

inline constexpr char divergence_hint[] =
    "Bring the features to a common scale, normalise the rows with sparsearray_normalize, give a larger lambda, or "
    "leave step_offset automatic.";

inline void check_finite(double number, const char* what, int64_t step) {
    if (std::isfinite(number)) return;
    throw Error(Fault::diverged, "training diverged at step %lld: the %s is not finite", static_cast<long long>(step),
                what)
        .hint(divergence_hint);
}

}  // namespace sparselin
