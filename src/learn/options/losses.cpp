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
static void judge_all(const LossFunction& its, Curvature which, const double* __restrict p, const double* __restrict y,
                      double* __restrict value, double* __restrict slope, double* __restrict curvature, size_t count) {
    const LossFunction loss = its;
    if constexpr (std::is_same_v<LossFunction, LogisticLoss>) {
        judge_logistic(p, y, value, slope, count);
        if (which == Curvature::own) return curvature_of_logistic(p, y, curvature, count);
    } else {
        for (size_t i = 0; i < count; ++i) {
            value[i] = loss.value(p[i], y[i]);
            slope[i] = loss.slope(p[i], y[i]);
        }
    }
    for (size_t i = 0; i < count; ++i)
        curvature[i] = which == Curvature::own ? loss.curvature(p[i], y[i]) : loss.enclosing_curvature(p[i], y[i]);
}

void judge_with_curvature(const ChosenLoss& chosen, Curvature which, const double* p, const double* y, double* value,
                          double* slope, double* curvature, size_t count) {
    with_loss(chosen, [&](const auto& loss) {
        if constexpr (Curves<std::remove_cvref_t<decltype(loss)>>)
            judge_all(loss, which, p, y, value, slope, curvature, count);
    });
}

}  // namespace sparselin
