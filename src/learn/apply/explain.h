// What each feature of a row adds to the score of a class: weight times value, and times what brings the row to length
// 1 where the model does that. With the bias they add up to the score.
#pragma once

#include "apply/verdict.h"

#include <optional>

namespace sparselin {

struct Contribution {
    int32_t index;  // 0-based
    float value;
    double weight;
    double product;
};

struct Explanation {
    Vector<Contribution> features;
    double bias;
};

// Where no class is named: of several the one that the model takes the row for, of two that share a run the positive
// one. Of the features that add most, or take most away: at most `top`, the largest first, equal ones by index. Those
// whose weight is 0 are there too, at the end. An Error where the score is one.
Explanation explain(const Predictor& predictor, const SparseRow& row, std::optional<std::string_view> class_name,
                    size_t top, Memory memory, StopSign stop);

}  // namespace sparselin
