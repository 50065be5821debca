#include "apply/predictor.h"

#include "base/lanes.h"

#include <utility>

namespace sparselin {

namespace {

// As many runs as are gone through at once, and the sums of their four lanes.
constexpr size_t most_runs = 32;
using Sums = double[4][most_runs];

// What a feature weighs that the model has not seen.
constexpr double nothing[most_runs] = {};

// One stretch of a row after another: some features, each by its weights. As many as stay in a near cache while the
// runs are gone through in groups; a multiple of four, so that products keep their lanes.
class Stretch {
public:
    explicit Stretch(const SparseRow& row) : row_(row) {}

    bool next(StopSign stop) {
        if (start_ > 0 && start_ % row_stretch == 0) stop.give_up();
        start_ += count_;
        count_ = std::min(most, row_.nnz - start_);
        return count_ > 0;
    }

    // weights_of(feature): those of `runs`. Memory is asked for all of them before the first one is used.
    template <typename WeightsOf>
    void find(size_t runs, WeightsOf&& weights_of) {
        for (int32_t i = 0; i < count_; ++i) {
            weights_[i] = weights_of(row_.index[start_ + i]);
            for (size_t line = 0; line < runs; line += 8) __builtin_prefetch(weights_[i] + line);
            __builtin_prefetch(weights_[i] + runs - 1);
        }
    }

    // The sums of all runs grow by their products.
    void add_to(Sums& sums, size_t runs) const {
        size_t run = 0;
        for (; run + 12 <= runs; run += 12) add_groups(sums, run, std::make_index_sequence<3>());
        if (run + 8 <= runs) {
            add_groups(sums, run, std::make_index_sequence<2>());
            run += 8;
        }
        if (run < runs) add_groups(sums, run, std::make_index_sequence<1>());
    }

private:
    static constexpr int32_t most = 64;
    static_assert(row_stretch % most == 0 && most % 4 == 0);

    // Of some groups of four runs, whose sums stay in registers.
    template <size_t... group>
    void add_groups(Sums& sums, size_t run, std::index_sequence<group...>) const {
        for (int32_t lane = 0; lane < 4; ++lane) {
            Lanes* const kept = reinterpret_cast<Lanes*>(sums[lane] + run);
            Lanes sum[] = {kept[group]...};
            for (int32_t i = lane; i < count_; i += 4) {
                const Lanes* const weights = reinterpret_cast<const Lanes*>(weights_[i] + run);
                const double x = row_.value[start_ + i];
                ((sum[group] += weights[group] * x), ...);
            }
            ((kept[group] = sum[group]), ...);
        }
    }

    const SparseRow& row_;
    const double* weights_[most];
    int32_t start_ = 0, count_ = 0;
};

}  // namespace

void Predictor::scores(const SparseRow& row, double* scores, StopSign stop) const {
    common_dimension(dimension_, row.dim);
    for (size_t first = 0; first < runs(); first += most_runs) {
        const size_t count = std::min(most_runs, stride_ - first);
        Sums sums = {};
        for (Stretch stretch(row); stretch.next(stop);) {
            stretch.find(count, [&](int32_t feature) {
                const double* const its = weights(feature);
                return its != nullptr ? its + first : nothing;
            });
            stretch.add_to(sums, count);
        }
        for (size_t k = 0; k < std::min(count, runs() - first); ++k)
            scores[first + k] = checked((sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]) + bias_[first + k]);
    }
}

}  // namespace sparselin
