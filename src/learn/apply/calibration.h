// Whether probabilities are what they say: rows of two classes in bins by their probability, of the same weight each,
// and in each bin the mean probability beside the share of positives.
//
// Takes the scores from the lowest to the highest, as OrderedScores gives them. With weight W in all, rows that have s
// below them are in bin floor(bins s/W); those of one probability stay together, so bins may be larger or missing. A
// weight of 2 is a row twice.
#pragma once

#include "apply/scores.h"
#include "base/sum.h"

namespace sparselin {

struct CalibrationBin {
    int32_t bin;  // from 1
    double rows;  // the sum of their weights
    double predicted, observed;
};

class Calibration {
public:
    // For rows of so much weight.
    Calibration(int32_t bins, double weight, Memory memory) : bins_(bins), weight_(weight), done_(memory) {}

    bool take(Stack stack, uint64_t order, double weight);

    // By ascending probability, without empty ones.
    Vector<CalibrationBin> finish();

private:
    int32_t bin_of_rest() const;
    void end_bin();

    int32_t bins_;
    double weight_;
    Vector<CalibrationBin> done_;
    int32_t bin_ = 0;  // 0: none yet
    uint64_t order_ = 0;
    double probability_ = 0;
    Sum below_;                         // of all that came
    Sum rows_, predicted_, positives_;  // of the bin
};

}  // namespace sparselin
