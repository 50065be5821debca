// How learners see their rows: x_j / s_j - mu_j, mu being 0 but for casgd.
#pragma once

#include "rows/scale.h"

namespace sparselin {

// The point that casgd centres its rows at: ascending 0-based indices with their values.
struct Centre {
    explicit Centre(Memory memory) : index(memory), mu(memory) {}
    Vector<int32_t> index;
    Vector<double> mu;
};

struct Frame {
    explicit Frame(Memory memory) : centre(memory), scale(memory) {}
    Centre centre;
    Scale scale;
};

}  // namespace sparselin
