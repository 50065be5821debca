// Bytes that travel: little-endian numbers, bounded reads. Models, states and aggregates all go through here.
//
// Arrays and strings carry their length in front. A Reader never reads past its end, and looks at how many
// bytes are left before it lets anything be allocated.
#pragma once

#include "base/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace sparselin {

// Numbers as they lie in the bytes, on every machine.
template <typename Number>
Number load_little(const char* bytes) {
    static_assert(std::is_arithmetic_v<Number>);
    char native[sizeof(Number)];
    memcpy(native, bytes, sizeof native);
    if constexpr (std::endian::native != std::endian::little) std::reverse(native, native + sizeof native);
    return std::bit_cast<Number>(native);
}

template <typename Number>
void store_little(char* bytes, Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    memcpy(bytes, &value, sizeof value);
    if constexpr (std::endian::native != std::endian::little) std::reverse(bytes, bytes + sizeof value);
}

// Appends to a vector; reserve room in it first where the size is known. Or, from a place within it, writes over what
// is there.
class Writer {
public:
    explicit Writer(Vector<char>& out, StopSign stop = StopSign()) : Writer(out, out.size(), stop) {}
    Writer(Vector<char>& out, size_t place, StopSign stop) : out_(out), place_(place), stop_(stop) {}

    void u8(uint8_t value) { number(value); }
    void u32(uint32_t value) { number(value); }
    void i32(int32_t value) { number(value); }
    void u64(uint64_t value) { number(value); }
    void i64(int64_t value) { number(value); }
    void f64(double value) { number(value); }

    // A length, then the elements.
    template <typename Element>
    void array(std::span<const Element> elements) {
        u64(elements.size());
        elements_alone(elements);
    }
    template <typename Element>
    void elements_alone(std::span<const Element> elements) {
        for (size_t from = 0; from < elements.size(); from += block) {
            stop_.poll();
            append(elements.subspan(from, std::min(block, elements.size() - from)));
        }
    }
    void string(std::string_view text) { array(std::span<const char>(text)); }

    // So many bytes, for whoever calls to write.
    char* place_for(size_t bytes) {
        const size_t end = place_ + bytes;
        make_room(bytes);
        while (out_.size() < end) {
            stop_.poll();
            out_.resize(std::min(end, out_.size() + block));
        }
        place_ = end;
        return out_.data() + end - bytes;
    }

    // Up to where it has written.
    size_t size() const { return place_; }
    std::span<char> written_since(size_t size) { return std::span(out_).first(place_).subspan(size); }

    // The vector would copy all that it has at one go.
    void make_room(size_t bytes) {
        if (out_.capacity() - place_ >= bytes) return;
        Vector<char> larger(out_.get_allocator());
        larger.reserve(std::max(out_.capacity() * 2, place_ + bytes));
        append_all(larger, std::span<const char>(out_), stop_);
        out_.swap(larger);
    }

private:
    static constexpr size_t block = 1 << 16;

    template <typename Number>
    void number(Number value) {
        store_little(next(sizeof value), value);
    }

    char* next(size_t bytes) {
        make_room(bytes);
        if (out_.size() - place_ < bytes) out_.resize(place_ + bytes);
        place_ += bytes;
        return out_.data() + place_ - bytes;
    }

    template <typename Element>
    void append(std::span<const Element> elements) {
        static_assert(std::is_arithmetic_v<Element>);
        if constexpr (sizeof(Element) == 1 || std::endian::native == std::endian::little) {
            // Not insert(): a vector with memory of its own copies byte by byte.
            char* const place = next(elements.size_bytes());
            if (!elements.empty()) memcpy(place, elements.data(), elements.size_bytes());
        } else {
            for (const Element element : elements) number(element);
        }
    }

    Vector<char>& out_;
    size_t place_;
    StopSign stop_;
};

// Many small numbers on their way to a Writer, which gets them together: end() with the last.
class SmallNumbers {
public:
    explicit SmallNumbers(Writer& writer) : writer_(writer) {}

    template <typename Number>
    void add(Number value) {
        add_all(&value, 1);
    }

    template <typename Number>
    void add_all(const Number* values, size_t count) {
        constexpr size_t most = room / sizeof *values;
        for (; count > most; values += most, count -= most) add_few(values, most);
        add_few(values, count);
    }

    void end() {
        writer_.elements_alone(std::span<const char>(bytes_, used_));
        used_ = 0;
    }

private:
    static constexpr size_t room = size_t{1} << 13;

    template <typename Number>
    void add_few(const Number* values, size_t count) {
        if (room - used_ < count * sizeof *values) end();
        char* const place = bytes_ + used_;
        used_ += count * sizeof *values;
        for (size_t i = 0; i < count; ++i) store_little(place + i * sizeof *values, values[i]);
    }

    Writer& writer_;
    size_t used_ = 0;
    char bytes_[room];
};

class Reader {
public:
    // `what` names the object in errors: "sparselin_model".
    Reader(std::span<const char> bytes, const char* what, StopSign stop = StopSign())
        : bytes_(bytes), what_(what), stop_(stop) {}

    uint8_t u8() { return number<uint8_t>(); }
    uint32_t u32() { return number<uint32_t>(); }
    int32_t i32() { return number<int32_t>(); }
    uint64_t u64() { return number<uint64_t>(); }
    int64_t i64() { return number<int64_t>(); }
    double f64() { return number<double>(); }

    // The length of what follows, of which one element takes `element_size` bytes: there is room for it.
    size_t count(size_t element_size) {
        const uint64_t n = u64();
        if (n > left() / element_size) truncated();
        return static_cast<size_t>(n);
    }

    template <typename Element>
    void array(Vector<Element>& elements) {
        static_assert(std::is_arithmetic_v<Element>);
        const size_t n = count(sizeof(Element));
        elements.clear();
        elements.reserve(n);
        for (size_t from = 0; from < n; from += block) {
            stop_.poll();
            append(elements, take(std::min(block, n - from) * sizeof(Element)));
        }
    }

    // Views into the bytes themselves.
    std::span<const char> bytes() { return take(count(1)); }
    std::string_view string() {
        const std::span<const char> view = bytes();
        return {view.data(), view.size()};
    }
    std::span<const char> take(size_t size) {
        if (size > left()) truncated();
        const std::span<const char> view = bytes_.subspan(position_, size);
        position_ += size;
        return view;
    }

    // All that has not been read yet.
    std::span<const char> ahead() const { return bytes_.subspan(position_); }

    size_t left() const { return bytes_.size() - position_; }

    // To be called last: nothing may be left over.
    void finish() const {
        if (left() != 0)
            throw Error(Fault::bad_binary, "invalid binary %s: %zu bytes too many", what_, left()).hint(hint);
    }

    [[noreturn]] void fail(const char* why) const {
        throw Error(Fault::bad_binary, "invalid binary %s: %s", what_, why).hint(hint);
    }

private:
    static constexpr size_t block = 1 << 16;
    static constexpr char hint[] = "The value was damaged on its way; take it from its source again.";

    [[noreturn]] void truncated() const {
        throw Error(Fault::bad_binary, "invalid binary %s: truncated at byte %zu of %zu", what_, position_,
                    bytes_.size())
            .hint(hint);
    }

    template <typename Element>
    static void append(Vector<Element>& elements, std::span<const char> piece) {
        if constexpr (sizeof(Element) == 1 || std::endian::native == std::endian::little) {
            const size_t before = elements.size();
            elements.resize(before + piece.size() / sizeof(Element));
            memcpy(elements.data() + before, piece.data(), piece.size());
        } else {
            for (size_t at = 0; at < piece.size(); at += sizeof(Element))
                elements.push_back(load_little<Element>(piece.data() + at));
        }
    }

    template <typename Number>
    Number number() {
        return load_little<Number>(take(sizeof(Number)).data());
    }

    std::span<const char> bytes_;
    const char* what_;
    StopSign stop_;
    size_t position_ = 0;
};

}  // namespace sparselin
