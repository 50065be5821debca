// What is held out stays held out: the hash may never change, since models are compared on rows of years ago.
#include "rows/holdout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace sparselin;

// The share from which on a row is held out, to 30 bits.
double threshold_of(const SparseRow& row) {
    double low = 0, high = 1;
    for (int i = 0; i < 30; ++i) {
        const double middle = (low + high) / 2;
        (is_held_out(row, middle, StopSign()) ? high : low) = middle;
    }
    return high;
}

double threshold_of(const std::vector<int32_t>& index, const std::vector<float>& value, int32_t dim = 0) {
    return threshold_of({index.data(), value.data(), static_cast<int32_t>(index.size()), dim});
}

TEST(Holdout, IsTheSameEverywhereAndForever) {
    EXPECT_NEAR(threshold_of({}, {}), 0.285287804901600, 1e-9);
    EXPECT_NEAR(threshold_of({0}, {1}), 0.765208521857858, 1e-9);
    EXPECT_NEAR(threshold_of({0, 6, 2147483646}, {1, -0.5f, 3e38f}), 0.414480311796069, 1e-9);
    std::vector<int32_t> index(100);
    std::vector<float> value(100, 0.25f);
    for (int32_t i = 0; i < 100; ++i) index[i] = 7 * i;
    EXPECT_NEAR(threshold_of(index, value), 0.594966459088027, 1e-9);
}

TEST(Holdout, DependsOnEachIndexAndValueButNotOnTheDimension) {
    const double one = threshold_of({3, 9}, {1, 2});
    EXPECT_EQ(one, threshold_of({3, 9}, {1, 2}, 1000));
    EXPECT_NE(one, threshold_of({3, 8}, {1, 2}));
    EXPECT_NE(one, threshold_of({3, 9}, {1, 2.0000002f}));
    EXPECT_NE(one, threshold_of({3}, {1}));
    // Where blocks of entries end makes no difference to what counts.
    std::vector<int32_t> index(65);
    std::vector<float> value(65, 1);
    for (int32_t i = 0; i < 65; ++i) index[i] = i;
    const double whole = threshold_of(index, value);
    for (const int changed : {0, 31, 32, 63, 64}) {
        value[changed] = 2;
        EXPECT_NE(whole, threshold_of(index, value)) << changed;
        value[changed] = 1;
    }
}

TEST(Holdout, IsTheShareAskedForAndNestedIn) {
    const int rows = 20000;
    int fifth = 0;
    for (int32_t i = 0; i < rows; ++i) {
        const float value = 1;
        const SparseRow row{&i, &value, 1, 0};
        const bool held_out = is_held_out(row, 0.2, StopSign());
        fifth += held_out;
        EXPECT_TRUE(!held_out || is_held_out(row, 0.3, StopSign()));
        EXPECT_FALSE(is_held_out(row, 0, StopSign()));
        EXPECT_TRUE(is_held_out(row, 1, StopSign()));
    }
    EXPECT_NEAR(fifth / static_cast<double>(rows), 0.2, 4 * 0.0028);  // four standard deviations
}

double threshold_of(const char* key, Deal deal = Deal::measured) {
    double low = 0, high = 1;
    for (int i = 0; i < 30; ++i) {
        const double middle = (low + high) / 2;
        (is_held_out(std::string_view(key), middle, StopSign(), deal) ? high : low) = middle;
    }
    return high;
}

TEST(Holdout, OfKeysIsTheSameEverywhereAndForever) {
    EXPECT_NEAR(threshold_of(""), 0.285287804901600, 1e-9);
    EXPECT_NEAR(threshold_of("customer 1"), 0.549630650319159, 1e-9);
    EXPECT_NEAR(threshold_of("customer 1", Deal::searched), 0.356839299201965, 1e-9);
}

TEST(Holdout, IsDealtToASearchWhateverIsMeasuredOn) {
    const int keys = 20000;
    int both = 0;
    for (int i = 0; i < keys; ++i) {
        const std::string key = std::to_string(i);
        both += is_held_out(std::string_view(key), 0.2, StopSign()) &&
                is_held_out(std::string_view(key), 0.2, StopSign(), Deal::searched);
    }
    EXPECT_NEAR(both / static_cast<double>(keys), 0.04, 4 * 0.0014);
}

TEST(Holdout, CanBeInterrupted) {
    const volatile std::sig_atomic_t raised = 1;
    const int32_t index = 0;
    const float value = 1;
    EXPECT_THROW(is_held_out({&index, &value, 1, 0}, 0.2, StopSign(&raised)), Interrupted);
}

}  // namespace
