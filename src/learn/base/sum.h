// A sum of many numbers as if it had been rounded once: whatever order they come in, it is the same to a
// digit or so.
#pragma once

#include <array>

namespace sparselin {

// What a sum of two numbers loses to rounding (Knuth). Of doubles, or several side by side.
template <typename Number>
Number lost(Number a, Number b, Number sum) {
    const Number of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

// Adds x to a sum whose rest has what rounding took from it.
template <typename Number>
void add_to(Number& sum, Number& rest, Number x) {
    const Number next = sum + x;
    rest += lost(sum, x, next);
    sum = next;
}

class Sum {
public:
    Sum() = default;
    explicit Sum(double x) : sum_(x) {}

    void add(double x) { add_to(sum_, rest_, x); }
    void add(const Sum& other) {
        add(other.sum_);
        rest_ += other.rest_;
    }

    // Not finite once the numbers have become too large.
    double value() const { return sum_ + rest_; }

    double minus(const Sum& other) const { return (sum_ - other.sum_) + (rest_ - other.rest_); }

    // To be saved and loaded.
    static auto state_of(auto& self) { return std::array{&self.sum_, &self.rest_}; }

private:
    double sum_ = 0;
    double rest_ = 0;  // what rounding took away
};

}  // namespace sparselin
