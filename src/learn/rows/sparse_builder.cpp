#include "rows/sparse_builder.h"

#include "base/words.h"
#include "rows/sparse.h"
#include "base/sort.h"

#include <algorithm>
#include <bit>

namespace sparselin {

namespace {

constexpr char index_hint[] = "Indices go from 1 to 2147483647; add 1 to indices that count from 0.";

bool spells_non_finite(std::string_view text) {
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
    const auto is = [text](std::string_view word) {
        return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                          [](char a, char b) { return (a | 0x20) == b; });
    };
    return is("nan") || is("inf") || is("infinity");
}

}  // namespace

void SparseBuilder::check_index(int64_t index) {
    if (index < 1)
        throw Error(Fault::out_of_range, "index %lld is below 1", static_cast<long long>(index)).hint(index_hint);
    if (index > max_index)
        throw Error(Fault::out_of_range, "index %lld is too large", static_cast<long long>(index))
            .hint("Indices go from 1 to 2147483647.");
}

int64_t SparseBuilder::read_index(std::string_view text) {
    int64_t index = 0;
    switch (read_number(text, index)) {
        case NumberError::none: break;
        case NumberError::malformed:
            throw Error(Fault::bad_text, "invalid index: \"%s\"", Excerpt(text).c_str())
                .hint("An index is a whole number from 1 to 2147483647, followed by a colon and its value.");
        default:
            throw Error(Fault::out_of_range, "index %s is too %s", Excerpt(text).c_str(),
                        text[0] == '-' ? "small" : "large")
                .hint("Indices go from 1 to 2147483647.");
    }
    check_index(index);
    return index;
}

float SparseBuilder::to_float(double value, int64_t index) {
    const Float4 rounded(value);
    if (!rounded.fits()) throw rounded.error_at(index);
    return rounded.value;
}

float SparseBuilder::read_value(std::string_view text, int64_t index) {
    const auto where = static_cast<long long>(index);
    float value = 0;
    const NumberError error = read_number(text, value);
    if (error == NumberError::none) return value;
    if (error == NumberError::malformed && spells_non_finite(text))
        throw Error(Fault::out_of_range, "the value of index %lld is %s", where, Excerpt(text).c_str())
            .hint("Values must be finite numbers.");
    if (error == NumberError::malformed)
        throw Error(Fault::bad_text, "invalid value of index %lld: \"%s\"", where, Excerpt(text).c_str())
            .hint("A value is a finite number such as 2, -0.5 or 1e-4.");
    throw Error(Fault::out_of_range, "the value of index %lld is too %s for float4: %s", where,
                error == NumberError::too_small ? "small" : "large", Excerpt(text).c_str())
        .hint("%s", float4_hint);
}

void SparseBuilder::push(int64_t index, float value) {
    sorted_ &= index > last_;
    last_ = index;
    pairs_.push_back(static_cast<uint64_t>(index - 1) << 32 | std::bit_cast<uint32_t>(value));
}

SparseVector SparseBuilder::finish(int64_t dim, StopSign stop) {
    if (dim < 0 || dim > max_index)
        throw Error(Fault::out_of_range, "dimension %lld is out of range", static_cast<long long>(dim))
            .hint("A dimension goes from 1 to 2147483647; 0 leaves it open.");
    if (!sorted_) sort_by_upper_half(pairs_, stop);
    SparseVector row(memory_, static_cast<int32_t>(dim));
    row.reserve(pairs_.size());
    each_below(pairs_.size(), stop, [&](size_t k) {
        row.push_back(static_cast<int32_t>(pairs_[k] >> 32), std::bit_cast<float>(static_cast<uint32_t>(pairs_[k])));
    });
    pairs_ = Vector<uint64_t>(memory_);
    validate_indices(row.index, row.dim, stop);  // zeros are still there: they may not hide a wrong index
    drop_zeros(row.index, row.value, stop);
    validate(row.row(), stop);
    return row;
}

}  // namespace sparselin
