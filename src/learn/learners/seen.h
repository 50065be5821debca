// What a step saw, before it changed anything.
#pragma once

namespace sparselin {

struct Seen {
    double loss;       // of the prediction
    double idle_loss;  // of predicting 0, or what a step from there predicts, where that is worse
    bool finite;       // whether the prediction was a number; a lone run for which it was not has changed nothing
};

}  // namespace sparselin
