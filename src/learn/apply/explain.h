// What each feature of a row adds to its score: weight times value. With the bias they add up to the score.
#pragma once

#include "apply/predictor.h"

namespace sparselin {

struct Contribution {
    int32_t index;  // 0-based
    float value;
    double weight;
    double product;
};

// Of the features that add most, or take most away: at most `top`, the largest first, equal ones by index. Those whose
// weight is 0 are there too, at the end. An Error where the score is one.
Vector<Contribution> explain(const Predictor& predictor, const SparseRow& row, size_t top, Memory memory,
                             StopSign stop);

}  // namespace sparselin
