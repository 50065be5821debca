// A row on the wire, in network byte order, as pgvector sends its sparsevec: dimension, number of non-zeros and
// a zero (int4 each), the 0-based indices (int4), the values (float4).
#pragma once

#include "rows/sparse.h"

namespace sparselin {

size_t sparse_wire_size(const SparseRow& row);

// Writes sparse_wire_size(row) bytes.
void encode_sparse(const SparseRow& row, char* bytes, StopSign stop);

// Reads all of `bytes` and validates; nothing is allocated before the lengths agree.
SparseVector decode_sparse(std::span<const char> bytes, Memory memory, StopSign stop);

}  // namespace sparselin
