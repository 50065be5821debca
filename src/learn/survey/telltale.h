// Whether one feature alone tells the labels of the first 1000 rows learned from: as a rule it is the label itself,
// left among the features, or what was known only after it.
//
// A feature tells a label by its sign, 0 being the value where a row lacks it, or by a threshold with no row on the
// wrong side. It is told of where it is right about more than 99.5 % of the rows, with at most a tenth of the errors of
// always saying the more frequent label. There are two labels: with more of them no feature alone tells them all.
//
// A few rows prove nothing: among thousands of words one may well be in those of one label alone. Only the first 4096
// features are looked at, and the table goes once 1000 rows have been seen. Cost: O(non-zeros) of these.
#pragma once

#include "rows/feature_table.h"

namespace sparselin {

class Telltale {
public:
    static constexpr uint32_t most_rows = 1000, fewest_rows = 100, fewest_of_a_label = 10;

    // By its 0-based index; -1: none.
    struct Found {
        int32_t feature = -1;
        uint32_t rows = 0, errors = 0;
    };

    explicit Telltale(Memory memory) : memory_(memory), cells_(memory) {}

    // Before the first row: about how many features there are.
    void make_room_for(const FeatureWidths& features) { cells_.begin_for(features, StopSign(), most_features); }

    void add(const SparseRow& x, double y, StopSign stop);

    // Whether rows that come now change nothing.
    bool has_ended() const { return ended_; }

    // Of several the one with the fewest errors, and of these that of the lowest index.
    Found found() const { return ended_ ? found_ : judge(); }

private:
    static constexpr uint32_t most_features = 4096;

    // Of the rows of a label that have the feature.
    struct Side {
        uint32_t above, below;  // 0
        float low, high;
        uint32_t rows() const { return above + below; }
    };
    struct Cell {
        Side of[2];
    };

    void note(int32_t index, float value, int label);
    uint32_t errors(const Cell& cell) const;
    Found judge() const;
    void end();

    Memory memory_;
    FeatureTable<Cell> cells_;
    uint32_t used_ = 0;
    double label_[2] = {0, 0};
    uint32_t rows_[2] = {0, 0};
    bool ended_ = false;
    Found found_;
};

}  // namespace sparselin
