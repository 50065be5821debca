// The area under the ROC curve: the part of all pairs of a positive and a negative row in which the positive one has
// the higher score, ties counting half, each pair by the product of its weights (Mann and Whitney).
//
// Takes the scores from the lowest to the highest, as OrderedScores gives them. Weights are counted in powers of two
// near the sums of their classes, so that products of tiny or huge ones stay in range: to the bit what they are
// without.
#pragma once

#include "apply/scores.h"
#include "base/sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparselin {

class RocCurve {
public:
    RocCurve() = default;

    // For rows of so much weight in each class.
    RocCurve(double positives, double negatives) : scales_{scale_for(negatives), scale_for(positives)} {}

    bool take(Stack stack, uint64_t order, double weight) {
        if (order != order_) {
            end_tie();
            order_ = order;
        }
        const bool positive = is_positive(stack, weight);
        (positive ? positive_ : negative_) += std::fabs(weight) * scales_[positive];
        return true;
    }

    // NaN where all rows are of one class.
    double area() {
        end_tie();
        if (positives_.value() == 0 || below_.value() == 0) return std::numeric_limits<double>::quiet_NaN();
        return pairs_.value() / positives_.value() / below_.value();
    }

private:
    // Both it and its inverse are normal numbers.
    static double scale_for(double sum) { return std::ldexp(1, -std::clamp(std::ilogb(sum), -1000, 1000)); }

    void end_tie() {
        pairs_.add(positive_ * (below_.value() + negative_ / 2));
        positives_.add(positive_);
        below_.add(negative_);
        positive_ = negative_ = 0;
    }

    double scales_[2] = {1, 1};  // of negative, positive weights
    uint64_t order_ = 0;
    double positive_ = 0, negative_ = 0;  // of the scores that are equal
    Sum positives_, below_, pairs_;       // of those that are lower
};

}  // namespace sparselin
