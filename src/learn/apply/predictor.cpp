#include "apply/predictor.h"

#include "base/wide_loops.h"

namespace sparselin {

// What a feature weighs that the model has not seen.
static constexpr double nothing[Wide::most] = {};

namespace {

// Some features of a row, with their weights in a group of runs.
struct Some {
    static constexpr size_t most = 128;

    void find(const Predictor& predictor, const SparseRow& row, size_t from, size_t run) {
        const size_t nnz = row.features().size();
        count = std::min(most, nnz - std::min(from, nnz));
        for (size_t i = 0; i < count; ++i) {
            const double* const weights = predictor.weights(row.index[from + i]);
            places[i] = weights != nullptr ? weights + run : nothing;
            x[i] = double{row.value[from + i]};
        }
    }

    std::array<const double*, most> places;
    std::array<double, most> x;
    size_t count;
};

}  // namespace

void Predictor::scores(const SparseRow& row, double factor, double* scores, StopSign stop) const {
    common_dimension(dimension_, row.dim);
    const size_t nnz = row.features().size();
    for (size_t first = 0; first < runs(); first += Wide::most) {
        const size_t count = std::min(Wide::most, runs() - first);
        WideSum sum(count);
        Some features[2];
        Some *now = &features[0], *next = &features[1];
        now->find(*this, row, 0, first);
        for (size_t from = 0; from < nnz; from += Some::most, std::swap(now, next)) {
            if (from > 0 && from % row_stretch == 0) stop.give_up();
            next->find(*this, row, from + Some::most, first);
            CellsAhead ahead(next->places.data(), next->count, count);
            sum.add({now->places.data(), 0, now->x.data(), now->count}, ahead);
        }
        const Wide total = sum.total();
        for (size_t k = 0; k < count; ++k) scores[first + k] = checked(total[k] * factor + bias_[first + k]);
    }
}

}  // namespace sparselin
