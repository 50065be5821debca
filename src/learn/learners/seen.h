// What a step saw before it changed anything, and what is said where numbers run away.
#pragma once

#include "base/error.h"

#include <cmath>

namespace sparselin {

struct Seen {
    double loss;       // of the prediction
    double idle_loss;  // of predicting 0, or what a step from there predicts, where that is worse
    bool finite;       // whether the prediction was a number; a lone run for which it was not has changed nothing
};

// Numbers that run away: what is said about them.
inline constexpr char divergence_hint[] =
    "Bring the features to one scale with scale => 'std', normalise the rows with sparsearray_normalize, take smaller "
    "steps (a larger lambda, a smaller eta0, step_offset and gamma0 left automatic), or try onepass_train.";

inline Error not_finite(const char* what, int64_t step) {
    Error error(Fault::diverged, "training diverged at step %lld: the %s is not finite", static_cast<long long>(step),
                what);
    error.hint(divergence_hint);
    return error;
}

inline void check_finite(double number, const char* what, int64_t step) {
    if (!std::isfinite(number)) throw not_finite(what, step);
}

}  // namespace sparselin
