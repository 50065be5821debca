// The bound of |x|^2 that is soon found: never below it, as learners add it up, and not far above.
#include "rows/sparse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace sparselin;

namespace {

SparseRow row_of(const std::vector<float>& values) {
    return {nullptr, values.data(), static_cast<int32_t>(values.size()), 0};
}

void expect_bound(const std::vector<float>& values) {
    const double length = squared_norm_of(row_of(values), StopSign());
    const double bound = double{most_length_of(row_of(values), StopSign())};
    EXPECT_GE(bound, length) << values.size();
    EXPECT_TRUE(length > 1e38 || bound <= 1.03 * length + 1e-34) << bound << " " << length;
}

TEST(MostLength, IsNeverBelow) {
    std::mt19937_64 random(1);
    for (const int exponent : {-149, -100, -70, -30, 0, 30, 60, 100})
        for (size_t count = 0; count < 70; ++count) {
            std::vector<float> values(count);
            for (float& value : values)
                value = std::ldexp(static_cast<float>(static_cast<int>(random() % 2001) - 1000), exponent - 10);
            expect_bound(values);
            if (count > 0) values[random() % count] = 1e9f;
            expect_bound(values);
        }
}

// Long rows, whose small values are nothing beside the sum so far.
TEST(MostLength, HoldsForRowsOfAnyLength) {
    for (const size_t count : {1000u, 131071u, 131072u, 131073u, 3000001u}) {
        std::vector<float> values(count, 0.1f);
        expect_bound(values);
        for (size_t i = 0; i < 8 && i < count; ++i) values[i] = 300;
        expect_bound(values);
    }
}

TEST(MostLength, IsInfiniteWhereFloatsEnd) {
    EXPECT_TRUE(std::isinf(most_length_of(row_of({1, 3e38f}), StopSign())));
    EXPECT_TRUE(std::isinf(Example().most_length)) << "not known";
}

TEST(MostLength, CanBeGivenUp) {
    const std::vector<float> values(1 << 20, 1);
    const volatile std::sig_atomic_t raised = 1, lowered = 0;
    const StopSign::Flag cancels[2] = {&lowered, &raised};
    EXPECT_THROW(most_length_of(row_of(values), StopSign(nullptr, cancels)), GivenUp);
}

}  // namespace
