// Rows of hashed features: several names, or pairs, may have come to the same one, and their values add up.
//
// A feature under way is one word, its 0-based index above the bits of its value: 8 bytes, and quick to sort.
#pragma once

#include "rows/sparse.h"

#include <bit>

namespace sparselin {

constexpr uint64_t pack_feature(int32_t feature, float value) {
    return uint64_t{static_cast<uint32_t>(feature - 1)} << 32 | std::bit_cast<uint32_t>(value);
}

// Ascending by index; what the lower half of each word holds goes along.
void sort_features(std::span<uint64_t> words, Memory memory, StopSign stop);

// The sum of all words. Sorts them; sums are double, rounded at the end; what adds up to 0 is dropped, and what is too
// large for float4 is an Error.
SparseVector hashed_row(std::span<uint64_t> words, int32_t dim, Memory memory, StopSign stop);

// An Error unless features can be hashed to this many bits.
void validate_feature_bits(int bits);

// The bits of features that were hashed to this dimension; 0 when no bits give it.
int bits_of_dimension(int32_t dim);

// The products of each feature of a with each one of b, hashed to 1..2^bits. An Error when there are more than
// `limit` of them, or one of them is too large or too small for float4.
SparseVector interact(const SparseRow& a, const SparseRow& b, int bits, int64_t limit, Memory memory, StopSign stop);

}  // namespace sparselin
