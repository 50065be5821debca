// The numbers of many runs, which go through the same arithmetic side by side, each as if it were alone: so a formula
// written for one run of a learner serves many, to the bit.
//
// This is the arithmetic that a row asks for once. What it asks for with every non-zero is in wide_loops.h.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sparselin {

// A number that is the same for all runs is there once, and stands for each: classes share lambda and so, at every
// step, eta and h.
class Wide {
public:
    static constexpr size_t most = 64;

    Wide(double number = 0) : count_(1) { number_[0] = number; }
    Wide(const double* numbers, size_t runs) : count_(runs) { std::copy_n(numbers, runs, number_.data()); }

    Wide(const Wide& other) : Wide(other.number_.data(), other.count_) {}
    Wide& operator=(const Wide& other) {
        count_ = other.count_;
        if (this != &other) std::copy_n(other.number_.data(), count_, number_.data());
        return *this;
    }

    size_t count() const { return count_; }
    const double* data() const { return number_.data(); }

    double operator[](size_t run) const { return count_ == 1 ? number_[0] : number_[run]; }

    // Of so many runs.
    void set(size_t run, size_t runs, double number) {
        if (std::bit_cast<uint64_t>((*this)[run]) == std::bit_cast<uint64_t>(number)) return;
        spread(runs);
        number_[run] = number;
    }

    void copy_to(double* numbers, size_t runs) const {
        if (count_ == runs) {
            std::copy_n(number_.data(), runs, numbers);
        } else {
            std::fill_n(numbers, runs, number_[0]);
        }
    }

    Wide operator-() const;
    friend Wide operator+(const Wide& a, const Wide& b);
    friend Wide operator-(const Wide& a, const Wide& b);
    friend Wide operator*(const Wide& a, const Wide& b);
    friend Wide operator/(const Wide& a, const Wide& b);
    Wide& operator+=(const Wide& other) { return *this = *this + other; }

private:
    struct OfCount {
        size_t count;
    };
    explicit Wide(OfCount of) : count_(of.count) {}

    template <typename Operation>
    static Wide of_both(const Wide& a, const Wide& b, Operation operation);

    void spread(size_t runs) {
        if (count_ == runs) return;
        count_ = runs;
        std::fill_n(number_.data() + 1, runs - 1, number_[0]);
    }

    std::array<double, most> number_;
    size_t count_;
};

// A number of plain arithmetic seen as that of many runs, and the other way round.
inline double number_of(double number, size_t) {
    return number;
}
inline double number_of(const Wide& numbers, size_t run) {
    return numbers[run];
}

// Numbers from and to where those of all runs are.
template <typename Real>
Real numbers_of(std::span<const double> runs) {
    if constexpr (std::is_same_v<Real, Wide>) {
        return Wide(runs.data(), runs.size());
    } else {
        return runs.front();
    }
}
inline void copy_numbers(const Wide& from, double* to, size_t runs) {
    from.copy_to(to, runs);
}
inline void copy_numbers(double from, double* to, size_t) {
    *to = from;
}

inline void set_number(double& number, size_t, size_t, double value) {
    number = value;
}
inline void set_number(Wide& numbers, size_t run, size_t runs, double value) {
    numbers.set(run, runs, value);
}

}  // namespace sparselin
