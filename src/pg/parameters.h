// The settings that a session can change: sparselin.*
#pragma once

#include "pg.h"

namespace sparselin {

// In kB: rows that take more are learned from where they are.
extern int max_shipped_state;

}  // namespace sparselin
