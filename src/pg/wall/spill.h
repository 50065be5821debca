// The temporary file that all groups of an aggregate share: one of PostgreSQL's own, so temp_file_limit,
// temp_tablespaces and the clean-up after errors apply. Not its BufFile, through whose buffer all would go once more,
// page by page: what is written and read here are blocks.
//
// It is found by the aggregate context, and made when the first group needs it. C zone only.
#pragma once

#include "learn/base/block_store.h"
#include "wall/guard.h"

namespace sparselin {

struct SpillFile;

// For one more user of the file of the aggregate under way and its context.
SpillFile* open_spill_file(FunctionCallInfo fcinfo, MemoryContext aggregate);

// One user less, who may have none: nullptr then, and after it. The last one closes the file.
void leave_spill_file(SpillFile*& left);

// Appends, and returns where.
int64 spill(SpillFile* file, const char* data, Size size);

void read_spilled(SpillFile* file, int64 position, char* target, Size size);

// The bytes of a block, from memory or from the file.
void copy_block(SpillFile* file, const Block& block, char* target);

// The blocks of a store that are in memory and hold `least` bytes or more.
template <typename Store>
void spill_blocks(SpillFile* file, Store& store, Size least) {
    const Size count = store.blocks().size();
    for (Size number = 0; number < count; ++number) {
        const Block& block = store.blocks()[number];
        if (!block.in_memory() || block.used < least) continue;
        CHECK_FOR_INTERRUPTS();
        const int64 position = spill(file, block.data, block.used);
        guarded([&] { store.written(number, position); });
    }
}

}  // namespace sparselin
