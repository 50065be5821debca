// The state of a training aggregate as bytes that go to another process.
//
// The bytes of Training::save, zeros up to where a row may lie, and the rows that nobody has learned from yet, as they
// lie in their blocks.
#pragma once

#include "train/train_state.h"

namespace sparselin {

// What follows belongs to the C zone.

struct StateBytes {
    std::span<const char> head;  // all that is not rows, in the context that was current
    Size size;                   // of all
};

// An error where they would be too many.
StateBytes bytes_of(const TrainState* state);

// Whole blocks at a time.
void write_bytes(const TrainState* state, const StateBytes& bytes, char* target);

// The rows of one block as they travel, from memory or from the file.
void write_block(const TrainState* state, const Block& block, char* target);

// A part as it was serialized, to be taken in before the bytes go away.
TrainState* read_part(std::span<const char> bytes);

// Of each of which there is a part: "process" or "partition"; and the setting that makes a plan without parts.
const char* whose_part();
const char* setting_against_parts();

}  // namespace sparselin
