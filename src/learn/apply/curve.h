// What comes of every threshold: how many rows of two classes are taken for positive, rightly and wrongly.
//
// Takes the scores from the lowest to the highest, as OrderedScores gives them. Scores of one level are a tie, which no
// threshold parts; each level, and the lowest threshold that there can be, is a point. Where there are more than `most`
// of them, the points are those that lie evenly along the ROC curve, whose length is one for each class: two that are
// neighbours differ by no more than a tie and 2/(most - 1) of a class, however rare the class is.
#pragma once

#include "apply/levels.h"
#include "apply/scores.h"
#include "base/sum.h"

namespace sparselin {

// Rows are taken for positive whose level is above the threshold. NaN where there is nothing to divide by.
struct CurvePoint {
    double threshold;
    double true_positives, false_positives, true_negatives, false_negatives;  // sums of weights
    double precision, recall, false_positive_rate;
    double lift;  // how often more than among all rows a positive one is among those taken for it
};

class Curve {
public:
    static constexpr size_t most = 200;

    // For rows of so much weight in each class.
    Curve(Loss loss, double positives, double negatives, Memory memory)
        : levels_(loss), totals_{negatives, positives}, all_(memory), spread_(memory) {}

    bool take(Stack stack, uint64_t order, double weight);

    // From the highest threshold to the lowest. None where there are no rows.
    Vector<CurvePoint> finish();

private:
    // What is not above the threshold.
    struct Cut {
        double threshold;
        Sum negatives, positives;
    };

    double progress() const;
    void end_tie();
    CurvePoint point_of(const Cut& cut) const;

    Levels levels_;
    double totals_[2];  // of negatives, positives
    bool begun_ = false;
    uint64_t order_ = 0;
    Cut cut_{};           // of the level at hand and those below it
    Vector<Cut> all_;     // while there are no more than `most`
    Vector<Cut> spread_;  // those that lie evenly
    size_t cuts_ = 0, steps_ = 0;
};

}  // namespace sparselin
