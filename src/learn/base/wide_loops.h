// The loops over the features of a row that have the numbers of many runs side by side. A number of each run is where
// `places` say, one for each feature, and `at` numbers further on.
//
// A loop goes through the features once for as many runs as a processor has registers for; each run's numbers see the
// same operations in the same order as if it were alone.
#pragma once

#include "base/wide.h"

namespace sparselin {

// The sum of a row's products in the order of sum_over() (sparse.h): four lanes, each of them of many runs.
class WideSum {
public:
    explicit WideSum(size_t runs) : runs_(runs) {
        for (auto& lane : lane_) std::fill_n(lane.data(), runs, 0.0);
    }

    // The next features of the row: a multiple of four of them, but for the last time.
    void add(const double* const* places, size_t at, const float* x, size_t features);
    void add(const double* const* places, size_t at, const double* x, size_t features);

    Wide total() const;

private:
    const size_t runs_;
    std::array<std::array<double, Wide::most>, 4> lane_;
};

// Adds x times the numbers of the runs to what each feature has.
void add_multiples(const double* numbers, size_t runs, double* const* places, size_t at, const float* x,
                   size_t features);
void add_multiples(const double* numbers, size_t runs, double* const* places, size_t at, const double* x,
                   size_t features);

}  // namespace sparselin
