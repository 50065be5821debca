// A sparse row as the learners see it: where its numbers lie, and the one check that they may be trusted.
#pragma once

#include "error.h"

namespace sparselin {

constexpr int64_t max_index = 2147483647;  // as users count, from 1

// Ascending 0-based indices with their values; dim 0 means "not said".
struct SparseRow {
    const int32_t* index = nullptr;
    const float* value = nullptr;
    int32_t nnz = 0;
    int32_t dim = 0;

    // The largest 0-based index, -1 for an empty row.
    int32_t last() const { return nnz == 0 ? -1 : index[nnz - 1]; }
};

// The one door check: indices ascending, distinct, within the dimension; values finite and not zero.
void validate(const SparseRow& row);

// Two known dimensions must be equal; returns the known one, or 0.
int32_t common_dimension(int32_t a, int32_t b);

}  // namespace sparselin
