// Names as people type them: compared without regard to case, the nearest right one for a hint, and what fits in a
// message.
#pragma once

#include "base/error.h"

namespace sparselin {

// ASCII letters only.
bool same_name(std::string_view a, std::string_view b);

// The place of a name in a list, -1 when it is not there.
int find_name(std::string_view typed, std::span<const char* const> names);

// Whether one is the other but for a slip: a letter more, less or other than the first, two swapped, or upper case.
bool is_slip(std::string_view typed, std::string_view right);

// Offered all the right names one by one, keeps the one that was probably meant.
class NearestName {
public:
    explicit NearestName(std::string_view typed) : typed_(typed) {}

    void offer(const char* name);

    // nullptr when no name is near enough to be worth mentioning.
    const char* found() const { return found_; }

private:
    std::string_view typed_;
    const char* found_ = nullptr;
    size_t distance_ = 0;
};

// Text put together for a hint, in place; what does not fit is left out.
class Phrase {
public:
    Phrase& add(const char* format, ...) __attribute__((format(printf, 2, 3)));

    // A comma, unless nothing is there yet.
    Phrase& comma() { return size_ == 0 ? *this : add(", "); }

    const char* c_str() const { return text_; }
    operator std::string_view() const { return {text_, size_}; }

private:
    char text_[320] = "";
    size_t size_ = 0;
};

// A few characters of somebody's input, fit to be shown in a message.
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
