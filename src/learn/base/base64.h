// Base64 (RFC 4648, with padding, no line breaks), the strict kind: one text for each sequence of bytes.
#pragma once

#include "base/error.h"

namespace sparselin {

inline constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

// Appends; to be cut into pieces at multiples of three bytes only.
inline void append_base64(std::span<const char> bytes, String& out) {
    const auto at = [&](size_t i) -> uint32_t { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; };
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        const char four[4] = {base64_digits[group >> 18], base64_digits[group >> 12 & 63],
                              i + 1 < bytes.size() ? base64_digits[group >> 6 & 63] : '=',
                              i + 2 < bytes.size() ? base64_digits[group & 63] : '='};
        out.append(four, 4);
    }
}

constexpr int base64_value(char digit) {
    if (digit >= 'A' && digit <= 'Z') return digit - 'A';
    if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9') return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

// Appends; false where the text is not base64. To be cut into pieces at multiples of four digits only, of which
// only the last may hold padding (`last`).
inline bool append_unbase64(std::string_view text, bool last, Vector<char>& out) {
    if (text.size() % 4 != 0) return false;
    for (size_t i = 0; i < text.size(); i += 4) {
        size_t padding = 0;
        if (last && i + 4 == text.size()) padding = text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        uint32_t group = 0;
        for (size_t j = 0; j < 4; ++j) {
            const int value = j >= 4 - padding ? 0 : base64_value(text[i + j]);
            if (value < 0) return false;
            group = group << 6 | static_cast<uint32_t>(value);
        }
        if ((padding == 1 && (group & 0xff) != 0) || (padding == 2 && (group & 0xffff) != 0)) return false;
        for (size_t j = 0; j < 3 - padding; ++j) out.push_back(static_cast<char>(group >> (16 - 8 * j) & 0xff));
    }
    return true;
}

}  // namespace sparselin
