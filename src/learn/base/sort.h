// Sorting in linear time, and so that it can be cancelled.
#pragma once

#include "base/error.h"

namespace sparselin {

// Ascending by the upper half of each word; what the lower half holds goes along.
void sort_by_upper_half(Vector<uint64_t>& words, StopSign stop);

}  // namespace sparselin
