// Names as people type them: compared without regard to case, and the nearest right one for a hint.
#pragma once

#include "base/pure.h"

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

}  // namespace sparselin
