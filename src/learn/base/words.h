// Names and numbers as people type them, and texts for messages.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sparselin {

// Without regard to the case of ASCII letters.
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

// A few characters of somebody's input, fit to be shown in a message: 40 bytes at most, with '?' for control
// characters. Cut where UTF-8 has a character begin; whether the rest is text in the encoding of the database is for
// whoever shows it to see.
struct Excerpt {
    explicit Excerpt(std::string_view text) {
        const size_t n = text.size() <= limit ? text.size() : limit - within_character(text.substr(0, limit + 1));
        for (size_t i = 0; i < n; ++i) text_[i] = is_control(text[i]) ? '?' : text[i];
        strcpy(text_ + n, text.size() > limit ? "..." : "");
    }
    const char* c_str() const { return text_; }

private:
    static bool is_control(char c) { return (c >= 0 && c < ' ') || c == 127; }

    // How many bytes before the last one its character begins: none but in UTF-8.
    static size_t within_character(std::string_view text) {
        for (size_t n = 0; n < 4; ++n)
            if ((static_cast<unsigned char>(text[text.size() - 1 - n]) & 0xc0) != 0x80) return n;
        return 0;
    }

    static constexpr size_t limit = 40;
    char text_[limit + 4];
};

// Numbers to text and back: the shortest text that reads back exactly, whatever the locale.
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
