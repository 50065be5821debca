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

namespace {

template <typename LossFunction>
void expect_curvature(LossFunction loss) {
    for (const double y : labels)
        for (double p = -20.05; p < 20; p += 0.1) {
            const double h = 1e-5, before = loss.slope(p - h, y), after = loss.slope(p + h, y),
                         slope = loss.slope(p, y);
            const bool at_corner = std::fabs(before + after - 2 * slope) >= 1e-7;
            const double rise = at_corner ? loss.curvature(p, y) : (after - before) / (2 * h);
            EXPECT_NEAR(loss.curvature(p, y), rise, 1e-5) << p << " " << y;
            const double enclosing = loss.enclosing_curvature(p, y);
            EXPECT_GE(enclosing, loss.curvature(p, y) - 1e-12) << p << " " << y;
            for (double q = -20.05; q < 20; q += 0.35) {
                const double parabola = loss.value(p, y) + slope * (q - p) + enclosing / 2 * (q - p) * (q - p);
                EXPECT_GE(parabola, loss.value(q, y) - 1e-11) << p << " " << y << " " << q;
            }
        }
}

}  // namespace

TEST(Losses, ThatAreSmoothHaveTheirCurvature) {
    expect_curvature(LogisticLoss{});
    expect_curvature(SquaredHingeLoss{});
    expect_curvature(SquaredLoss{});
    for (const double delta : {0.25, 1.0, 4.0}) expect_curvature(HuberLoss(delta));
    EXPECT_EQ(LogisticLoss().enclosing_curvature(0, 1), 0.25);
    EXPECT_NEAR(LogisticLoss().enclosing_curvature(1.01e-5, 1), 0.25, 1e-10);
    for (const Loss loss : {Loss::logistic, Loss::squared_hinge, Loss::squared, Loss::huber}) {
        EXPECT_TRUE(curves(loss) && !jumps_at_label(loss) && can_settle(loss));
    }
    for (const Loss loss : {Loss::absolute, Loss::quantile})
        EXPECT_TRUE(!curves(loss) && jumps_at_label(loss) && can_settle(loss));
    for (const Loss loss : {Loss::hinge, Loss::multinomial}) EXPECT_FALSE(can_settle(loss));
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
