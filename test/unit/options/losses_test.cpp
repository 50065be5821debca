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

// The integral of the error clipped to delta.
double huber(double p, double y, double delta) {
    const double r = std::fabs(p - y);
    return r < delta ? r * r / 2 : delta * delta / 2 + delta * (r - delta);
}

double quantile(double p, double y, double tau) {
    return std::max(tau * (y - p), (tau - 1) * (y - p));
}

template <typename LossFunction>
void expect_loss(LossFunction loss, auto&& definition) {
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
    for (const double delta : {0.25, 1.0, 4.0})
        expect_loss(HuberLoss(delta), [delta](double p, double y) { return huber(p, y, delta); });
    for (const double tau : {0.01, 0.5, 0.9})
        expect_loss(QuantileLoss(tau), [tau](double p, double y) { return quantile(p, y, tau); });
}

// With an error that is none: below, as where the label is larger.
TEST(Losses, HaveTheirSlopesAtTheCorners) {
    EXPECT_EQ(HingeLoss().slope(1, 1), -1);
    EXPECT_EQ(AbsoluteLoss().slope(2, 2), -1);
    EXPECT_EQ(QuantileLoss(0.25).slope(2, 2), -0.25);
    EXPECT_EQ(HuberLoss(0.5).slope(2, 1.5), 0.5);
    EXPECT_EQ(HuberLoss(0.5).slope(2, 2.75), -0.5);
}

TEST(Losses, AreChosenWithTheirParameters) {
    const auto value = [](ChosenLoss chosen) { return with_loss(chosen, [](auto loss) { return loss.value(3, 1); }); };
    EXPECT_EQ(value({Loss::huber, 0.5}), 0.5 * (2 - 0.25));
    EXPECT_EQ(value({Loss::quantile, 0.25}), 1.5);
    EXPECT_EQ(value(Loss::absolute), 2);
}
