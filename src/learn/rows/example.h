// A row to learn from: features x, label y (-1 or +1 for a classification loss), weight omega > 0.
#pragma once

#include "rows/sparse.h"

namespace sparselin {

template <typename Value>
struct ExampleOf {
    RowOf<Value> x;
    double y;
    double omega;
};

using Example = ExampleOf<float>;  // as it is stored

// A row is gone through in stretches, and may be given up between them; all but huge ones are a single stretch, which
// pays nothing for that.
constexpr int32_t stretch = 1 << 16;  // a multiple of what sum_over() takes at a time

inline int32_t end_of_stretch(int32_t start, int32_t nnz) {
    return nnz - start > stretch ? start + stretch : nnz;
}

// Calls work(i) for each place i of a row.
template <typename Work>
[[gnu::always_inline]] inline void each_of(int32_t nnz, StopSign stop, Work&& work) {
    for (int32_t i = 0, end; i < nnz;) {
        for (end = end_of_stretch(i, nnz); i < end; ++i) work(i);
        if (end < nnz) stop.give_up();
    }
}

// Sum of term(i) over the row, in four lanes: one fixed order, whatever the instruction set. Inlined by force: a call
// would keep what `term` captures in memory, to be read anew for every feature.
template <typename Term>
[[gnu::always_inline]] inline auto sum_over(int32_t nnz, StopSign stop, Term&& term) {
    std::remove_cvref_t<decltype(term(nnz))> lane[4] = {};
    int32_t i = 0;
    for (;;) {
        const int32_t end = end_of_stretch(i, nnz);
        for (; i + 4 <= end; i += 4) {
            lane[0] += term(i);
            lane[1] += term(i + 1);
            lane[2] += term(i + 2);
            lane[3] += term(i + 3);
        }
        if (end == nnz) break;
        stop.give_up();
    }
    if (i < nnz) lane[0] += term(i);
    if (i + 1 < nnz) lane[1] += term(i + 1);
    if (i + 2 < nnz) lane[2] += term(i + 2);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

template <typename Value>
double squared_norm_of(const RowOf<Value>& x, StopSign stop) {
    return sum_over(x.nnz, stop, [&x](int32_t i) { return double{x.value[i]} * double{x.value[i]}; });
}

}  // namespace sparselin
