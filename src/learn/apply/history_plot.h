// The history of a model as a picture: SVG on one line, which needs nothing beside itself.
#pragma once

#include "model/model.h"

namespace sparselin {

// Steps go across in powers of two, since the history does. The loss goes up from 0, or in powers of ten where it falls
// by more than a factor of 100.
String plot_history(const Model& model, Memory memory);

}  // namespace sparselin
