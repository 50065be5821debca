// The numbers of many runs, which go through the same arithmetic side by side, each as if it were alone: so a formula
// written for one run of a learner serves many, to the bit.
//
// Arithmetic that a row asks for once makes a Wide for each step of the formula. What it asks for with every non-zero,
// a sum of products, makes none: a product is only noted, and the loops over the runs (wide.cpp) add it to where it
// goes, many numbers at a time.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sparselin {

struct WideProduct;

// A number that is the same for all runs is there once, and stands for each: classes share lambda and so, at every
// step, eta and h.
class Wide {
public:
    static constexpr size_t most = 64;

    Wide(double number = 0) : count_(1) { number_[0] = number; }
    Wide(const double* numbers, size_t runs) : count_(runs) { std::copy_n(numbers, runs, number_.data()); }
    Wide(const WideProduct& product);

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
    friend WideProduct operator*(const Wide& a, double b);
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

    friend class WideSum;

    std::array<double, most> number_;
    size_t count_;
};

// Numbers, which have to stay where they are, times x.
struct WideProduct {
    const double* numbers;
    size_t count;
    double x;
};

inline WideProduct operator*(const Wide& a, double b) {
    return {a.data(), a.count(), b};
}

// The loop over the runs; a call is not worth it for few of them.
void add_long_product(double* sums, const double* numbers, double x, size_t runs);

inline void add_product(double* sums, const double* numbers, double x, size_t runs) {
    using Pair = double __attribute__((vector_size(16), aligned(8), may_alias));  // every processor of the kind has it
    if (runs >= 8) return add_long_product(sums, numbers, x, runs);
    size_t run = 0;
    for (; run + 2 <= runs; run += 2)
        reinterpret_cast<Pair&>(sums[run]) += reinterpret_cast<const Pair&>(numbers[run]) * x;
    if (run < runs) sums[run] += numbers[run] * x;
}

// Numbers that lie side by side in somebody's memory.
struct WideReference {
    double* numbers;
    size_t runs;

    friend WideProduct operator*(const WideReference& a, double b) { return {a.numbers, a.runs, b}; }

    void operator+=(const WideProduct& product) const {
        if (product.count == runs) {
            add_product(numbers, product.numbers, product.x, runs);
        } else {
            *this += Wide(product);
        }
    }
    void operator+=(const Wide& other) const { (Wide(numbers, runs) + other).copy_to(numbers, runs); }
};

// The sum of a row's products in the order of sum_over() (sparse.h): four lanes, each of them of many runs.
class WideSum {
public:
    // The products' numbers have to stay where they are until the sum is asked for.
    [[gnu::always_inline]] void add(const WideProduct& product) {
        numbers_[waiting_] = product.numbers;
        x_[waiting_] = product.x;
        runs_ = product.count;
        if (++waiting_ == at_once) add_waiting();
    }
    Wide total();

private:
    static constexpr size_t at_once = 8;
    using Lanes = std::array<std::array<double, Wide::most>, 4>;

    void add_waiting();

    std::array<const double*, at_once> numbers_;
    std::array<double, at_once> x_;
    size_t waiting_ = 0, runs_ = 0;
    bool begun_ = false;
    Lanes lane_;
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
