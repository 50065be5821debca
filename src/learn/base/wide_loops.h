// The loops over the features of a row that have the numbers of many runs side by side. They go through the features
// once for as many runs as a processor has registers for; each run's numbers see the same operations in the same order
// as if it were alone.
#pragma once

#include "base/wide.h"

namespace sparselin {

// Features, each of which has the numbers of the runs `at` numbers behind its place, and a value in the row.
template <typename Number>
struct FeaturesAt {
    Number* const* places;
    size_t at;
    const double* x;
    size_t count;
};

// Cells that are wanted soon. They lie far apart, and not all of them in a cache: with each of its own steps a loop has
// the memory bring another line of them, so that neither waits for the other.
class CellsAhead {
public:
    CellsAhead() = default;  // none
    CellsAhead(const double* const* cells, size_t count, size_t numbers)
        : cells_(cells), last_(cells + count), numbers_(numbers) {}

    bool any() const { return line_ < end_ || cells_ != last_; }

    [[gnu::always_inline]] void ask() {
        if (line_ >= end_) {
            if (cells_ == last_) return;
            line_ = *cells_++;
            end_ = line_ + numbers_;
            bring(end_ - 1);
        }
        bring(line_);
        line_ += 64 / sizeof(double);
    }

private:
    [[gnu::always_inline]] static void bring(const double* number) { __builtin_prefetch(number, 1, 2); }

    const double *const *cells_ = nullptr, *const *last_ = nullptr;
    size_t numbers_ = 0;
    const double *line_ = nullptr, *end_ = nullptr;  // of the cell that is on its way
};

// The sum of a row's products in the order of sum_over() (sparse.h): four lanes, each of them of many runs.
class WideSum {
public:
    explicit WideSum(size_t runs) : runs_(runs) {
        for (auto& lane : lane_) std::fill_n(lane.data(), runs, 0.0);
    }

    // The next features of the row: a multiple of four of them, but for the last time.
    void add(const FeaturesAt<const double>& features, CellsAhead& ahead);

    Wide total() const;

private:
    const size_t runs_;
    std::array<std::array<double, Wide::most>, 4> lane_;  // one behind the other
};

// Adds x times the numbers of the runs to what each feature has.
void add_multiples(const double* numbers, size_t runs, const FeaturesAt<double>& features, CellsAhead& ahead);

}  // namespace sparselin
