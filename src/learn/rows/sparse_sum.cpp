#include "rows/sparse_sum.h"

#include "base/codec.h"
#include "rows/frame.h"

namespace sparselin {

static constexpr uint8_t version = 1;
static constexpr size_t entry_size = sizeof(int32_t) + sizeof(double);

void SparseSum::add(const SparseRow& row, StopSign stop) {
    validate(row, next_row(), stop);
    const int32_t dimension = common_dimension(dimension_, row.dim);
    sums_.with_cells(row, stop, [&](auto cell) {
        each_of(row.nnz, stop, [&](int32_t i) { cell(i) += static_cast<double>(row.value[i]); });
    });
    dimension_ = dimension;
    ++rows_;
}

void SparseSum::count(const SparseRow& row, StopSign stop) {
    validate(row, next_row(), stop);
    const int32_t dimension = common_dimension(dimension_, row.dim);
    sums_.with_cells(row, stop, [&](auto cell) { each_of(row.nnz, stop, [&](int32_t i) { cell(i) += 1; }); });
    dimension_ = dimension;
    ++rows_;
}

void SparseSum::add(int64_t index, double value, StopSign stop) {
    const auto where = static_cast<long long>(index);
    if (index < 1 || index > max_index)
        throw Error(Fault::out_of_range, "index %lld is %s", where, index < 1 ? "below 1" : "too large")
            .hint("Indices go from 1 to 2147483647%s.", index == 0 ? "; add 1 to indices that count from 0" : "");
    const Float4 rounded(value);
    if (!std::isfinite(value))
        throw rounded.error_at(index).hint(
            "Values must be finite numbers; leave rows out with a WHERE or FILTER clause.");
    if (rounded.is_too_small()) throw rounded.error_at(index);
    sums_.at(static_cast<int32_t>(index - 1), stop) += value;
    ++rows_;
}

// Checked at once: values that add up to 0 may not hide a wrong index.
void SparseSum::add(int64_t index, double value, int32_t dim, StopSign stop) {
    validate_indices({}, dim, stop);
    const int32_t dimension = common_dimension(dimension_, dim);
    const auto at = static_cast<int32_t>(std::clamp<int64_t>(index, 1, max_index) - 1);
    validate_indices({&at, 1}, dimension, stop);
    add(index, value, stop);
    dimension_ = dimension;
}

void SparseSum::add(const SparseSum& other, StopSign stop) {
    const int32_t dimension = common_dimension(dimension_, other.dimension_);
    other.sums_.walk(stop, [&](int32_t index, double sum) { sums_.at(index, stop) += sum; });
    dimension_ = dimension;
    rows_ += other.rows_;
}

SparseVector SparseSum::scaled(double divisor, Memory memory, StopSign stop) const {
    SparseVector result(memory, dimension_);
    sums_.walk(stop, [&](int32_t index, double sum) {
        const Float4 rounded(sum / divisor);
        if (rounded.is_too_large())
            throw Error(Fault::out_of_range, "the sum of the values of index %lld is too large for float4: %s",
                        static_cast<long long>(index) + 1, NumberText(sum).c_str())
                .hint("%s", float4_hint);
        if (rounded.value != 0) result.push_back(index, rounded.value);
    });
    validate_indices(result.index, result.dim, stop);  // open rows may reach beyond the dimension of others
    return result;
}

SparseVector SparseSum::idf(Memory memory, StopSign stop) const {
    SparseVector result(memory, dimension_);
    const double n = static_cast<double>(rows_);
    sums_.walk(
        stop, [&](int32_t index, double df) { result.push_back(index, static_cast<float>(inverse_frequency(df, n))); });
    validate(result.row(), stop);
    return result;
}

Vector<char> SparseSum::encode(Memory memory, StopSign stop) const {
    uint64_t entries = 0;
    sums_.walk(stop, [&](int32_t, double) { ++entries; });
    Vector<char> bytes(memory);
    bytes.reserve(32 + entries * entry_size);
    Writer writer(bytes, stop);
    writer.u8(version);
    writer.i32(dimension_);
    writer.i64(rows_);
    writer.u64(entries);
    sums_.walk(stop, [&](int32_t index, double sum) {
        writer.i32(index);
        writer.f64(sum);
    });
    return bytes;
}

SparseSum SparseSum::decode(std::span<const char> bytes, Memory memory, StopSign stop) {
    Reader reader(bytes, "sum of sparsearrays", stop);
    if (reader.u8() != version) reader.fail("unknown version");
    SparseSum sum(memory);
    sum.dimension_ = reader.i32();
    sum.rows_ = reader.i64();
    if (sum.dimension_ < 0 || sum.rows_ < 0) reader.fail("a negative count");
    const size_t entries = reader.count(entry_size);
    int32_t last = -1;
    each_below(entries, stop, [&](size_t) {
        const int32_t index = reader.i32();
        if (index <= last || index >= max_index) reader.fail("indices out of order");
        sum.sums_.at(index, stop) = reader.f64();
        last = index;
    });
    reader.finish();
    return sum;
}

}  // namespace sparselin
