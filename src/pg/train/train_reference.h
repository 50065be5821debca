// A part that stays in its process: the rows of a partition, or a plan's own share of them beside its workers'. It goes
// from the node that made it to the one that puts all together as a reference, and its rows are handed over block by
// block, so that no more than one part is there twice.
//
// To all that takes apart a varlena the reference stands for the bytes of the serialized state. They are made when
// somebody asks: an engine of its own may keep what a partial plan gives, or send it somewhere.
#pragma once

#include "train/train_state.h"

namespace sparselin {

// What follows belongs to the C zone.

// Whether a serialization function was called by a node whose states stay where they are until the plan ends, in the
// process that puts them together. A node of groups may free the memory of one group before another is done.
bool stays_in_process(FunctionCallInfo fcinfo);

// `aggregate`: the context of the state.
Datum reference_to(TrainState* state, MemoryContext aggregate);

// An error for a state that is not there any more.
void refuse_ended(const TrainState* state);

// nullptr for a value that is no reference.
TrainState* referred_state(Datum value);

}  // namespace sparselin
