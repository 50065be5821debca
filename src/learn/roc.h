// The area under the ROC curve: the part of all pairs of a positive and a negative row in which the positive one has
// the higher score, ties counting half, each pair by the product of its weights (Mann and Whitney).
//
// Takes the scores from the lowest to the highest, as a ScoreMerge gives them.
#pragma once

#include "scores.h"
#include "sum.h"

#include <limits>

namespace sparselin {

class RocCurve {
public:
    bool take(Stack stack, uint64_t order, double weight) {
        if (order != order_) {
            end_tie();
            order_ = order;
        }
        (stack == Stack::positive || (stack == Stack::weighted && weight > 0) ? positive_ : negative_) +=
            std::fabs(weight);
        return true;
    }

    // NaN where all rows are of one class.
    double area() {
        end_tie();
        if (positives_.value() == 0 || below_.value() == 0) return std::numeric_limits<double>::quiet_NaN();
        return pairs_.value() / positives_.value() / below_.value();
    }

private:
    void end_tie() {
        pairs_.add(positive_ * (below_.value() + negative_ / 2));
        positives_.add(positive_);
        below_.add(negative_);
        positive_ = negative_ = 0;
    }

    uint64_t order_ = 0;
    double positive_ = 0, negative_ = 0;  // of the scores that are equal
    Sum positives_, below_, pairs_;       // of those that are lower
};

}  // namespace sparselin
