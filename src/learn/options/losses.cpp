#include "options/losses.h"

#include "base/processors.h"

namespace sparselin {

SPARSELIN_FOR_EACH_PROCESSOR
static void judge_logistic(const double* __restrict p, const double* __restrict y, double* __restrict value,
                           double* __restrict slope, size_t count) {
    constexpr LogisticLoss loss;
    for (size_t i = 0; i < count; ++i) {
        value[i] = loss.value(p[i], y[i]);
        slope[i] = loss.slope(p[i], y[i]);
    }
}

void LogisticLoss::judge_each(const double* p, const double* y, double* value, double* slope, size_t count) {
    judge_logistic(p, y, value, slope, count);
}

}  // namespace sparselin
