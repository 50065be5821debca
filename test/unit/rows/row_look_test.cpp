// The quick look at each row: whether its indices are right, and a bound of |x|^2 that is never below it, as learners
// add it up, and not far above.
#include "rows/sparse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace sparselin;

namespace {

// The numbers and nothing beside them: a sanitizer sees it when more is looked at.
struct OwnRow {
    explicit OwnRow(std::vector<float> its) : index(its.size()), values(std::move(its)) {
        std::iota(index.begin(), index.end(), 0);
    }
    explicit OwnRow(size_t count) : OwnRow(std::vector<float>(count, 1)) {}

    RowLook look(int32_t dim = 0, StopSign stop = StopSign()) const {
        return look_over({index.data(), values.data(), static_cast<int32_t>(values.size()), dim}, stop);
    }

    std::vector<int32_t> index;
    std::vector<float> values;
};

void expect_bound(const std::vector<float>& values) {
    const SparseRow row{nullptr, values.data(), static_cast<int32_t>(values.size()), 0};
    const double length = squared_norm_of(row, StopSign()), bound = double{OwnRow(values).look().most_length};
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
    EXPECT_TRUE(std::isinf(OwnRow(std::vector<float>{1, 3e38f}).look().most_length));
    EXPECT_TRUE(std::isinf(Example().most_length)) << "not known";
}

// Whatever is wrong, and wherever.
TEST(RowLook, SeesEveryWrongIndex) {
    for (const size_t count : {1, 2, 7, 8, 9, 10, 15, 16, 17, 18, 24, 31, 33, 131071, 131072, 131073, 131080, 262145}) {
        OwnRow row(count);
        const auto last = static_cast<int32_t>(count) - 1;
        EXPECT_TRUE(row.look().indices_are_right) << count;
        EXPECT_TRUE(row.look(last + 1).indices_are_right) << count;
        EXPECT_FALSE(row.look(-1).indices_are_right) << count;
        EXPECT_EQ(row.look(last).indices_are_right, last == 0) << count << ", 0: any dimension";
        for (size_t at = 1; at < count; ++at) {
            const size_t in_piece = at % 131072;
            if (in_piece > 20 && in_piece < 131050 && at + 20 < count && at % 8191 != 0) continue;
            for (const int32_t wrong : {row.index[at - 1], row.index[at - 1] - 1, -1}) {
                const int32_t right = std::exchange(row.index[at], wrong);
                EXPECT_FALSE(row.look().indices_are_right) << count << " " << at << " " << wrong;
                row.index[at] = right;
            }
        }
        row.index[0] = -1;
        EXPECT_FALSE(row.look().indices_are_right) << count;
        row.index[0] = 0;
        row.index[count - 1] = std::numeric_limits<int32_t>::max();
        EXPECT_FALSE(row.look().indices_are_right) << count;
        row.index[count - 1] = std::numeric_limits<int32_t>::max() - 1;
        EXPECT_TRUE(row.look().indices_are_right) << count;
    }
    EXPECT_TRUE(OwnRow(0).look().indices_are_right);
    EXPECT_TRUE(OwnRow(0).look(5).indices_are_right);
    EXPECT_FALSE(OwnRow(0).look(-1).indices_are_right);
}

TEST(RowLook, CanBeGivenUp) {
    const OwnRow row(size_t{1} << 20);
    const volatile std::sig_atomic_t raised = 1, lowered = 0;
    const StopSign::Flag cancels[2] = {&lowered, &raised};
    EXPECT_THROW(row.look(0, StopSign(nullptr, cancels)), GivenUp);
}

}  // namespace
