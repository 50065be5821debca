#include "apply/predictor.h"

#include "base/wide_loops.h"

namespace sparselin {

// What a feature weighs that the model has not seen.
static constexpr double nothing[Wide::most] = {};

// Memory is asked for a few features before their weights are used.
static void ask_for(const double* weights, size_t runs) {
    for (size_t line = 0; line < runs; line += 8) __builtin_prefetch(weights + line);
    __builtin_prefetch(weights + runs - 1);
}

void Predictor::scores(const SparseRow& row, double* scores, StopSign stop) const {
    constexpr size_t most = 64;
    common_dimension(dimension_, row.dim);
    std::array<const double*, most> places;
    const auto nnz = static_cast<size_t>(row.nnz);
    for (size_t first = 0; first < runs(); first += Wide::most) {
        const size_t count = std::min(Wide::most, runs() - first);
        WideSum sum(count);
        for (size_t from = 0; from < nnz; from += most) {
            if (from > 0 && from % row_stretch == 0) stop.give_up();
            const size_t features = std::min(most, nnz - from);
            for (size_t i = 0; i < features; ++i) {
                const double* const its = weights(row.index[from + i]);
                places[i] = its != nullptr ? its + first : nothing;
                ask_for(places[i], count);
            }
            sum.add(places.data(), 0, row.value + from, features);
        }
        const Wide total = sum.total();
        for (size_t k = 0; k < count; ++k) scores[first + k] = checked(total[k] + bias_[first + k]);
    }
}

}  // namespace sparselin
