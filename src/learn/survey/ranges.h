// Whether features differ in scale, told by the first 1000 rows learned from: the range of a feature is its largest
// less its smallest value, 0 being a value where a row lacks it.
//
// Features that never change say nothing, and so do a few rows. Only the first 4096 features are looked at, and the
// table goes once 1000 rows have been seen: this is for a word of advice, and must cost next to nothing.
#pragma once

#include "rows/feature_table.h"

namespace sparselin {

// The features with the narrowest and the widest range, by their 0-based index; -1: none to speak of.
struct ScaleGap {
    int32_t narrow = -1, wide = -1;
    double least = 0, most = 0;

    static constexpr double tolerated = 1000;
    bool is_wide() const { return narrow >= 0 && most / least > tolerated; }
};

class Ranges {
public:
    static constexpr uint32_t fewest_rows = 8, most_rows = 1000;

    explicit Ranges(Memory memory) : memory_(memory), cells_(memory) {}

    // Before the first row: about how many features there are.
    void make_room_for(const FeatureWidths& features) { cells_.begin_for(features, StopSign(), most_features); }

    void add(const SparseRow& x, StopSign stop) {
        if (rows_ == most_rows) return;
        each_of(x.nnz, stop, [&](int32_t i) { note(x.index[i], x.value[i]); });
        if (++rows_ < most_rows) return;
        found_ = judge();
        cells_ = FeatureTable<Cell>(memory_);
    }

    // Whether rows that come now change nothing.
    bool has_ended() const { return rows_ == most_rows; }

    ScaleGap gap() const { return rows_ == most_rows ? found_ : judge(); }

private:
    struct Cell {
        double rows;  // that have the feature
        float low, high;
    };

    static constexpr uint32_t most_features = 4096;

    void note(int32_t index, float value) {
        if (used_ == most_features && !cells_.has(index)) return;
        Cell& cell = cells_.at(index, StopSign());
        if (cell.rows == 0) {
            cell = {0, value, value};
            ++used_;
        }
        cell = {cell.rows + 1, std::min(cell.low, value), std::max(cell.high, value)};
    }

    // Of equal ranges the one of the lower index.
    ScaleGap judge() const {
        ScaleGap gap;
        if (rows_ < fewest_rows) return gap;
        cells_.walk(StopSign(), [&](int32_t index, Cell cell) {
            if (cell.rows < rows_) cell = {cell.rows, std::min(cell.low, 0.0f), std::max(cell.high, 0.0f)};
            const double range = double{cell.high} - double{cell.low};
            if (range == 0) return;
            if (gap.narrow < 0 || range < gap.least) {
                gap.narrow = index;
                gap.least = range;
            }
            if (range > gap.most) {
                gap.wide = index;
                gap.most = range;
            }
        });
        return gap;
    }

    Memory memory_;
    FeatureTable<Cell> cells_;
    uint32_t used_ = 0, rows_ = 0;
    ScaleGap found_;
};

}  // namespace sparselin
