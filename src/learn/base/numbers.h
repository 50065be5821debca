// Numbers to text and back: the shortest text that reads back exactly, whatever the locale.
#pragma once

#include "base/error.h"

#include <charconv>

namespace sparselin {

enum class NumberError { none, malformed, too_large, too_small };

// Reads all of `text` as a finite number. Accepts a leading '+'. `too_small`: not zero, but rounds to zero.
template <typename Number>
NumberError read_number(std::string_view text, Number& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (stop != end || code == std::errc::invalid_argument) return NumberError::malformed;
    if constexpr (std::is_floating_point_v<Number>) {
        if (code == std::errc::result_out_of_range) {
            const auto exponent = text.find_first_of("eE");
            const bool shrinks = exponent != std::string_view::npos ? text.substr(exponent + 1).starts_with('-')
                                                                    : text.find_first_of("123456789") > text.find('.');
            return shrinks ? NumberError::too_small : NumberError::too_large;
        }
        if (value - value != 0) return NumberError::malformed;  // from_chars reads "nan" and "inf" too
    } else if (code == std::errc::result_out_of_range) {
        return NumberError::too_large;
    }
    return NumberError::none;
}

// The text of one number, in place.
struct NumberText {
    template <typename Number>
    explicit NumberText(Number value) {
        const auto result = std::to_chars(text_, text_ + sizeof text_ - 1, value);
        *result.ptr = '\0';
        size_ = static_cast<size_t>(result.ptr - text_);
    }
    operator std::string_view() const { return {text_, size_}; }
    const char* c_str() const { return text_; }

private:
    char text_[40];
    size_t size_;
};

}  // namespace sparselin
