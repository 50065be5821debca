// A row to learn from: features x, label y (-1 or +1 for a classification loss), weight omega > 0.
#pragma once

#include "sparse.h"

namespace sparselin {

template <typename Value>
struct ExampleOf {
    RowOf<Value> x;
    double y;
    double omega;
};

using Example = ExampleOf<float>;  // as it is stored

// Sum of term(i) over the row, in four lanes: one fixed order, whatever the instruction set. Inlined by force: a call
// would keep what `term` captures in memory, to be read anew for every feature.
template <typename Term>
[[gnu::always_inline]] inline double sum_over(int32_t nnz, Term&& term) {
    double lane[4] = {0, 0, 0, 0};
    int32_t i = 0;
    for (; i + 4 <= nnz; i += 4) {
        lane[0] += term(i);
        lane[1] += term(i + 1);
        lane[2] += term(i + 2);
        lane[3] += term(i + 3);
    }
    if (i < nnz) lane[0] += term(i);
    if (i + 1 < nnz) lane[1] += term(i + 1);
    if (i + 2 < nnz) lane[2] += term(i + 2);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

template <typename Value>
double squared_norm_of(const RowOf<Value>& x) {
    return sum_over(x.nnz, [&x](int32_t i) { return double{x.value[i]} * double{x.value[i]}; });
}

}  // namespace sparselin
