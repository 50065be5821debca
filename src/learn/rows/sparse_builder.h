// Makes one row of (index, value) pairs that come in any order: the way in from text, arrays and files.
//
// Each pair is checked as it comes; duplicates and the dimension are checked at the end. Zeros are checked like
// the others and then dropped. Linear in the number of pairs: unsorted ones go through a radix sort.
#pragma once

#include "rows/sparse.h"

namespace sparselin {

class SparseBuilder {
public:
    explicit SparseBuilder(Memory memory) : memory_(memory), pairs_(memory) {}

    void reserve(size_t pairs) { pairs_.reserve(pairs); }

    // An index as users count, from 1. A value that does not fit in float4 is an error.
    void add(int64_t index, double value) {
        check_index(index);
        push(index, to_float(value, index));
    }

    // The same, as they are written.
    void add(std::string_view index, std::string_view value) {
        const int64_t number = read_index(index);
        push(number, read_value(value, number));
    }

    // An index from a dense list, where it cannot be wrong, and a value as it is written.
    void add(int64_t index, std::string_view value) { push(index, read_value(value, index)); }

    // The row, which takes the pairs out of the builder. dim 0 leaves the dimension open.
    SparseVector finish(int64_t dim, StopSign stop);

private:
    static void check_index(int64_t index);
    static int64_t read_index(std::string_view text);
    static float to_float(double value, int64_t index);
    static float read_value(std::string_view text, int64_t index);

    // High half: the 0-based index; low half: the value's bits.
    void push(int64_t index, float value);

    Memory memory_;
    Vector<uint64_t> pairs_;
    int64_t last_ = 0;
    bool sorted_ = true;
};

}  // namespace sparselin
