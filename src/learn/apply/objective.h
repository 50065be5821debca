// What training minimises: F(w, b) = the mean loss + what the learner adds to it.
#pragma once

#include "model/model.h"

namespace sparselin {

// lambda/2 (|w|^2 + b^2) with the centred bias for b; elasticnet, which leaves its bias alone: lambda/2 |w|^2 + l1
// |w|_1. NaN where the model does not tell: what it learned on a scale was added up for weights on that scale. Of
// several runs: the mean of theirs, as their losses are; but all together where the loss is one of all.
double penalty_of(const Model& model, Memory memory, StopSign stop);

}  // namespace sparselin
