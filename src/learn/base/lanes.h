// Four numbers that go through the same arithmetic side by side, each as if it were alone: so a formula written for one
// run of a learner serves four, to the bit. The compiler makes of it what the processor has.
#pragma once

#include <cmath>
#include <cstddef>

// How a vector is passed depends on the processor; these are never passed to another file.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace sparselin {

// It may lie anywhere among other doubles.
struct __attribute__((packed, aligned(8), may_alias)) Lanes {
    using Vector = double __attribute__((vector_size(32), aligned(8), may_alias));

    static constexpr size_t count = 4;
    Vector v{};

    [[gnu::always_inline]] Lanes() = default;
    [[gnu::always_inline]] explicit Lanes(const Vector& v) : v(v) {}

    double operator[](size_t lane) const { return v[lane]; }
    void set(size_t lane, double number) { v[lane] = number; }

    [[gnu::always_inline]] Lanes operator-() const { return Lanes(-v); }
    [[gnu::always_inline]] Lanes& operator+=(const Lanes& other) {
        v += other.v;
        return *this;
    }
    [[gnu::always_inline]] Lanes& operator+=(double number) {
        v += number;
        return *this;
    }
    [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
    [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
    [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
    [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, double b) { return Lanes(a.v + b); }
    [[gnu::always_inline]] friend Lanes operator+(double a, const Lanes& b) { return Lanes(a + b.v); }
    [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, double b) { return Lanes(a.v * b); }
    [[gnu::always_inline]] friend Lanes operator*(double a, const Lanes& b) { return Lanes(a * b.v); }
    [[gnu::always_inline]] friend Lanes operator/(double a, const Lanes& b) { return Lanes(a / b.v); }
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
