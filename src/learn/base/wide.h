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

// Two numbers, for which every processor of today has a register.
class Two {
    typedef double Numbers __attribute__((vector_size(2 * sizeof(double))));
    typedef double Anywhere __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

public:
    Two(double both = 0) : numbers_{both, both} {}
    Two(double first, double second) : numbers_{first, second} {}

    static Two at(const double* numbers) { return reinterpret_cast<const Anywhere&>(*numbers); }
    void copy_to(double* numbers) const { reinterpret_cast<Anywhere&>(*numbers) = numbers_; }

    double first() const { return numbers_[0]; }
    double second() const { return numbers_[1]; }
    // The first, or second, numbers of two of them.
    static Two firsts(Two a, Two b) { return Numbers{a.numbers_[0], b.numbers_[0]}; }
    static Two seconds(Two a, Two b) { return Numbers{a.numbers_[1], b.numbers_[1]}; }

    Two operator-() const { return -numbers_; }
    friend Two operator+(Two a, Two b) { return a.numbers_ + b.numbers_; }
    friend Two operator-(Two a, Two b) { return a.numbers_ - b.numbers_; }
    friend Two operator*(Two a, Two b) { return a.numbers_ * b.numbers_; }
    friend Two operator/(Two a, Two b) { return a.numbers_ / b.numbers_; }
    Two& operator+=(Two other) { return *this = *this + other; }

private:
    Two(Numbers numbers) : numbers_(numbers) {}

    Numbers numbers_;
};

// A number that is the same for all runs is there once, and stands for each: classes share lambda and so, at every
// step, eta and h. They are gone through two at a time, so that few runs cost little more than one; behind an odd
// number of them there is another that means nothing.
class Wide {
public:
    static constexpr size_t most = 64;

    Wide(double number = 0) : count_(1) { set(0, Two(number)); }
    Wide(const double* numbers, size_t runs) : count_(runs) {
        for (size_t k = 0; k + 2 <= runs; k += 2) set(k, Two::at(numbers + k));
        if (runs % 2 != 0) set(runs - 1, Two(numbers[runs - 1]));
    }

    Wide(const Wide& other) : count_(other.count_) { take(other); }
    Wide& operator=(const Wide& other) {
        count_ = other.count_;
        take(other);
        return *this;
    }

    size_t count() const { return count_; }
    const double* data() const { return number_.data(); }

    double operator[](size_t run) const { return number_[run * step()]; }

    // Of so many runs.
    void set(size_t run, size_t runs, double number) {
        if (std::bit_cast<uint64_t>((*this)[run]) == std::bit_cast<uint64_t>(number)) return;
        spread(runs);
        number_[run] = number;
    }

    void copy_to(double* numbers, size_t runs) const {
        for (size_t k = 0; k + 2 <= runs; k += 2) two(k).copy_to(numbers + k);
        if (runs % 2 != 0) numbers[runs - 1] = (*this)[runs - 1];
    }

    Wide operator-() const {
        return of_both(*this, *this, [](Two x, Two) { return -x; });
    }
    friend Wide operator+(const Wide& a, const Wide& b) {
        return of_both(a, b, [](Two x, Two y) { return x + y; });
    }
    friend Wide operator-(const Wide& a, const Wide& b) {
        return of_both(a, b, [](Two x, Two y) { return x - y; });
    }
    friend Wide operator*(const Wide& a, const Wide& b) {
        return of_both(a, b, [](Two x, Two y) { return x * y; });
    }
    friend Wide operator/(const Wide& a, const Wide& b) {
        return of_both(a, b, [](Two x, Two y) { return x / y; });
    }
    Wide& operator+=(const Wide& other) { return *this = *this + other; }

private:
    struct OfCount {
        size_t count;
    };
    explicit Wide(OfCount of) : count_(of.count) {}

    size_t step() const { return count_ == 1 ? 0 : 1; }
    Two two(size_t run) const { return Two::at(&number_[run * step()]); }
    void set(size_t run, Two its) { its.copy_to(&number_[run]); }

    template <typename Operation>
    [[gnu::always_inline]] static Wide of_both(const Wide& a, const Wide& b, Operation operation) {
        Wide result(OfCount{std::max(a.count_, b.count_)});
        for (size_t k = 0; k < result.count_; k += 2) result.set(k, operation(a.two(k), b.two(k)));
        return result;
    }

    void take(const Wide& other) {
        for (size_t k = 0; k < count_; k += 2) set(k, Two::at(&other.number_[k]));
    }

    void spread(size_t runs) {
        if (count_ == runs) return;
        count_ = runs;
        std::fill_n(number_.data() + 1, runs + runs % 2 - 1, number_[0]);
    }

    std::array<double, most> number_;
    size_t count_;
};
static_assert(Wide::most % 2 == 0);

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
