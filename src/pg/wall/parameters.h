// The settings that a session can change: sparselin.*
#pragma once

#include "wall/pg.h"

namespace sparselin {

// In kB: rows that take more are learned from where they are.
extern int max_shipped_state;

// In ms, 0 for never: how often a NOTICE tells how training gets on.
extern int progress_interval;

}  // namespace sparselin
