// A sparse row as the learners see it: where its numbers lie, the one check that they may be trusted, and how it is
// gone through; with a label it is an example.
#pragma once

#include "base/error.h"
#include "base/words.h"

#include <cmath>
#include <limits>

namespace sparselin {

constexpr int64_t max_index = 2147483647;  // as users count, from 1

// Ascending 0-based indices with their values; dim 0 means "not said".
template <typename Value>
struct RowOf {
    const int32_t* index = nullptr;
    const Value* value = nullptr;
    int32_t nnz = 0;
    int32_t dim = 0;

    // The largest 0-based index, -1 for an empty row.
    int32_t last() const { return nnz == 0 ? -1 : index[nnz - 1]; }

    std::span<const int32_t> features() const { return {index, static_cast<size_t>(nnz)}; }
};

using SparseRow = RowOf<float>;

// Calls work(i) for each i below count; between two calls an interrupt may be thrown.
template <typename Count, typename Work>
[[gnu::always_inline]] inline void each_below(Count count, StopSign stop, Work&& work) {
    for (Count i = 0; i < count; ++i) {
        stop.poll_every_so_often(static_cast<size_t>(i));
        work(i);
    }
}

// A row that owns its numbers.
struct SparseVector {
    explicit SparseVector(Memory memory, int32_t dimension = 0) : index(memory), value(memory), dim(dimension) {}

    Vector<int32_t> index;
    Vector<float> value;
    int32_t dim;

    void push_back(int32_t i, float x) {
        index.push_back(i);
        value.push_back(x);
    }
    void reserve(size_t n) {
        index.reserve(n);
        value.reserve(n);
    }
    SparseRow row() const { return {index.data(), value.data(), static_cast<int32_t>(index.size()), dim}; }
};

// The one door check: indices ascending, distinct, within the dimension; values finite and not zero. Whoever uses an
// index of a row as a place in memory has it checked first: what is stored may have been damaged.
void validate(const SparseRow& row, StopSign stop);

// The same for row `number` of a call, counted from 1, which the error names.
void validate(const SparseRow& row, int64_t number, StopSign stop);

// The part of it that concerns indices, and the rest.
void validate_indices(std::span<const int32_t> index, int32_t dim, StopSign stop);
void validate_indices(const SparseRow& row, int64_t number, StopSign stop);
void validate_values(const SparseRow& row, int64_t number, StopSign stop);

// What work() says is wrong is wrong in row `number`.
template <typename Work>
auto in_row(int64_t number, Work&& work) {
    try {
        return work();
    } catch (Error& error) {
        error.at_row(number);
        throw;
    }
}

// Takes the entries out whose value is 0.
template <typename Value>
void drop_zeros(Vector<int32_t>& index, Vector<Value>& value, StopSign stop) {
    size_t kept = 0;
    each_below(index.size(), stop, [&](size_t k) {
        if (value[k] == 0) return;
        index[kept] = index[k];
        value[kept++] = value[k];
    });
    index.resize(kept);
    value.resize(kept);
}

// Two known dimensions must be equal; returns the known one, or 0.
[[noreturn]] void refuse_dimensions(int32_t a, int32_t b);
inline int32_t common_dimension(int32_t a, int32_t b) {
    if (a != 0 && b != 0 && a != b) refuse_dimensions(a, b);
    return a != 0 ? a : b;
}

// A total order on all bit patterns, zero for identical rows only: dimension, count, indices, values. It means
// nothing but is the same on every machine.
int compare(const SparseRow& a, const SparseRow& b, StopSign stop = StopSign());

inline bool operator==(const SparseRow& a, const SparseRow& b) {
    return compare(a, b) == 0;
}

// A double as the float4 that values are stored as, and what to say where it does not fit.
inline constexpr char float4_hint[] =
    "Values are stored as float4, which goes from about 1e-45 to 3.4e38; scale them first.";

struct Float4 {
    explicit Float4(double number) : exact(number), value(static_cast<float>(number)) {}

    // Also where the double is not finite.
    bool is_too_large() const { return !std::isfinite(value); }
    bool is_too_small() const { return value == 0 && exact != 0; }
    bool fits() const { return !is_too_large() && !is_too_small(); }

    // What it is instead.
    const char* misfit() const {
        if (std::isnan(exact)) return "NaN";
        if (std::isinf(exact)) return "infinite";
        return value == 0 ? "too small for float4" : "too large for float4";
    }

    // "the value of index 7 is too large for float4: 1e60"; the index counts from 1.
    Error error_at(int64_t index) const {
        const auto where = static_cast<long long>(index);
        if (!std::isfinite(exact))
            return Error(Fault::out_of_range, "the value of index %lld is %s", where, misfit())
                .hint("Values must be finite numbers.");
        return Error(Fault::out_of_range, "the value of index %lld is %s: %s", where, misfit(),
                     NumberText(exact).c_str())
            .hint("%s", float4_hint);
    }

    double exact;
    float value;
};

// How the labels of rows are written. The numbers are part of what is stored.
enum class LabelKind : uint8_t { number = 0, boolean = 1, text = 2 };

// A label as it was written: a number, true or false as 1 or 0, or a text.
struct Label {
    Label(double number) : number(number) {}
    Label(std::string_view text) : text(text) {}
    double number = 0;
    std::string_view text;
};

// A row to learn from: features x, label y (-1 or +1 for a classification loss), weight omega > 0.
template <typename Value>
struct ExampleOf {
    RowOf<Value> x;
    double y;
    double omega;
    float most_length = std::numeric_limits<float>::infinity();  // |x|^2 is no larger: look_over(x)'s, or not known
};

using Example = ExampleOf<float>;  // as it is stored

// A row is gone through in stretches, and may be given up between them; all but huge ones are a single stretch, which
// pays nothing for that.
constexpr int32_t row_stretch = 1 << 16;  // a multiple of what sum_over() takes at a time

inline int32_t end_of_stretch(int32_t start, int32_t nnz) {
    return nnz - start > row_stretch ? start + row_stretch : nnz;
}

// Calls work(i) for each place i of a row.
template <typename Work>
[[gnu::always_inline]] inline void each_of(int32_t nnz, StopSign stop, Work&& work) {
    for (int32_t i = 0, end; i < nnz;) {
        for (end = end_of_stretch(i, nnz); i < end; ++i) work(i);
        if (end < nnz) stop.give_up();
    }
}

// Sum of term(i) over the row, in four lanes: one fixed order, whatever the instruction set. Inlined by force: a call
// would keep what `term` captures in memory, to be read anew for every feature.
template <typename Term>
[[gnu::always_inline]] inline auto sum_over(int32_t nnz, StopSign stop, Term&& term) {
    std::remove_cvref_t<decltype(term(nnz))> lane[4] = {};
    int32_t i = 0;
    for (;;) {
        const int32_t end = end_of_stretch(i, nnz);
        for (; i + 4 <= end; i += 4) {
            lane[0] += term(i);
            lane[1] += term(i + 1);
            lane[2] += term(i + 2);
            lane[3] += term(i + 3);
        }
        if (end == nnz) break;
        stop.give_up();
    }
    if (i < nnz) lane[0] += term(i);
    if (i + 1 < nnz) lane[1] += term(i + 1);
    if (i + 2 < nnz) lane[2] += term(i + 2);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

template <typename Value>
double squared_norm_of(const RowOf<Value>& x, StopSign stop) {
    return sum_over(x.nnz, stop, [&x](int32_t i) { return double{x.value[i]} * double{x.value[i]}; });
}

// One quick look at each row that comes in: whether validate_indices() would find anything, and a bound of |x|^2, above
// it by some hundredths of itself, or infinite.
struct RowLook {
    bool indices_are_right;
    float most_length;
};
RowLook look_over(const SparseRow& row, StopSign stop);

}  // namespace sparselin
