// A row as text: {1:0.5,7:2}/10. Indices from 1, the shortest numbers that read back exactly, the dimension
// only where it is known.
#pragma once

#include "rows/sparse.h"

namespace sparselin {

// Accepts indices in any order, zeros (dropped) and white space between the parts. Linear.
SparseVector parse_sparse(std::string_view text, Memory memory, StopSign stop);

// Room that is always enough for a row's text.
size_t sparse_text_bound(const SparseRow& row);

// Writes the text and returns its length; an Error when it does not fit.
size_t print_sparse(const SparseRow& row, std::span<char> room, StopSign stop);

// The same as a string.
String print_sparse(const SparseRow& row, Memory memory, StopSign stop);

}  // namespace sparselin
