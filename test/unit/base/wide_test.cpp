// The arithmetic of many numbers against the same on each of them: to the bit, however many there are.
#include "base/wide.h"

#include <gtest/gtest.h>

#include <random>

namespace sparselin {
namespace {

constexpr size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 20, 33, 63, 64};

std::vector<double> some_numbers(std::mt19937_64& random, size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = std::ldexp(static_cast<double>(random()), -60) - 8;
    return numbers;
}

Wide wide(const std::vector<double>& numbers) {
    return Wide(numbers.data(), numbers.size());
}

void expect_same(const Wide& found, size_t run, double expected) {
    EXPECT_EQ(std::bit_cast<uint64_t>(found[run]), std::bit_cast<uint64_t>(expected)) << run;
}

TEST(Wide, IsTheArithmeticOfEachNumber) {
    std::mt19937_64 random(1);
    for (const size_t count : counts) {
        SCOPED_TRACE(count);
        const std::vector<double> a = some_numbers(random, count), b = some_numbers(random, count);
        const Wide x = wide(a), y = wide(b);
        Wide sum = x;
        sum += y;
        for (size_t k = 0; k < count; ++k) {
            expect_same(x + y, k, a[k] + b[k]);
            expect_same(x - y, k, a[k] - b[k]);
            expect_same(x * y, k, a[k] * b[k]);
            expect_same(1 / x, k, 1 / a[k]);
            expect_same(-x, k, -a[k]);
            expect_same(sum, k, a[k] + b[k]);
            expect_same(x * 0.3, k, a[k] * 0.3);
            expect_same(-(x + y - x * 0.3) * y, k, -(a[k] + b[k] - a[k] * 0.3) * b[k]);
        }
    }
}

TEST(Wide, ANumberStandsForAll) {
    std::mt19937_64 random(2);
    for (const size_t count : counts) {
        SCOPED_TRACE(count);
        const std::vector<double> a = some_numbers(random, count);
        Wide one = 0.7;
        std::vector<double> copy(count);
        one.copy_to(copy.data(), count);
        EXPECT_EQ(copy, std::vector<double>(count, 0.7));
        for (size_t k = 0; k < count; ++k) {
            one.set(k, count, 0.7);
            expect_same(one - wide(a), k, 0.7 - a[k]);
            expect_same(wide(a) / one, k, a[k] / 0.7);
        }
        EXPECT_EQ(one.count(), 1u) << "still the same for all";
        one.set(count - 1, count, -0.7);
        EXPECT_EQ(one.count(), count);
        for (size_t k = 0; k < count; ++k) expect_same(one, k, k + 1 == count ? -0.7 : 0.7);
        Wide zero;
        zero.set(count - 1, count, -0.0);
        expect_same(zero, count - 1, -0.0);
    }
}

}  // namespace
}  // namespace sparselin
