#include "base/sort.h"

#include <algorithm>
#include <array>

namespace sparselin {

namespace {

constexpr size_t few = 2048;  // std::sort is quicker below it, and nobody needs to cancel it

}  // namespace

// Least significant digit first, a byte at a time; a digit that all words share is skipped.
void sort_by_upper_half(Vector<uint64_t>& words, StopSign stop) {
    if (words.size() < few) {
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
