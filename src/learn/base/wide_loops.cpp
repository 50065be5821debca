#include "base/wide_loops.h"

#include "base/processors.h"

namespace sparselin {

namespace {

template <size_t count>
struct VectorOf {
    // Not `using Type = `: GCC then forgets the attributes, as they depend on the template.
    typedef double Type __attribute__((vector_size(count * sizeof(double)), aligned(sizeof(double)), may_alias));
    static_assert(sizeof(Type) == count * sizeof(double));
};
template <>
struct VectorOf<1> {
    using Type = double;
};

// Numbers of so many runs in the registers of a processor.
template <size_t count>
struct Some {
    static constexpr size_t here = count >= 4 ? 4 : count >= 2 ? 2 : 1;
    using Vector = typename VectorOf<here>::Type;

    [[gnu::always_inline]] explicit Some(const double* numbers) : first(at(numbers)), others(numbers + here) {}
    [[gnu::always_inline]] void copy_to(double* numbers) const {
        at(numbers) = first;
        others.copy_to(numbers + here);
    }
    // This += numbers * x
    [[gnu::always_inline]] void add_product(const double* numbers, double x) {
        first += at(numbers) * x;
        others.add_product(numbers + here, x);
    }
    // numbers += this * x
    [[gnu::always_inline]] void add_multiple_to(double* numbers, double x) const {
        at(numbers) += first * x;
        others.add_multiple_to(numbers + here, x);
    }

    static Vector& at(double* numbers) { return reinterpret_cast<Vector&>(*numbers); }
    static const Vector& at(const double* numbers) { return reinterpret_cast<const Vector&>(*numbers); }

    Vector first;
    Some<count - here> others;
};
template <>
struct Some<0> {
    explicit Some(const double*) {}
    void copy_to(double*) const {}
    void add_product(const double*, double) {}
    void add_multiple_to(double*, double) const {}
};

// Four lanes of so many, and what is added to them, have place in 16 registers of four numbers each.
constexpr size_t most_at_once = 12;

// Calls work(count) with the count, which is at most `most`, as a constant.
template <size_t most = most_at_once, typename Work>
[[gnu::always_inline]] inline void with_constant(size_t count, Work&& work) {
    if constexpr (most > 0) {
        if (count == most) return work(std::integral_constant<size_t, most>());
        with_constant<most - 1>(count, work);
    }
}

// Calls work(the first of some runs, how many as a constant) until all runs have had their turn.
template <typename Work>
[[gnu::always_inline]] inline void each_some(size_t runs, Work&& work) {
    for (size_t first = 0; first < runs; first += most_at_once) {
        with_constant(
            std::min(most_at_once, runs - first), [&](auto count)
                                                      __attribute__((always_inline)) { work(first, count); });
    }
}

// The lanes lie one behind the other.
template <typename Value>
[[gnu::always_inline]] inline void add_to_lanes(double* lanes, size_t runs, const double* const* places, size_t at,
                                                const Value* x, size_t features) {
    each_some(
        runs, [=](size_t first, auto count) __attribute__((always_inline)) {
            double* const lane = lanes + first;
            Some<count> sum0(lane), sum1(lane + Wide::most), sum2(lane + 2 * Wide::most), sum3(lane + 3 * Wide::most);
            const size_t from = at + first;
            size_t i = 0;
            for (; i + 4 <= features; i += 4) {
                sum0.add_product(places[i] + from, double{x[i]});
                sum1.add_product(places[i + 1] + from, double{x[i + 1]});
                sum2.add_product(places[i + 2] + from, double{x[i + 2]});
                sum3.add_product(places[i + 3] + from, double{x[i + 3]});
            }
            if (i < features) sum0.add_product(places[i] + from, double{x[i]});
            if (i + 1 < features) sum1.add_product(places[i + 1] + from, double{x[i + 1]});
            if (i + 2 < features) sum2.add_product(places[i + 2] + from, double{x[i + 2]});
            sum0.copy_to(lane);
            sum1.copy_to(lane + Wide::most);
            sum2.copy_to(lane + 2 * Wide::most);
            sum3.copy_to(lane + 3 * Wide::most);
        });
}

template <typename Value>
[[gnu::always_inline]] inline void add_multiples_of(const double* numbers, size_t runs, double* const* places,
                                                    size_t at, const Value* x, size_t features) {
    each_some(
        runs, [=](size_t first, auto count) __attribute__((always_inline)) {
            const Some<count> its(numbers + first);
            for (size_t i = 0; i < features; ++i) its.add_multiple_to(places[i] + at + first, double{x[i]});
        });
}

SPARSELIN_FOR_EACH_PROCESSOR
void add_floats_to_lanes(double* lanes, size_t runs, const double* const* places, size_t at, const float* x,
                         size_t features) {
    add_to_lanes(lanes, runs, places, at, x, features);
}

SPARSELIN_FOR_EACH_PROCESSOR
void add_doubles_to_lanes(double* lanes, size_t runs, const double* const* places, size_t at, const double* x,
                          size_t features) {
    add_to_lanes(lanes, runs, places, at, x, features);
}

}  // namespace

void WideSum::add(const double* const* places, size_t at, const float* x, size_t features) {
    add_floats_to_lanes(lane_[0].data(), runs_, places, at, x, features);
}

void WideSum::add(const double* const* places, size_t at, const double* x, size_t features) {
    add_doubles_to_lanes(lane_[0].data(), runs_, places, at, x, features);
}

SPARSELIN_FOR_EACH_PROCESSOR
void add_multiples(const double* numbers, size_t runs, double* const* places, size_t at, const float* x,
                   size_t features) {
    add_multiples_of(numbers, runs, places, at, x, features);
}

SPARSELIN_FOR_EACH_PROCESSOR
void add_multiples(const double* numbers, size_t runs, double* const* places, size_t at, const double* x,
                   size_t features) {
    add_multiples_of(numbers, runs, places, at, x, features);
}

Wide WideSum::total() const {
    std::array<double, Wide::most> sum;
    for (size_t run = 0; run < runs_; ++run)
        sum[run] = (lane_[0][run] + lane_[1][run]) + (lane_[2][run] + lane_[3][run]);
    return Wide(sum.data(), runs_);
}

}  // namespace sparselin
