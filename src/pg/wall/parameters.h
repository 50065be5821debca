// The settings of a session, sparselin.* and work_mem, and the limits of memory.
#pragma once

#include "wall/pg.h"

namespace sparselin {

// In kB: a part with rows that take more learns from them where it is.
extern int max_shipped_state;

// In ms, 0 for never: how often a NOTICE tells how training gets on.
extern int progress_interval;

// In bytes.
inline Size work_memory() {
    return static_cast<Size>(work_mem) * 1024;
}

// The most bytes in a value of variable length.
constexpr Size max_value_size = MaxAllocSize - VARHDRSZ;

// The most bytes of a model's text form, and of its value: what one chunk of memory takes, less the closing zero.
constexpr Size max_model_size = MaxAllocSize - 1;

}  // namespace sparselin
