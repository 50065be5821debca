// The losses and their slopes from their definitions: for labels of any size, though those of classes are -1 and 1.
#include "options/losses.h"

#include <gtest/gtest.h>

using namespace sparselin;

namespace {

constexpr double labels[] = {-3, -1, -0.5, 0.25, 1, 2};

double logistic(double p, double y) {
    return std::log1p(std::exp(-p * y));
}

double hinge(double p, double y) {
    return std::max(0.0, 1 - p * y);
}

double squared_hinge(double p, double y) {
    return hinge(p, y) * hinge(p, y) / 2;
}

double squared(double p, double y) {
    return (p - y) * (p - y) / 2;
}

double absolute(double p, double y) {
    return std::fabs(p - y);
}

template <typename LossFunction>
void expect_loss(LossFunction loss, double (*definition)(double, double)) {
    for (const double y : labels) {
        EXPECT_EQ(value_of_zero(loss, y), loss.value(0, y)) << y;
        for (double p = -20.05; p < 20; p += 0.1) {
            const double value = definition(p, y), h = 1e-6;
            EXPECT_NEAR(loss.value(p, y), value, 1e-14 * (1 + value)) << p << " " << y;
            // Away from the corners.
            const double before = definition(p - h, y), after = definition(p + h, y);
            if (std::fabs(before + after - 2 * value) >= 1e-9) continue;
            EXPECT_NEAR(loss.slope(p, y), (after - before) / (2 * h), 1e-6 * (1 + value)) << p << " " << y;
        }
    }
}

}  // namespace

TEST(Losses, AreAsDefined) {
    expect_loss(LogisticLoss{}, logistic);
    expect_loss(HingeLoss{}, hinge);
    expect_loss(SquaredHingeLoss{}, squared_hinge);
    expect_loss(SquaredLoss{}, squared);
    expect_loss(AbsoluteLoss{}, absolute);
}
