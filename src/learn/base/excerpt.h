// A few characters of somebody's input, fit to be shown in a message.
#pragma once

#include "base/pure.h"

namespace sparselin {

// At most 40 characters; what is not printable ASCII becomes '?', so that no character is cut in two.
struct Excerpt {
    explicit Excerpt(std::string_view text) {
        size_t n = 0;
        for (; n < text.size() && n < limit; ++n) text_[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
        for (int dot = 0; text.size() > limit && dot < 3; ++dot) text_[n++] = '.';
        text_[n] = '\0';
    }
    const char* c_str() const { return text_; }

private:
    static constexpr size_t limit = 40;
    char text_[limit + 4];
};

}  // namespace sparselin
