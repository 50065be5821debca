#include "apply/predictor.h"

#include "base/wide.h"

namespace sparselin {

// What a feature weighs that the model has not seen.
static constexpr double nothing[Wide::most] = {};

// Memory is asked for a few features before their weights are used.
static void ask_for(const double* weights, size_t runs) {
    for (size_t line = 0; line < runs; line += 8) __builtin_prefetch(weights + line);
    __builtin_prefetch(weights + runs - 1);
}

void Predictor::scores(const SparseRow& row, double* scores, StopSign stop) const {
    common_dimension(dimension_, row.dim);
    for (size_t first = 0; first < runs(); first += Wide::most) {
        const size_t count = std::min(Wide::most, runs() - first);
        WideSum sum;
        each_of(row.nnz, stop, [&](int32_t i) {
            const double* const its = weights(row.index[i]);
            if (its != nullptr) ask_for(its + first, count);
            sum.add({its != nullptr ? its + first : nothing, count, double{row.value[i]}});
        });
        const Wide total = sum.total();
        for (size_t k = 0; k < count; ++k) scores[first + k] = checked(total[k] + bias_[first + k]);
    }
}

}  // namespace sparselin
