// The temporary file that all groups of an aggregate share: PostgreSQL's own BufFile, so temp_file_limit,
// temp_tablespaces and the clean-up after errors apply.
//
// It is found by the aggregate context, and made when the first group needs it. C zone only.
#pragma once

#include "wall/pg.h"

namespace sparselin {

struct SpillFile;

// For one more user of the file of the aggregate under way and its context.
SpillFile* open_spill_file(FunctionCallInfo fcinfo, MemoryContext aggregate);

// One user less; the last one closes the file.
void leave_spill_file(SpillFile* file);

// Appends, and returns where.
int64 spill(SpillFile* file, const char* data, Size size);

void read_spilled(SpillFile* file, int64 position, char* target, Size size);

}  // namespace sparselin
