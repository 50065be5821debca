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
    if (dim < 0)
        throw Error(Fault::out_of_range, "dimension %d is out of range", dim)
            .hint("A dimension goes from 1 to 2147483647; 0 leaves it open.");
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

// Where they ascend: a dimension, and all of them in it.
static bool within(std::span<const int32_t> index, int32_t dim) {
    return dim >= 0 && (index.empty() || (index.front() >= 0 && index.back() < (dim == 0 ? max_index : dim)));
}

namespace {

// How long a row is no processor can guess. So all is looked at in eights, and the last of them takes in some numbers
// once more, without a branch. Squares are added up in an order that is the same for all processors, as the sum is
// stored.
class LookAtEights {
public:
    static constexpr size_t eight = 8;

    // Each beside the next one, so nine of them.
    void take_indices(const int32_t* index) {
        ascending_ &= four(index) < four(index + 1);
        ascending_ &= four(index + 4) < four(index + 5);
    }

    void take_values(const float* value) { add(four(value), four(value + 4)); }

    // The last `count` of eight.
    void take_last_values(const float* value, size_t count) {
        static constexpr int32_t kept[2 * eight] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
        const Indices first = bits_of_four(value) & four(kept + count);
        const Indices second = bits_of_four(value + 4) & four(kept + count + 4);
        add(reinterpret_cast<const Values&>(first), reinterpret_cast<const Values&>(second));
    }

    bool ascend() const { return (ascending_[0] & ascending_[1] & ascending_[2] & ascending_[3]) != 0; }
    float squares() const {
        const Values all = sum_ + other_;
        return (all[0] + all[1]) + (all[2] + all[3]);
    }

private:
    using Indices = int32_t __attribute__((vector_size(16), aligned(4), may_alias));
    using Values = float __attribute__((vector_size(16), aligned(4), may_alias));

    static const Indices& four(const int32_t* index) { return *reinterpret_cast<const Indices*>(index); }
    static const Values& four(const float* value) { return *reinterpret_cast<const Values*>(value); }
    static const Indices& bits_of_four(const float* value) { return *reinterpret_cast<const Indices*>(value); }

    void add(const Values& first, const Values& second) {
        sum_ += first * first;
        other_ += second * second;
    }

    Indices ascending_ = ~Indices{};
    Values sum_{}, other_{};
};

struct PieceLook {
    bool ascends;
    float squares;
};

}  // namespace

// So many indices, each beside the next one, and as many values or one more.
static PieceLook look_over_piece(const int32_t* index, size_t pairs, const float* value, size_t count) {
    constexpr size_t eight = LookAtEights::eight;
    if (count <= eight) {
        bool ascends = true;
        float squares = 0;
        for (size_t k = 0; k < pairs; ++k) ascends &= index[k] < index[k + 1];
        for (size_t k = 0; k < count; ++k) squares += value[k] * value[k];
        return {ascends, squares};
    }
    LookAtEights look;
    look.take_indices(index + pairs - eight);  // first, as it may have to come from far
    size_t k = 0;
    for (; k + eight <= pairs; k += eight) {
        look.take_indices(index + k);
        look.take_values(value + k);
    }
    look.take_last_values(value + count - eight, count - k);
    return {look.ascend(), look.squares()};
}

// A piece's sum has rounding errors of a 500th of it at most, its squares each one of 2^-149 where they are tiny.
RowLook look_over(const SparseRow& row, StopSign stop) {
    constexpr size_t piece = size_t{1} << 17;
    const size_t count = row.features().size();
    bool is_right = within(row.features(), row.dim);
    float squares = 0;
    for (size_t from = 0; from < count; from += piece) {
        if (from > 0) stop.give_up();
        const size_t here = std::min(piece, count - from), pairs = std::min(here, count - from - 1);
        const PieceLook its = look_over_piece(row.index + from, pairs, row.value + from, here);
        is_right &= its.ascends;
        squares += its.squares;
    }
    return {is_right, 1.01f * squares + 1e-35f};
}

// Passes without branches, which the compiler makes vectors of (a bool would keep it from that); only a row that fails
// is looked at again to say why.
void validate_indices(std::span<const int32_t> index, int32_t dim, StopSign stop) {
    uint32_t ascending = ~uint32_t{0};
    if (!index.empty())
        in_pieces(index.subspan(1), stop, [&](std::span<const int32_t> piece) {
            const int32_t* const before = piece.data() - 1;
            for (size_t k = 0; k < piece.size(); ++k) ascending &= before[k] < piece[k] ? ~uint32_t{0} : 0;
        });
    if (!within(index, dim) || ascending == 0) explain_indices(index, dim, stop);
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
    uint32_t bad = badness({row.value, 1});
    uint32_t ascending = ~uint32_t{0};
    for (size_t k = 1; k < count; ++k) {
        ascending &= row.index[k - 1] < row.index[k] ? ~uint32_t{0} : 0;
        bad |= badness({row.value + k, 1});
    }
    return within(row.features(), row.dim) && ascending != 0 && bad >> 31 == 0;
}

void validate(const SparseRow& row, StopSign stop) {
    constexpr int32_t piece = 1 << 16;
    if (row.nnz >= 0 && row.nnz <= piece && is_right(row)) return;
    if (row.nnz < 0) throw Error(Fault::bad_value, "negative number of non-zeros: %d", row.nnz);
    validate_indices(row.features(), row.dim, stop);
    validate_values(row, stop);
}

void validate(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate(row, stop); });
}

void validate_indices(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate_indices(row.features(), row.dim, stop); });
}

void validate_values(const SparseRow& row, int64_t number, StopSign stop) {
    in_row(number, [&] { validate_values(row, stop); });
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
