// What the threshold of a decision is compared with, for two classes: the probability of the positive one where the
// loss gives it, else the score. A row is taken for positive if its level is above the threshold.
#pragma once

#include "apply/predictor.h"

#include <limits>

namespace sparselin {

class Levels {
public:
    explicit Levels(Loss loss) : are_probabilities_(gives_probabilities(loss)) {}

    double of(double score) const { return are_probabilities_ ? sigmoid(score) : score; }

    // The lowest threshold that there can be.
    double lowest() const { return are_probabilities_ ? 0 : -std::numeric_limits<double>::infinity(); }

private:
    bool are_probabilities_;
};

// An Error for what is no threshold of a model with this loss.
void check_threshold(Loss loss, double threshold);

}  // namespace sparselin
