// Whether the values of a text column are texts rather than categories, told by the words of the first of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sparselin {

struct LongText {
    static constexpr uint32_t judged_by = 8, most_words = 3;  // values; of them on average

    uint32_t values = 0;
    uint64_t words = 0;

    // True once: when the last of these values is there, and they are long.
    bool add(std::string_view value) {
        if (values == judged_by) return false;
        bool within = false;
        for (const char c : value) {
            const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
            words += !blank && !within ? 1 : 0;
            within = !blank;
        }
        return ++values == judged_by && words > uint64_t{most_words} * judged_by;
    }
};

}  // namespace sparselin
