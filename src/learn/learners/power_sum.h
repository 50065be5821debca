// 1^q + 2^q + ... + T^q, without going through all of them: the sum of the averaging weights of T steps.
#pragma once

#include <cmath>
#include <cstdint>

namespace sparselin {

// The first terms one by one, the others by Euler and Maclaurin; good to a few rounding errors for q from 0 to 10.
inline double power_sum(int64_t T, double q) {
    constexpr int64_t one_by_one = 64;
    const auto power = [q](int64_t t) { return std::pow(static_cast<double>(t), q); };
    double sum = 0;
    for (int64_t t = 1; t <= T && t < one_by_one; ++t) sum += power(t);
    if (T < one_by_one) return sum;
    const double a = one_by_one, b = static_cast<double>(T);
    const auto odd_derivatives = [q](double t) {
        const double third = q * (q - 1) * (q - 2), fifth = third * (q - 3) * (q - 4);
        return q * std::pow(t, q - 1) / 12 - third * std::pow(t, q - 3) / 720 + fifth * std::pow(t, q - 5) / 30240;
    };
    sum += (std::pow(b, q + 1) - std::pow(a, q + 1)) / (q + 1) + (power(T) + power(one_by_one)) / 2;
    return sum + odd_derivatives(b) - odd_derivatives(a);
}

}  // namespace sparselin
