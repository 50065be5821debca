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

SPARSELIN_FOR_EACH_PROCESSOR
static void curvature_of_logistic(const double* __restrict p, const double* __restrict y, double* __restrict curvature,
                                  size_t count) {
    constexpr LogisticLoss loss;
    for (size_t i = 0; i < count; ++i) curvature[i] = loss.curvature(p[i], y[i]);
}

template <typename LossFunction>
static void judge_all(const LossFunction& its, const double* __restrict p, const double* __restrict y,
                      double* __restrict value, double* __restrict slope, double* __restrict curvature,
                      double* __restrict enclosing, size_t count) {
    const LossFunction loss = its;
    if constexpr (std::is_same_v<LossFunction, LogisticLoss>) {
        judge_logistic(p, y, value, slope, count);
        curvature_of_logistic(p, y, curvature, count);
    } else if constexpr (Curves<LossFunction>) {
        for (size_t i = 0; i < count; ++i) {
            value[i] = loss.value(p[i], y[i]);
            slope[i] = loss.slope(p[i], y[i]);
            curvature[i] = loss.curvature(p[i], y[i]);
            if constexpr (requires { loss.enclosing_curvature(p[i], y[i]); })
                enclosing[i] = loss.enclosing_curvature(p[i], y[i]);
        }
    }
}

void judge_with_curvature(const ChosenLoss& chosen, const double* p, const double* y, double* value, double* slope,
                          double* curvature, double* enclosing, size_t count) {
    with_loss(chosen, [&](const auto& loss) { judge_all(loss, p, y, value, slope, curvature, enclosing, count); });
}

}  // namespace sparselin
