// Whether features differ in scale, told by the first 1000 rows learned from: the range of a feature is its largest
// less its smallest value, 0 being a value where a row lacks it.
//
// Features that never change say nothing, and so do a few rows. Only the first 4096 features are looked at, and the
// table goes once 1000 rows have been seen: this is for a word of advice, and must cost next to nothing.
#pragma once

#include "rows/example.h"
#include "base/slab.h"

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

    void add(const SparseRow& x, StopSign stop) {
        if (rows_ == most_rows) return;
        each_of(x.nnz, stop, [&](int32_t i) { note(x.index[i], x.value[i]); });
        if (++rows_ < most_rows) return;
        found_ = judge();
        cells_ = Slab<Cell>(memory_);
    }

    ScaleGap gap() const { return rows_ == most_rows ? found_ : judge(); }

private:
    struct Cell {
        uint32_t key;    // index + 1; 0: free
        uint32_t count;  // of rows that have the feature
        float low, high;
    };

    static constexpr size_t smallest_table = 8, largest_table = 8192;

    Cell& probe(uint32_t key) {
        size_t i = key * uint64_t{0x9e3779b97f4a7c15} >> 32 & (cells_.size() - 1);
        while (cells_[i].key != key && cells_[i].key != 0) i = (i + 1) & (cells_.size() - 1);
        return cells_[i];
    }

    void note(int32_t index, float value) {
        const uint32_t key = static_cast<uint32_t>(index) + 1;
        if (cells_.size() == 0) grow();
        Cell* cell = &probe(key);
        if (cell->key == 0) {
            if (used_ == largest_table / 2) return;
            if (++used_ > cells_.size() - cells_.size() / 4) {
                grow();
                cell = &probe(key);
            }
            *cell = {key, 0, value, value};
        }
        ++cell->count;
        cell->low = std::min(cell->low, value);
        cell->high = std::max(cell->high, value);
    }

    void grow() {
        Slab<Cell> old =
            std::exchange(cells_, Slab<Cell>(memory_, std::max(smallest_table, cells_.size() * 2), StopSign()));
        for (size_t i = 0; i < old.size(); ++i)
            if (old[i].key != 0) probe(old[i].key) = old[i];
    }

    // Of equal ranges the one of the lower index.
    ScaleGap judge() const {
        ScaleGap gap;
        if (rows_ < fewest_rows) return gap;
        for (size_t i = 0; i < cells_.size(); ++i) {
            const Cell& cell = cells_[i];
            const float zero_low = cell.count < rows_ ? 0 : cell.low, zero_high = cell.count < rows_ ? 0 : cell.high;
            const double range = double{std::max(cell.high, zero_high)} - double{std::min(cell.low, zero_low)};
            if (cell.key == 0 || range == 0) continue;
            const int32_t index = static_cast<int32_t>(cell.key - 1);
            if (gap.narrow < 0 || range < gap.least || (range == gap.least && index < gap.narrow)) {
                gap.narrow = index;
                gap.least = range;
            }
            if (range > gap.most || (range == gap.most && index < gap.wide)) {
                gap.wide = index;
                gap.most = range;
            }
        }
        return gap;
    }

    Memory memory_;
    Slab<Cell> cells_;
    uint32_t used_ = 0, rows_ = 0;
    ScaleGap found_;
};

}  // namespace sparselin
