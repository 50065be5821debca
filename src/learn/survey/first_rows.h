// What the first 1000 rows learned from say of each feature by itself, for two words of advice. Only the first 4096
// features are looked at, and the table goes once 1000 rows have been seen: this must cost next to nothing.
//
// Whether features differ in scale. The range of a feature is its largest less its smallest value, 0 being a value
// where a row lacks it. Features that never change say nothing, and so do a few rows.
//
// Whether one feature alone tells the labels: as a rule it is the label itself, left among the features, or what was
// known only after it. It tells a label by its sign, 0 being the value where a row lacks it, or by a threshold with no
// row on the wrong side, and is told of where it is right about more than 99.5 % of the rows, with at most a tenth of
// the errors of always saying the more frequent label. There are two labels: with more of them no feature alone tells
// them all. A few rows prove nothing: among thousands of words one may well be in those of one label alone.
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

// By its 0-based index; -1: none.
struct Telltale {
    int32_t feature = -1;
    uint32_t rows = 0, errors = 0;
};

class FirstRows {
public:
    static constexpr uint32_t most_rows = 1000;
    static constexpr uint32_t fewest_for_scale = 8, fewest_for_telltale = 100, fewest_of_a_label = 10;

    // What is to be told.
    struct Wanted {
        bool scale, telltale;
        bool any() const { return scale || telltale; }
    };

    FirstRows(Wanted wanted, Memory memory) : wanted_(wanted), memory_(memory), features_(memory) {}

    // Before the first row: about how many features there are.
    void make_room_for(const FeatureWidths& features) { features_.begin_for(features, StopSign(), most_features); }

    void add(const SparseRow& x, double y, StopSign stop);

    // Whether rows that come now change nothing.
    bool have_ended() const { return ended_; }

    // Of equal ranges that of the lower index.
    ScaleGap scale_gap() const { return ended_ ? gap_ : judge_scale(); }

    // Of several the one with the fewest errors, and of these that of the lowest index.
    Telltale telltale() const { return ended_ ? telltale_ : judge_labels(); }

private:
    static constexpr uint32_t most_features = 4096;

    // Of the rows of a label that have the feature.
    struct Side {
        uint32_t above, below;  // 0
        float low, high;
        uint32_t rows() const { return above + below; }
        void note(float value);
        Side with_zeros(uint32_t all_rows) const;
    };
    struct Feature {
        Side of[2];
        uint32_t rows() const { return of[0].rows() + of[1].rows(); }
    };

    uint32_t rows() const { return rows_[0] + rows_[1]; }
    int side_of(double y);
    void note(Feature& feature, float value, int side);
    void note_one_by_one(const SparseRow& x, int side, StopSign stop);
    uint32_t errors(const Feature& feature) const;
    ScaleGap judge_scale() const;
    Telltale judge_labels() const;
    void end();

    Wanted wanted_;
    Memory memory_;
    FeatureTable<Feature> features_;
    uint32_t used_ = 0;
    double label_[2] = {0, 0};
    uint32_t rows_[2] = {0, 0};
    bool ended_ = false;
    ScaleGap gap_;
    Telltale telltale_;
};

}  // namespace sparselin
