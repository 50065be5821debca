// When rows are said to come sorted by label: where they do, and not by chance.
#include "support/generated_rows.h"
#include "survey/label_order.h"

#include <gtest/gtest.h>

namespace sparselin {
namespace {

template <typename Label>
LabelOrder::Parts parts_of(int64_t rows, Label&& label) {
    LabelOrder order;
    for (int64_t i = 0; i < rows; ++i) order.add(label(i));
    return order.parts();
}

TEST(LabelOrder, CountsInTwoParts) {
    for (const int64_t rows : {64, 65, 95, 96, 97, 127, 128, 1000, 5000, 6143, 6144, 6145, 8191}) {
        const int64_t negative = rows / 2;
        const auto label = [=](int64_t i) { return i < negative ? -1.0 : 1.0; };
        const LabelOrder::Parts parts = parts_of(rows, label);
        EXPECT_EQ(parts.rows[0] + parts.rows[1], rows);
        EXPECT_GE(3 * parts.rows[0], rows);
        EXPECT_GE(3 * parts.rows[1], rows) << "of " << rows;
        const auto first = static_cast<double>(std::min(parts.rows[0], negative));
        EXPECT_DOUBLE_EQ(parts.share[0], first / static_cast<double>(parts.rows[0]));
        EXPECT_DOUBLE_EQ(parts.share[1], (static_cast<double>(negative) - first) / static_cast<double>(parts.rows[1]));
        EXPECT_TRUE(parts.are_sorted) << rows;
    }
}

// In either order, rare classes, many classes.
TEST(LabelOrder, FindsRowsThatAreSorted) {
    for (const int64_t rows : {200, 3000, 100000})
        for (const int64_t positive : {rows / 2, rows / 5, rows * 4 / 5, int64_t{60}}) {
            if (positive >= rows) continue;
            EXPECT_TRUE(parts_of(rows, [=](int64_t i) { return i < positive ? 1 : -1; }).are_sorted);
            EXPECT_TRUE(parts_of(rows, [=](int64_t i) { return i >= rows - positive ? 1 : -1; }).are_sorted);
        }
    EXPECT_TRUE(parts_of(3000, [](int64_t i) { return static_cast<double>(i / 150); }).are_sorted) << "20 classes";
    // As some rows are out of place.
    EXPECT_TRUE(parts_of(3000, [](int64_t i) { return (i < 1500) == (i % 20 > 0) ? 1 : -1; }).are_sorted);
}

TEST(LabelOrder, IsSilentWhereItMayBeChance) {
    EXPECT_FALSE(parts_of(0, [](int64_t) { return 1; }).are_sorted);
    EXPECT_FALSE(parts_of(63, [](int64_t i) { return i < 30; }).are_sorted) << "few rows";
    EXPECT_FALSE(parts_of(1000, [](int64_t) { return 1; }).are_sorted) << "one class";
    EXPECT_FALSE(parts_of(1000, [](int64_t i) { return i >= 988; }).are_sorted) << "a dozen";
    EXPECT_FALSE(parts_of(1000, [](int64_t i) { return i % 2; }).are_sorted);
    // Shares that change by and by, as months do.
    for (const double last : {0.02, 0.2, 0.6}) {
        generated::Random random(7);
        const auto label = [&](int64_t i) {
            return random.uniform() < last * (0.4 + 0.6 * static_cast<double>(i) / 50000);
        };
        EXPECT_FALSE(parts_of(50000, label).are_sorted) << last;
    }
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        generated::Random random(seed);
        const double share = random.uniform() * random.uniform();
        const auto rows = static_cast<int64_t>(64 + random.below(2000));
        EXPECT_FALSE(parts_of(rows, [&](int64_t) { return random.uniform() < share; }).are_sorted) << seed;
    }
}

}  // namespace
}  // namespace sparselin
