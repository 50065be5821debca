// How far features spread over the rows of a call: what `scale` divides them by, and the mean that casgd learns around.
//
//   std       the standard deviation over all rows (population), rows that lack the feature counting as 0
//   maxabs    the largest |x|
//
// Where the deviation is at most 1e-6 of the largest |x|, the feature is as good as constant, and the largest |x|
// takes its place: so nothing is divided by 0.
// Invariant: a cell has count, mean and M2 = sum (x - mean)^2 of the values that are there (Welford), so that 123456.7
// in every row is exactly constant; the rows without the feature come in at the end (Chan).
#pragma once

#include "options/options.h"
#include "rows/frame.h"

#include <cmath>

namespace sparselin {

class Spread {
public:
    Spread(Scaling scaling, Memory memory) : scaling_(scaling), memory_(memory), cells_(memory) {}

    void add(const SparseRow& x, StopSign stop) {
        cells_.with_cells(
            x, stop, [&](auto cell) { each_of(x.nnz, stop, [&](int32_t i) { cell(i).add(double{x.value[i]}); }); });
        ++rows_;
    }

    // Fills in the scale and puts the centre, a given one or the mean, into scaled coordinates: mu/s. To be repeated
    // after Interrupted, but not after that.
    void write(Frame& frame, bool centre_unknown, StopSign stop) const;

private:
    struct Cell {
        double count, mean, M2, largest;

        void add(double x) {
            count += 1;
            const double delta = x - mean;
            mean += delta / count;
            M2 += delta * (x - mean);
            largest = std::max(largest, std::fabs(x));
        }
    };

    double scale_of(const Cell& cell) const;

    Scaling scaling_;
    Memory memory_;
    FeatureTable<Cell> cells_;
    int64_t rows_ = 0;
};

}  // namespace sparselin
