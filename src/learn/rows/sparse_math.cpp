#include "rows/sparse_math.h"

#include "base/words.h"
#include "rows/sparse.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparselin {

namespace {

constexpr int64_t much_longer = 32;

// The fixed order of every sum here.
class Lanes {
public:
    void add(double term) { lane_[count_++ & 3] += term; }
    double sum() const { return (lane_[0] + lane_[1]) + (lane_[2] + lane_[3]); }

private:
    double lane_[4] = {};
    size_t count_ = 0;
};

double product(const SparseRow& a, int32_t i, const SparseRow& b, int32_t j) {
    return double{a.value[i]} * double{b.value[j]};
}

double dot_by_merging(const SparseRow& a, const SparseRow& b, StopSign stop) {
    Lanes lanes;
    size_t round = 0;
    for (int32_t i = 0, j = 0; i < a.nnz && j < b.nnz; ++round) {
        stop.poll_every_so_often(round);
        const int32_t at_a = a.index[i], at_b = b.index[j];
        if (at_a == at_b) lanes.add(product(a, i, b, j));
        i += at_a <= at_b;
        j += at_b <= at_a;
    }
    return lanes.sum();
}

// Looks each index of the short row up in what is left of the long one, and calls visit(index, product) for those that
// both have.
template <typename Visit>
void each_common(const SparseRow& few, const SparseRow& many, StopSign stop, Visit&& visit) {
    const int32_t* const end = many.index + many.nnz;
    const int32_t* from = many.index;
    for (int32_t i = 0; i < few.nnz; ++i) {
        stop.poll_every_so_often(static_cast<size_t>(i));
        from = std::lower_bound(from, end, few.index[i]);
        if (from == end) break;
        if (*from == few.index[i]) visit(*from, product(few, i, many, static_cast<int32_t>(from - many.index)));
    }
}

// The same terms in the same order.
double dot_by_searching(const SparseRow& few, const SparseRow& many, StopSign stop) {
    Lanes lanes;
    each_common(few, many, stop, [&](int32_t, double product) { lanes.add(product); });
    return lanes.sum();
}

// May become 0.
float to_float(double result, int32_t index) {
    const Float4 rounded(result);
    if (rounded.is_too_large())
        throw Error(Fault::out_of_range, "the value of index %lld is too large for float4: %s",
                    static_cast<long long>(index) + 1, NumberText(result).c_str())
            .hint("Values are stored as float4, which goes up to 3.4e38; scale them first.");
    return rounded.value;
}

// The same for a product of two numbers that are not zero.
float product_to_float(double exact, int32_t index) {
    if (const Float4 rounded(exact); rounded.value == 0)
        throw rounded.error_at(int64_t{index} + 1)
            .hint("Values are stored as float4, which goes down to about 1e-45; multiply by a larger number.");
    return to_float(exact, index);
}

void push_nonzero(SparseVector& result, int32_t index, double value) {
    if (const float rounded = to_float(value, index); rounded != 0) result.push_back(index, rounded);
}

// a + sign * b
SparseVector combine(const SparseRow& a, const SparseRow& b, double sign, Memory memory, StopSign stop) {
    constexpr int64_t none = std::numeric_limits<int64_t>::max();
    SparseVector result(memory, common_dimension(a.dim, b.dim));
    result.reserve(static_cast<size_t>(a.nnz) + static_cast<size_t>(b.nnz));
    size_t round = 0;
    for (int32_t i = 0, j = 0; i < a.nnz || j < b.nnz; ++round) {
        stop.poll_every_so_often(round);
        const int64_t at_a = i < a.nnz ? a.index[i] : none, at_b = j < b.nnz ? b.index[j] : none;
        const auto at = static_cast<int32_t>(std::min(at_a, at_b));
        if (at_a < at_b) {
            result.push_back(at, a.value[i++]);
        } else if (at_b < at_a) {
            result.push_back(at, static_cast<float>(sign * b.value[j++]));
        } else {
            push_nonzero(result, at, static_cast<double>(a.value[i++]) + sign * b.value[j++]);
        }
    }
    validate_indices(result.index, result.dim, stop);  // the open row may reach beyond the other's dimension
    return result;
}

}  // namespace

Norm norm_by_name(std::string_view name) {
    if (name == "l2") return Norm::l2;
    if (name == "l1") return Norm::l1;
    if (name == "max") return Norm::max;
    throw Error(Fault::bad_value, "unknown norm: \"%s\"", Excerpt(name).c_str()).hint("Use 'l2', 'l1' or 'max'.");
}

double norm(const SparseRow& x, Norm which, StopSign stop) {
    Lanes lanes;
    double largest = 0;
    each_below(x.nnz, stop, [&](int32_t k) {
        const double value = std::fabs(static_cast<double>(x.value[k]));
        switch (which) {
            case Norm::l2: lanes.add(value * value); break;
            case Norm::l1: lanes.add(value); break;
            case Norm::max: largest = std::max(largest, value); break;
        }
    });
    return which == Norm::max ? largest : which == Norm::l1 ? lanes.sum() : std::sqrt(lanes.sum());
}

double dot(const SparseRow& a, const SparseRow& b, StopSign stop) {
    common_dimension(a.dim, b.dim);
    if (a.nnz > much_longer * b.nnz) return dot_by_searching(b, a, stop);
    if (b.nnz > much_longer * a.nnz) return dot_by_searching(a, b, stop);
    return dot_by_merging(a, b, stop);
}

float get(const SparseRow& x, int64_t index) {
    const int64_t limit = x.dim == 0 ? max_index : x.dim;
    if (index < 1 || index > limit)
        throw Error(Fault::out_of_range, "index %lld is out of range", static_cast<long long>(index))
            .hint("Indices of this sparsearray go from 1 to %lld.", static_cast<long long>(limit));
    const int32_t* const end = x.index + x.nnz;
    const auto wanted = static_cast<int32_t>(index - 1);
    const int32_t* const found = std::lower_bound(x.index, end, wanted);
    return found != end && *found == wanted ? x.value[found - x.index] : 0;
}

SparseVector normalize(const SparseRow& x, Norm which, Memory memory, StopSign stop) {
    SparseVector result(memory, x.dim);
    result.reserve(static_cast<size_t>(x.nnz));
    const double length = norm(x, which, stop);
    each_below(x.nnz, stop, [&](int32_t k) { push_nonzero(result, x.index[k], double{x.value[k]} / length); });
    return result;
}

SparseVector add(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop) {
    return combine(a, b, 1, memory, stop);
}

SparseVector subtract(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop) {
    return combine(a, b, -1, memory, stop);
}

SparseVector scale(const SparseRow& x, double factor, Memory memory, StopSign stop) {
    if (!std::isfinite(factor))
        throw Error(Fault::out_of_range, "cannot multiply a sparsearray by %s", std::isnan(factor) ? "NaN" : "infinity")
            .hint("The factor must be a finite number.");
    SparseVector result(memory, x.dim);
    if (factor == 0) return result;
    result.reserve(static_cast<size_t>(x.nnz));
    each_below(x.nnz, stop, [&](int32_t k) {
        result.push_back(x.index[k], product_to_float(double{x.value[k]} * factor, x.index[k]));
    });
    return result;
}

SparseVector presence(const SparseRow& x, Memory memory, StopSign stop) {
    SparseVector result(memory, x.dim);
    result.reserve(static_cast<size_t>(x.nnz));
    each_below(x.nnz, stop, [&](int32_t k) { result.push_back(x.index[k], 1); });
    return result;
}

SparseVector multiply(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop) {
    const bool a_is_few = a.nnz <= b.nnz;
    SparseVector result(memory, common_dimension(a.dim, b.dim));
    result.reserve(static_cast<size_t>(std::min(a.nnz, b.nnz)));
    each_common(a_is_few ? a : b, a_is_few ? b : a, stop,
                [&](int32_t index, double product) { result.push_back(index, product_to_float(product, index)); });
    validate_indices(result.index, result.dim, stop);
    return result;
}

SparseVector append(const SparseRow& a, const SparseRow& b, Memory memory, StopSign stop) {
    if (a.dim == 0)
        throw Error(Fault::bad_value, "cannot append to a sparsearray without a dimension")
            .hint("Give the left one its dimension by adding an empty row, as in x + '{}/10'.");
    const int64_t end = static_cast<int64_t>(a.dim) + (b.dim != 0 ? b.dim : static_cast<int64_t>(b.last()) + 1);
    if (end > max_index)
        throw Error(Fault::out_of_range, "the appended sparsearray would reach index %lld", static_cast<long long>(end))
            .hint("Indices and dimensions go up to 2147483647.");
    SparseVector result(memory, b.dim == 0 ? 0 : static_cast<int32_t>(end));
    result.reserve(static_cast<size_t>(a.nnz) + static_cast<size_t>(b.nnz));
    each_below(a.nnz, stop, [&](int32_t k) { result.push_back(a.index[k], a.value[k]); });
    each_below(b.nnz, stop,
               [&](int32_t k) { result.push_back(static_cast<int32_t>(int64_t{a.dim} + b.index[k]), b.value[k]); });
    validate_indices(result.index, result.dim, stop);
    return result;
}

}  // namespace sparselin
