#include "base/json.h"

namespace sparselin {

const char* name_of(JsonKind kind) {
    static constexpr const char* names[] = {"an object", "an array", "a string", "a number", "a boolean", "null"};
    return names[static_cast<size_t>(kind)];
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void JsonReader::skip_space() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
        stop_.poll_every_so_often(position_);
        ++position_;
    }
}

JsonKind JsonReader::peek() {
    skip_space();
    if (look() == '-' || is_digit(look())) return JsonKind::number;
    switch (look()) {
        case '{': return JsonKind::object;
        case '[': return JsonKind::array;
        case '"': return JsonKind::string;
        case 't':
        case 'f': return JsonKind::boolean;
        case 'n': return JsonKind::null;
        default: fail(position_ < text_.size() ? "a value was expected" : "the text ends too early");
    }
}

void JsonReader::open(char bracket) {
    skip_space();
    expect(bracket, bracket == '{' ? "an object was expected" : "an array was expected");
    if (++depth_ > max_depth) fail("nested too deeply");
    first_ = true;
}

bool JsonReader::next(char closing) {
    stop_.poll_every_so_often(position_);
    skip_space();
    if (take(closing)) {
        --depth_;
        first_ = false;
        return false;
    }
    if (!first_) {
        expect(',', closing == '}' ? "a comma or } was expected" : "a comma or ] was expected");
        skip_space();
    }
    first_ = false;
    return true;
}

bool JsonReader::next_key(std::string_view& key, String& scratch) {
    if (!next('}')) return false;
    key = string(scratch);
    skip_space();
    expect(':', "a colon was expected");
    return true;
}

std::string_view JsonReader::string(String& scratch) {
    skip_space();
    expect('"', "a string was expected");
    scratch.clear();
    bool escaped = false;
    for (size_t start = position_;;) {
        stop_.poll_every_so_often(position_);
        if (position_ >= text_.size()) fail("the text ends inside a string");
        const char c = text_[position_];
        if (static_cast<unsigned char>(c) < ' ') fail("a control character inside a string");
        if (c != '"' && c != '\\') {
            ++position_;
            continue;
        }
        const std::string_view slice = text_.substr(start, position_ - start);
        ++position_;
        if (c == '"' && !escaped) return slice;
        scratch.append(slice);
        if (c == '"') return scratch;
        escaped = true;
        escape(scratch);
        start = position_;
    }
}

uint32_t JsonReader::hex4() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        const size_t digit = std::string_view("0123456789abcdefABCDEF").find(look());
        if (digit == std::string_view::npos) fail("four hexadecimal digits were expected");
        value = value << 4 | static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
        ++position_;
    }
    return value;
}

static void append_utf8(uint32_t code, String& out) {
    if (code < 0x80) return out.push_back(static_cast<char>(code));
    // The first byte begins with a one for each byte there is; six bits are in each of the others.
    const uint32_t others = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out.push_back(static_cast<char>(0xffu << (7 - others) | code >> 6 * others));
    for (uint32_t left = others; left-- > 0;) out.push_back(static_cast<char>(0x80 | (code >> 6 * left & 0x3f)));
}

// What follows a backslash.
void JsonReader::escape(String& out) {
    const char c = look();
    const size_t simple = std::string_view("\"\\/bfnrt").find(c);
    if (simple != std::string_view::npos) {
        out.push_back("\"\\/\b\f\n\r\t"[simple]);
        ++position_;
        return;
    }
    expect('u', "an unknown escape");
    uint32_t code = hex4();
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take('\\') || !take('u')) fail("half of a surrogate pair");
        const uint32_t low = hex4();
        if (low < 0xdc00 || low >= 0xe000) fail("half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        fail("half of a surrogate pair");
    }
    if (code == 0) fail("\\u0000 cannot be text");
    append_utf8(code, out);
}

void JsonReader::digits() {
    if (!is_digit(look())) fail("a digit was expected");
    while (is_digit(look())) {
        stop_.poll_every_so_often(position_);
        ++position_;
    }
}

std::string_view JsonReader::number() {
    skip_space();
    const size_t start = position_;
    if (look() != '-' && !is_digit(look())) fail("a number was expected");
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (look() == 'e' || look() == 'E') {
        ++position_;
        if (!take('-')) take('+');
        digits();
    }
    return text_.substr(start, position_ - start);
}

void JsonWriter::quote(std::string_view text) {
    raw("\"");
    for (size_t i = 0; i < text.size(); ++i) {
        stop_.poll_every_so_often(i);
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            const char escaped[2] = {'\\', c};
            raw({escaped, 2});
        } else if (code < ' ') {
            const char hex[] = "0123456789abcdef";
            const char escaped[6] = {'\\', 'u', '0', '0', hex[code >> 4], hex[code & 15]};
            raw({escaped, 6});
        } else {
            raw({&c, 1});
        }
    }
    raw("\"");
}

}  // namespace sparselin
