// How far features spread over the rows of a call: what `scale` divides them by, and the mean that casgd learns around.
//
//   std       the standard deviation over all rows (population), rows that lack the feature counting as 0
//   maxabs    the largest |x|
//   idf       1 / (log((1 + rows) / (1 + rows that have the feature)) + 1): the inverse document frequency is
//   multiplied by
//
// Where the deviation is at most 1e-6 of the largest |x|, the feature is as good as constant, and the largest |x|
// takes its place: so nothing is divided by 0.
// Invariant: a cell has count, mean and M2 = sum (x - mean)^2 of the values that are there (Welford), so that 123456.7
// in every row is exactly constant; the rows without the feature come in at the end (Chan).
#pragma once

#include "options/options.h"
#include "rows/feature_table.h"
#include "rows/frame.h"

#include <cmath>

namespace sparselin {

class Spread {
public:
    Spread(Scaling scaling, Memory memory) : scaling_(scaling), memory_(memory), cells_(memory) {}

    // Before the first row: about how many features there are.
    void make_room_for(const FeatureWidths& features, StopSign stop) { cells_.begin_for(features, stop); }

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

inline double Spread::scale_of(const Cell& cell) const {
    const double rows = static_cast<double>(rows_);
    if (scaling_ == Scaling::maxabs) return cell.largest;
    if (scaling_ == Scaling::idf) return 1 / inverse_frequency(cell.count, rows);
    const double lacking = (rows - cell.count) / rows;
    const double M2 = cell.M2 + cell.mean * cell.mean * cell.count * lacking;
    const double s = std::sqrt(M2 / rows);
    return s <= 1e-6 * cell.largest ? cell.largest : s;
}

inline void Spread::write(Frame& frame, bool centre_unknown, StopSign stop) const {
    const double rows = static_cast<double>(rows_);
    Centre scaled(memory_);
    cells_.walk(stop, [&](int32_t index, const Cell& cell) {
        const double s = scale_of(cell);
        frame.scale.set(index, s, stop);
        if (!centre_unknown) return;
        scaled.index.push_back(index);
        scaled.mu.push_back(cell.mean * (cell.count / rows) / s);
    });
    if (const Centre* const given = frame.centre(); given != nullptr && !centre_unknown) {
        scaled.index.reserve(given->index.size());
        scaled.mu.reserve(given->index.size());
        each_below(given->index.size(), stop, [&](size_t j) {
            // A feature of the centre alone has a weight as well, and so counts as one that was seen.
            if (frame.keeps_scale() && !frame.scale.has(given->index[j])) frame.scale.set(given->index[j], 1, stop);
            scaled.index.push_back(given->index[j]);
            scaled.mu.push_back(given->mu[j] / frame.scale.of(given->index[j]));
        });
    }
    if (scaled.index.empty()) return;
    frame.make_centre().index.swap(scaled.index);
    frame.make_centre().mu.swap(scaled.mu);
}

// The mean of sparse rows: the centre that casgd learns around.
class Mean {
public:
    explicit Mean(Memory memory) : sums_(memory) {}

    void make_room_for(const FeatureWidths& features, StopSign stop) { sums_.begin_for(features, stop); }

    template <typename Value>
    void add(const RowOf<Value>& x, StopSign stop) {
        sums_.with_cells(x, stop,
                         [&](auto sum) { each_of(x.nnz, stop, [&](int32_t i) { sum(i) += double{x.value[i]}; }); });
        ++rows_;
    }

    void write(Centre& centre, StopSign stop) const {
        centre.index.clear();
        centre.mu.clear();
        sums_.walk(stop, [&](int32_t index, double sum) {
            centre.index.push_back(index);
            centre.mu.push_back(sum / static_cast<double>(rows_));
        });
    }

private:
    FeatureTable<double> sums_;
    int64_t rows_ = 0;
};

}  // namespace sparselin
