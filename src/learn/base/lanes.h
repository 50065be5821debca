// Four numbers that go through the same arithmetic side by side, each as if it were alone: so a formula written for one
// run of a learner serves four, to the bit.
#pragma once

#include <cmath>
#include <cstddef>

namespace sparselin {

// Two vectors that every processor of the kind has: a larger one GCC keeps in memory where the processor has it not.
// It may lie anywhere among other doubles.
struct __attribute__((packed, aligned(8), may_alias)) Lanes {
    using Pair = double __attribute__((vector_size(16), aligned(8), may_alias));

    static constexpr size_t count = 4;
    Pair low{}, high{};

    [[gnu::always_inline]] Lanes() = default;
    [[gnu::always_inline]] Lanes(const Pair& low, const Pair& high) : low(low), high(high) {}

    double operator[](size_t lane) const { return lane < 2 ? low[lane] : high[lane - 2]; }
    void set(size_t lane, double number) {
        if (lane < 2) {
            low[lane] = number;
        } else {
            high[lane - 2] = number;
        }
    }

    [[gnu::always_inline]] Lanes operator-() const { return {-low, -high}; }
    [[gnu::always_inline]] Lanes& operator+=(const Lanes& other) { return *this = *this + other; }
    [[gnu::always_inline]] Lanes& operator+=(double number) { return *this = *this + number; }

    [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
        return {a.low + b.low, a.high + b.high};
    }
    [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
        return {a.low - b.low, a.high - b.high};
    }
    [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
        return {a.low * b.low, a.high * b.high};
    }
    [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, double b) { return {a.low + b, a.high + b}; }
    [[gnu::always_inline]] friend Lanes operator+(double a, const Lanes& b) { return {a + b.low, a + b.high}; }
    [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, double b) { return {a.low * b, a.high * b}; }
    [[gnu::always_inline]] friend Lanes operator*(double a, const Lanes& b) { return {a * b.low, a * b.high}; }
    [[gnu::always_inline]] friend Lanes operator/(double a, const Lanes& b) { return {a / b.low, a / b.high}; }
};

static_assert(sizeof(Lanes) == Lanes::count * sizeof(double) && alignof(Lanes) == alignof(double));

inline double lane_of(double number, size_t) {
    return number;
}
inline double lane_of(const Lanes& numbers, size_t lane) {
    return numbers[lane];
}

inline void set_lane(double& number, size_t, double value) {
    number = value;
}
inline void set_lane(Lanes& numbers, size_t lane, double value) {
    numbers.set(lane, value);
}

// Whether one of them is not 0.
inline bool any(double number) {
    return number != 0;
}
inline bool any(const Lanes& numbers) {
    return numbers[0] != 0 || numbers[1] != 0 || numbers[2] != 0 || numbers[3] != 0;
}

}  // namespace sparselin
