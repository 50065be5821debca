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

// Work with `runs` of them, as a constant, from the first on.
template <size_t most = most_at_once>
[[gnu::always_inline]] inline void take(auto& work, size_t first, size_t runs) {
    if constexpr (most > 0) {
        if (runs == most) return work.template take<most>(first);
        take<most - 1>(work, first, runs);
    }
}

[[gnu::always_inline]] inline void take_all(auto& work, size_t runs) {
    for (size_t first = 0; first < runs; first += most_at_once) take(work, first, std::min(most_at_once, runs - first));
}

// What the loops that have nothing to ask for take the place of CellsAhead with.
struct NothingAhead {
    void ask() {}
};

template <typename Ahead>
struct AddToLanes {
    template <size_t runs>
    [[gnu::always_inline]] void take(size_t first) {
        const auto [places, at, x, count] = features;
        Ahead asked = ahead;  // by itself in registers
        double* const lane = lanes + first;
        Some<runs> sum0(lane), sum1(lane + Wide::most), sum2(lane + 2 * Wide::most), sum3(lane + 3 * Wide::most);
        const size_t from = at + first;
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            sum0.add_product(places[i] + from, x[i]);
            asked.ask();
            sum1.add_product(places[i + 1] + from, x[i + 1]);
            asked.ask();
            sum2.add_product(places[i + 2] + from, x[i + 2]);
            asked.ask();
            sum3.add_product(places[i + 3] + from, x[i + 3]);
            asked.ask();
        }
        if (i < count) sum0.add_product(places[i] + from, x[i]);
        if (i + 1 < count) sum1.add_product(places[i + 1] + from, x[i + 1]);
        if (i + 2 < count) sum2.add_product(places[i + 2] + from, x[i + 2]);
        sum0.copy_to(lane);
        sum1.copy_to(lane + Wide::most);
        sum2.copy_to(lane + 2 * Wide::most);
        sum3.copy_to(lane + 3 * Wide::most);
        ahead = asked;
    }

    double* const lanes;
    const FeaturesAt<const double> features;
    Ahead ahead;
};

template <typename Ahead>
struct AddMultiples {
    template <size_t runs>
    [[gnu::always_inline]] void take(size_t first) {
        const auto [places, at, x, count] = features;
        Ahead asked = ahead;
        const Some<runs> its(numbers + first);
        for (size_t i = 0; i < count; ++i) {
            its.add_multiple_to(places[i] + at + first, x[i]);
            asked.ask();
        }
        ahead = asked;
    }

    const double* const numbers;
    const FeaturesAt<double> features;
    Ahead ahead;
};

SPARSELIN_FOR_EACH_PROCESSOR
void add_and_ask(AddToLanes<CellsAhead>& work, size_t runs) {
    take_all(work, runs);
}
SPARSELIN_FOR_EACH_PROCESSOR
void add_to_lanes(AddToLanes<NothingAhead>& work, size_t runs) {
    take_all(work, runs);
}
SPARSELIN_FOR_EACH_PROCESSOR
void add_multiples_and_ask(AddMultiples<CellsAhead>& work, size_t runs) {
    take_all(work, runs);
}
SPARSELIN_FOR_EACH_PROCESSOR
void add_multiples_alone(AddMultiples<NothingAhead>& work, size_t runs) {
    take_all(work, runs);
}

}  // namespace

void WideSum::add(const FeaturesAt<const double>& features, CellsAhead& ahead) {
    if (ahead.any()) {
        AddToLanes<CellsAhead> work{lane_[0].data(), features, ahead};
        add_and_ask(work, runs_);
        ahead = work.ahead;
    } else {
        AddToLanes<NothingAhead> work{lane_[0].data(), features, {}};
        add_to_lanes(work, runs_);
    }
}

void add_multiples(const double* numbers, size_t runs, const FeaturesAt<double>& features, CellsAhead& ahead) {
    if (ahead.any()) {
        AddMultiples<CellsAhead> work{numbers, features, ahead};
        add_multiples_and_ask(work, runs);
        ahead = work.ahead;
    } else {
        AddMultiples<NothingAhead> work{numbers, features, {}};
        add_multiples_alone(work, runs);
    }
}

Wide WideSum::total() const {
    std::array<double, Wide::most> sum;
    for (size_t run = 0; run < runs_; ++run)
        sum[run] = (lane_[0][run] + lane_[1][run]) + (lane_[2][run] + lane_[3][run]);
    return Wide(sum.data(), runs_);
}

}  // namespace sparselin
