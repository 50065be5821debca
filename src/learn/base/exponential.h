// exp and log of what a logistic loss needs, in plain arithmetic: the same digits on every machine, and loops over them
// become vectors. Errors are three units in the last place at most.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sparselin {

// All bits, or none: in place of a condition, of which the compiler might make a branch, and then no vectors.
[[gnu::always_inline]] constexpr uint64_t all_if_negative(double x) {
    return 0 - (std::bit_cast<uint64_t>(x) >> 63);
}

// b where x is negative, and a elsewhere.
[[gnu::always_inline]] constexpr double chosen_by_sign(double x, double a, double b) {
    const uint64_t negative = all_if_negative(x);
    return std::bit_cast<double>((std::bit_cast<uint64_t>(a) & ~negative) | (std::bit_cast<uint64_t>(b) & negative));
}

// sum of c[first + k] x^k for k < count, in halves (Estrin), so that little waits for anything else; power[l] is
// x^(2^l).
template <size_t first, size_t count, size_t size>
[[gnu::always_inline]] constexpr double sum_of_powers(const std::array<double, size>& c, const double* power) {
    if constexpr (count == 1) {
        return c[first];
    } else {
        constexpr size_t half = std::bit_ceil(count) / 2;
        return sum_of_powers<first, half>(c, power) +
               power[std::countr_zero(half)] * sum_of_powers<first + half, count - half>(c, power);
    }
}

template <size_t size>
[[gnu::always_inline]] constexpr double polynomial(const std::array<double, size>& c, double x) {
    double power[5] = {x};
    power[1] = x * x;
    power[2] = power[1] * power[1];
    power[3] = power[2] * power[2];
    power[4] = power[3] * power[3];
    return sum_of_powers<0, size>(c, power);
}

// exp(-x) for x >= 0: 2^-n exp(r), where x = n log 2 - r and |r| <= log(2)/2, by exp's series. 0 from 708 on, where it
// is no normal number any more.
[[gnu::always_inline]] constexpr double exp_of_minus(double x) {
    constexpr std::array<double, 14> of_factorials = [] {
        std::array<double, 14> c{};
        double factorial = 1;
        for (size_t k = 0; k < c.size(); factorial *= static_cast<double>(++k)) c[k] = 1 / factorial;
        return c;
    }();
    constexpr uint64_t limit = std::bit_cast<uint64_t>(708.0);
    constexpr double to_whole = 0x1.8p52;  // added to a number it rounds it, and has it in its last bits
    constexpr double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    // What is no normal number is taken out at the end, when nothing waits for that.
    const uint64_t is_normal = all_if_negative(std::bit_cast<double>(std::bit_cast<uint64_t>(x) - limit));
    const double shifted = x * 0x1.71547652b82fep0 + to_whole, n = shifted - to_whole;
    const double r = (n * log2_high - x) + n * log2_low;
    const uint64_t whole = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(to_whole);
    const double power_of_two = std::bit_cast<double>((1023 - whole) << 52);
    return std::bit_cast<double>(std::bit_cast<uint64_t>(polynomial(of_factorials, r) * power_of_two) & is_normal);
}

// log(1 + e) for 0 <= e <= 1: twice the series of atanh(z), z = e/(2 + e).
[[gnu::always_inline]] constexpr double log_of_one_and(double e) {
    constexpr std::array<double, 17> of_odd = [] {
        std::array<double, 17> c{};
        for (size_t k = 0; k < c.size(); ++k) c[k] = 2 / static_cast<double>(2 * k + 1);
        return c;
    }();
    const double z = e / (2 + e);
    return z * polynomial(of_odd, z * z);
}

}  // namespace sparselin
