#include "rows/sparse.h"

#include "base/memory.h"

#include <bit>

namespace sparselin {

static constexpr uint32_t magnitude_bits = 0x7fffffff, exponent_bits = 0x7f800000;

static void give_up_every_so_often(size_t round, StopSign stop) {
    if ((round & 0xffff) == 0) stop.give_up();
}

static long long user_index(int32_t index) {
    return static_cast<long long>(index) + 1;
}

[[noreturn]] static void explain_indices(std::span<const int32_t> index, int32_t dim, StopSign stop) {
    const int64_t limit = dim == 0 ? max_index : dim;
    for (size_t k = 0; k < index.size(); ++k) {
        give_up_every_so_often(k, stop);
        const long long here = user_index(index[k]);
        if (index[k] < 0)
            throw Error(Fault::out_of_range, "index %lld is below 1", here)
                .hint("Indices go from 1 to 2147483647; add 1 to indices that count from 0.");
        if (k > 0 && index[k] == index[k - 1])
            throw Error(Fault::bad_value, "index %lld appears twice", here)
                .hint("Give each index once; sparsearray_agg(index, value) adds duplicates up.");
        if (k > 0 && index[k] < index[k - 1])
            throw Error(Fault::bad_value, "index %lld comes after index %lld", here, user_index(index[k - 1]))
                .hint("Indices must be stored in ascending order.");
        if (index[k] >= limit && dim == 0)
            throw Error(Fault::out_of_range, "index %lld is too large", here).hint("Indices go from 1 to 2147483647.");
        if (index[k] >= limit)
            throw Error(Fault::out_of_range, "index %lld is beyond the dimension %d", here, dim)
                .hint("Give a dimension of at least the largest index, or none.");
    }
    throw Error(Fault::bad_value, "invalid indices");
}

[[noreturn]] static void explain_values(const SparseRow& row, StopSign stop) {
    for (int32_t k = 0; k < row.nnz; ++k) {
        give_up_every_so_often(static_cast<size_t>(k), stop);
        const uint32_t bits = std::bit_cast<uint32_t>(row.value[k]) & magnitude_bits;
        if (bits == 0)
            throw Error(Fault::bad_value, "the value of index %lld is zero", user_index(row.index[k]))
                .hint("Only values that are not zero are stored.");
        if (bits >= exponent_bits)
            throw Error(Fault::out_of_range, "the value of index %lld is %s", user_index(row.index[k]),
                        bits > exponent_bits ? "NaN" : "infinite")
                .hint("Values must be finite numbers.");
    }
    throw Error(Fault::bad_value, "invalid values");
}

// An order on bit patterns that agrees with the order of the numbers.
static int32_t ordered_bits(float value) {
    const int32_t bits = std::bit_cast<int32_t>(value);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

static int order(int32_t a, int32_t b) {
    return a < b ? -1 : a > b;
}

// That of the first two numbers that differ.
template <typename Value, typename Key>
static int order(const Value* a, const Value* b, int32_t count, StopSign stop, Key&& key) {
    constexpr int32_t stretch = 65536;
    for (int32_t k = 0; k < count;) {
        stop.poll();
        for (const int32_t end = count - k > stretch ? k + stretch : count; k < end; ++k)
            if (const int c = order(key(a[k]), key(b[k]))) return c;
    }
    return 0;
}

// Passes without branches, which the compiler makes vectors of (a bool would keep it from that); only a row that fails
// is looked at again to say why.
void validate_indices(std::span<const int32_t> index, int32_t dim, StopSign stop) {
    if (dim < 0)
        throw Error(Fault::out_of_range, "dimension %d is out of range", dim)
            .hint("A dimension goes from 1 to 2147483647; 0 leaves it open.");
    if (index.empty()) return;
    const bool within = index.front() >= 0 && index.back() < (dim == 0 ? max_index : dim);
    uint32_t ascending = ~uint32_t{0};
    in_pieces(index.subspan(1), stop, [&](std::span<const int32_t> piece) {
        const int32_t* const before = piece.data() - 1;
        for (size_t k = 0; k < piece.size(); ++k) ascending &= before[k] < piece[k] ? ~uint32_t{0} : 0;
    });
    if (!within || ascending == 0) explain_indices(index, dim, stop);
}

// Its highest bit says that there is a zero, infinity or NaN.
static inline uint32_t badness(std::span<const float> values) {
    uint32_t bad = 0;
    for (const float value : values) {
        const uint32_t bits = std::bit_cast<uint32_t>(value) & magnitude_bits;
        bad |= (bits - 1) | (exponent_bits - 1 - bits);
    }
    return bad;
}

static void validate_values(const SparseRow& row, StopSign stop) {
    uint32_t bad = 0;
    in_pieces(std::span(row.value, static_cast<size_t>(row.nnz)), stop, [&](auto piece) { bad |= badness(piece); });
    if (bad >> 31 != 0) explain_values(row, stop);
}

// Both at once, for rows of one piece.
static bool is_right(const SparseRow& row) {
    const size_t count = row.features().size();
    if (count == 0) return row.dim >= 0;
    const int64_t limit = row.dim == 0 ? max_index : row.dim;
    uint32_t bad = badness({row.value, 1});
    uint32_t ascending = ~uint32_t{0};
    for (size_t k = 1; k < count; ++k) {
        ascending &= row.index[k - 1] < row.index[k] ? ~uint32_t{0} : 0;
        bad |= badness({row.value + k, 1});
    }
    return row.index[0] >= 0 && row.last() < limit && ascending != 0 && bad >> 31 == 0;
}

void validate(const SparseRow& row, StopSign stop) {
    constexpr int32_t piece = 1 << 16;
    if (row.nnz >= 0 && row.nnz <= piece && is_right(row)) return;
    if (row.nnz < 0) throw Error(Fault::bad_value, "negative number of non-zeros: %d", row.nnz);
    validate_indices({row.index, static_cast<size_t>(row.nnz)}, row.dim, stop);
    validate_values(row, stop);
}

void validate(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate(row, stop); });
}

void validate_indices(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate_indices({row.index, static_cast<size_t>(row.nnz)}, row.dim, stop); });
}

void validate_values(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate_values(row, stop); });
}

// Several at a time, in an order that is the same for all processors: the result is stored.
static float sum_of_squares(const float* value, size_t count) {
    using Four = float __attribute__((vector_size(16), aligned(4), may_alias));
    Four sum{}, other{};
    for (; count >= 8; count -= 8, value += 8) {
        const Four x = *reinterpret_cast<const Four*>(value), y = *reinterpret_cast<const Four*>(value + 4);
        sum += x * x;
        other += y * y;
    }
    sum += other;
    if (count >= 4) {
        const Four x = *reinterpret_cast<const Four*>(value);
        sum += x * x;
        value += 4;
    }
    float rest = (count & 1) != 0 ? value[count & 2] * value[count & 2] : 0;
    if ((count & 2) != 0) rest += value[0] * value[0] + value[1] * value[1];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

// A piece's sum has rounding errors of a 500th of it at most, its squares each one of 2^-149 where they are tiny.
float most_length_of(const SparseRow& x, StopSign stop) {
    float sum = 0;
    in_pieces(std::span(x.value, static_cast<size_t>(x.nnz)), stop,
              [&sum](auto piece) { sum += sum_of_squares(piece.data(), piece.size()); });
    return 1.01f * sum + 1e-35f;
}

void refuse_dimensions(int32_t a, int32_t b) {
    throw Error(Fault::mismatch, "different dimensions %d and %d", a, b)
        .hint("Sparsearrays that meet need the same dimension; one without a dimension fits all.");
}

int compare(const SparseRow& a, const SparseRow& b, StopSign stop) {
    if (const int c = order(a.dim, b.dim)) return c;
    if (const int c = order(a.nnz, b.nnz)) return c;
    if (const int c = order(a.index, b.index, a.nnz, stop, [](int32_t i) { return i; })) return c;
    return order(a.value, b.value, a.nnz, stop, ordered_bits);
}

}  // namespace sparselin
