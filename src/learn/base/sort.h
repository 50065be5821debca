// Sorting in linear time, and so that it can be cancelled.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <array>

namespace sparselin {

constexpr size_t fewest_sorted_by_digits = 2048;  // std::sort is quicker below it, and nobody needs to cancel it

// Ascending by the upper half of each word; what the lower half holds goes along. Least significant digit first, a byte
// at a time; a digit that all words share is skipped.
inline void sort_by_upper_half(Vector<uint64_t>& words, StopSign stop) {
    if (words.size() < fewest_sorted_by_digits) {
        std::ranges::sort(words);
        return;
    }
    Vector<uint64_t> other(words.size(), words.get_allocator());
    for (unsigned shift = 32; shift < 64; shift += 8) {
        std::array<size_t, 257> start{};
        for (size_t i = 0; i < words.size(); ++i) {
            stop.poll_every_so_often(i);
            ++start[(words[i] >> shift & 0xff) + 1];
        }
        if (std::ranges::find(start, words.size()) != start.end()) continue;
        for (size_t digit = 1; digit < start.size(); ++digit) start[digit] += start[digit - 1];
        for (size_t i = 0; i < words.size(); ++i) {
            stop.poll_every_so_often(i);
            other[start[words[i] >> shift & 0xff]++] = words[i];
        }
        words.swap(other);
    }
}

}  // namespace sparselin
