#include "rows/sparse_text.h"

#include "base/words.h"
#include "rows/sparse_builder.h"

#include <algorithm>
#include <cstring>

namespace sparselin {

namespace {

constexpr size_t longest_entry = 10 + 1 + 15 + 1;  // "2147483647:-1.17549435e-38,"
constexpr size_t longest_frame = 2 + 1 + 10;       // "{}/2147483647"

bool is_structure(char c) {
    return c == '{' || c == '}' || c == ':' || c == ',' || c == '/';
}

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

class Reader {
public:
    Reader(std::string_view text, StopSign stop) : text_(text), stop_(stop) {}

    void skip_space() {
        for (; at_ < text_.size() && is_space(text_[at_]); ++at_) stop_.poll_every_so_often(at_);
    }

    bool accept(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    bool at_end() {
        skip_space();
        return at_ == text_.size();
    }

    // Everything up to white space or one of the characters that structure the text.
    std::string_view word() {
        skip_space();
        const size_t start = at_;
        while (at_ < text_.size() && !is_space(text_[at_]) && !is_structure(text_[at_])) ++at_;
        return text_.substr(start, at_ - start);
    }

    [[noreturn]] void expected(const char* what) {
        skip_space();
        Error error =
            at_ == text_.size()
                ? Error(Fault::bad_text, "invalid input syntax for type sparsearray: expected %s at the end", what)
                : Error(Fault::bad_text,
                        "invalid input syntax for type sparsearray: expected %s at character %zu, found \"%s\"", what,
                        at_ + 1, Excerpt(text_.substr(at_)).c_str());
        const bool is_something_else = at_ == 0 && !text_.empty();
        throw error.hint(
            is_something_else
                ? "Write {index:value, ...}/dimension, such as {1:0.5,7:2}/10. Of words, rows of tables and "
                  "JSON sparselin_features makes one."
                : "Write {index:value, ...}/dimension, such as {1:0.5,7:2}/10, or leave out /dimension.");
    }

private:
    std::string_view text_;
    StopSign stop_;
    size_t at_ = 0;
};

int64_t read_dimension(Reader& reader) {
    if (!reader.accept('/')) return 0;
    const std::string_view word = reader.word();
    if (word.empty()) reader.expected("a dimension");
    int64_t dim = 0;
    switch (read_number(word, dim)) {
        case NumberError::none: break;
        case NumberError::malformed:
            throw Error(Fault::bad_text, "invalid dimension: \"%s\"", Excerpt(word).c_str())
                .hint("A dimension is a whole number from 1 to 2147483647.");
        default: dim = 0;
    }
    if (dim < 1 || dim > max_index)
        throw Error(Fault::out_of_range, "dimension %s is out of range", Excerpt(word).c_str())
            .hint("A dimension goes from 1 to 2147483647; leave it out to leave it open.");
    return dim;
}

}  // namespace

SparseVector parse_sparse(std::string_view text, Memory memory, StopSign stop) {
    Reader reader(text, stop);
    SparseBuilder builder(memory);
    if (!reader.accept('{')) reader.expected("\"{\"");
    // An entry has four characters at least, whatever else is in the text.
    const auto colons = static_cast<size_t>(std::count(text.begin(), text.end(), ':'));
    builder.reserve(std::min(colons, text.size() / 4 + 1));
    if (!reader.accept('}')) {
        for (size_t entry = 0;; ++entry) {
            if ((entry & 0xfff) == 0) stop.poll();
            const std::string_view index = reader.word();
            if (index.empty()) reader.expected("an index");
            if (!reader.accept(':')) reader.expected("\":\"");
            const std::string_view value = reader.word();
            if (value.empty()) reader.expected("a value");
            builder.add(index, value);
            if (reader.accept('}')) break;
            if (!reader.accept(',')) reader.expected("\",\" or \"}\"");
        }
    }
    const int64_t dim = read_dimension(reader);
    if (!reader.at_end()) reader.expected("nothing more");
    return builder.finish(dim, stop);
}

size_t sparse_text_bound(const SparseRow& row) {
    return longest_frame + longest_entry * static_cast<size_t>(row.nnz);
}

size_t print_sparse(const SparseRow& row, std::span<char> room, StopSign stop) {
    size_t length = 0;
    const auto put = [&](const char* from, const char* end) {
        const auto size = static_cast<size_t>(end - from);
        if (size > room.size() - length)
            throw Error(Fault::too_large, "the text of a sparsearray with %d non-zeros is too large", row.nnz)
                .hint("Text takes up to 1 GB; use the binary form, or sparsearray_entries().");
        memcpy(room.data() + length, from, size);
        length += size;
    };
    char piece[longest_entry + longest_frame];
    char* const limit = piece + sizeof piece;

    piece[0] = '{';
    put(piece, piece + 1);
    for (int32_t k = 0; k < row.nnz; ++k) {
        if ((k & 0xfff) == 0) stop.poll();
        char* end = piece;
        if (k > 0) *end++ = ',';
        end = std::to_chars(end, limit, static_cast<int64_t>(row.index[k]) + 1).ptr;
        *end++ = ':';
        end = std::to_chars(end, limit, row.value[k]).ptr;
        put(piece, end);
    }
    char* end = piece;
    *end++ = '}';
    if (row.dim != 0) {
        *end++ = '/';
        end = std::to_chars(end, limit, row.dim).ptr;
    }
    put(piece, end);
    return length;
}

String print_sparse(const SparseRow& row, Memory memory, StopSign stop) {
    String text(sparse_text_bound(row), '\0', memory);
    text.resize(print_sparse(row, {text.data(), text.size()}, stop));
    return text;
}

}  // namespace sparselin
