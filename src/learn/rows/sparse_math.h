// Arithmetic on sparse rows. Sums are double, taken in one fixed order: term k goes to lane k mod 4, and the lanes
// are added as (0 + 1) + (2 + 3), so that the same numbers always give the same bits.
#pragma once

#include "rows/sparse.h"

namespace sparselin {

enum class Norm : uint8_t { l2, l1, max };

// 'l2', 'l1' or 'max'; an Error for anything else.
Norm norm_by_name(std::string_view name);

double norm(const SparseRow& x, Norm which, StopSign stop);

// Over the indices both rows have. Time follows the shorter row where the other is much longer.
double dot(const SparseRow& a, const SparseRow& b, StopSign stop);

// The value at an index as users count, from 1; 0 where none is stored.
float get(const SparseRow& x, int64_t index);

// 1 in place of each value.
SparseVector presence(const SparseRow& x, Memory memory, StopSign stop);

// x / norm(x); a row of zeros stays as it is. What becomes too small for float4 is dropped.
SparseVector normalize(const SparseRow& x, Norm which, Memory memory, StopSign stop);

// Results that are exactly 0 are dropped; overflow is an Error, and underflow in scale and multiply too.
SparseVector add(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop);
SparseVector subtract(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop);
SparseVector scale(const SparseRow& x, double factor, Memory memory, StopSign stop);

// The products at the indices both rows have. Time follows the shorter row where the other is much longer.
SparseVector multiply(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop);

// b behind a, which must know its dimension; open when b is.
SparseVector append(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop);

}  // namespace sparselin
