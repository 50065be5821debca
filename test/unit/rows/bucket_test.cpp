// Buckets against a search bound by bound.
#include "rows/bucket.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace sparselin;

namespace {

const StopSign go;

std::string bucket(double value, std::vector<double> bounds) {
    return bucket_of(value, bounds, go).c_str();
}

std::string message(double value, std::vector<double> bounds) {
    try {
        bucket(value, std::move(bounds));
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::bad_value);
        return error.message();
    }
    return "none";
}

}  // namespace

TEST(Bucket, IsTheBoundsAroundANumber) {
    const std::vector<double> bounds = {-1.5, 0, 18, 30, 65.25};
    const char* const names[] = {"below -1.5", "-1.5 to 0", "0 to 18", "18 to 30", "30 to 65.25", "65.25 and above"};
    for (double value = -3; value <= 70; value += 0.125) {
        size_t below = 0;
        for (const double bound : bounds) below += value >= bound ? 1 : 0;
        EXPECT_EQ(bucket(value, bounds), names[below]) << value;
    }
}

TEST(Bucket, HasItsEdges) {
    EXPECT_EQ(bucket(std::nextafter(18, 0), {18, 30}), "below 18");
    EXPECT_EQ(bucket(18, {18, 30}), "18 to 30");
    EXPECT_EQ(bucket(30, {18, 30}), "30 and above");
    EXPECT_EQ(bucket(HUGE_VAL, {18}), "18 and above");
    EXPECT_EQ(bucket(-HUGE_VAL, {18}), "below 18");
    EXPECT_EQ(bucket(-0.0, {-0.0, 1e300}), "0 to 1e+300");
    EXPECT_EQ(bucket(0.15, {0.1, 0.2}), "0.1 to 0.2");
    EXPECT_EQ(bucket(0, {-2.2250738585072014e-308, 1.7976931348623157e308}),
              "-2.2250738585072014e-308 to 1.7976931348623157e+308");
}

TEST(Bucket, SaysWhatIsWrong) {
    EXPECT_EQ(message(NAN, {1}), "NaN lies in no bucket");
    EXPECT_EQ(message(1, {}), "there are no bounds");
    EXPECT_EQ(message(1, {1, 1}), "bounds are not ascending: 1 is followed by 1");
    EXPECT_EQ(message(1, {2, 0.5}), "bounds are not ascending: 2 is followed by 0.5");
    EXPECT_EQ(message(1, {0.0, -0.0}), "bounds are not ascending: 0 is followed by -0");
    EXPECT_EQ(message(1, {1, HUGE_VAL}), "bound 2 is infinite");
    EXPECT_EQ(message(1, {NAN}), "bound 1 is NaN");
}
