// A sum of many numbers as if it had been rounded once (Neumaier): whatever order they come in, it is the same to a
// digit or so.
#pragma once

#include <array>
#include <cmath>

namespace sparselin {

class Sum {
public:
    Sum() = default;
    explicit Sum(double x) : sum_(x) {}

    void add(double x) {
        const double sum = sum_ + x;
        rest_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
        sum_ = sum;
    }
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
