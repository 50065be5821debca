// Sums over rows at a model (learn/apply/loss_sums.h), as SQL has them: the state of the aggregates around it, and the
// bytes in which they travel. C zone only.
#pragma once

#include "learn/apply/loss_sums.h"
#include "wall/guard.h"

namespace sparselin {

// The sums in a value that sparselin_gradient_sums, or _total, has made; in this memory.
LossSums* read_sums(const bytea* bytes, ContextMemory* memory);

}  // namespace sparselin
