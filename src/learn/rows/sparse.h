// A sparse row as the learners see it: where its numbers lie, and the one check that they may be trusted.
#pragma once

#include "base/error.h"

namespace sparselin {

constexpr int64_t max_index = 2147483647;  // as users count, from 1

// Ascending 0-based indices with their values; dim 0 means "not said".
template <typename Value>
struct RowOf {
    const int32_t* index = nullptr;
    const Value* value = nullptr;
    int32_t nnz = 0;
    int32_t dim = 0;

    // The largest 0-based index, -1 for an empty row.
    int32_t last() const { return nnz == 0 ? -1 : index[nnz - 1]; }
};

using SparseRow = RowOf<float>;

// A row that owns its numbers.
struct SparseVector {
    explicit SparseVector(Memory memory, int32_t dimension = 0) : index(memory), value(memory), dim(dimension) {}

    Vector<int32_t> index;
    Vector<float> value;
    int32_t dim;

    void push_back(int32_t i, float x) {
        index.push_back(i);
        value.push_back(x);
    }
    void reserve(size_t n) {
        index.reserve(n);
        value.reserve(n);
    }
    SparseRow row() const { return {index.data(), value.data(), static_cast<int32_t>(index.size()), dim}; }
};

// The one door check: indices ascending, distinct, within the dimension; values finite and not zero. Whoever uses an
// index of a row as a place in memory has it checked first: what is stored may have been damaged.
void validate(const SparseRow& row, StopSign stop);

// The same for row `number` of a call, counted from 1, which the error names.
void validate(const SparseRow& row, int64_t number, StopSign stop);

// The part of it that concerns indices, and the rest.
void validate_indices(std::span<const int32_t> index, int32_t dim, StopSign stop);
void validate_indices(const SparseRow& row, int64_t number, StopSign stop);
void validate_values(const SparseRow& row, int64_t number, StopSign stop);

// Takes the entries out whose value is 0.
template <typename Value>
void drop_zeros(Vector<int32_t>& index, Vector<Value>& value, StopSign stop) {
    size_t kept = 0;
    for (size_t k = 0; k < index.size(); ++k) {
        stop.poll_every_so_often(k);
        if (value[k] == 0) continue;
        index[kept] = index[k];
        value[kept++] = value[k];
    }
    index.resize(kept);
    value.resize(kept);
}

// Two known dimensions must be equal; returns the known one, or 0.
int32_t common_dimension(int32_t a, int32_t b);

// A total order on all bit patterns, zero for identical rows only: dimension, count, indices, values. It means
// nothing but is the same on every machine.
int compare(const SparseRow& a, const SparseRow& b, StopSign stop = StopSign());

inline bool operator==(const SparseRow& a, const SparseRow& b) {
    return compare(a, b) == 0;
}

}  // namespace sparselin
