// The slope of a step that is taken implicitly, against the root of its equation as bisection finds it.
#include "learners/dense_losses.h"
#include "options/losses.h"

#include <gtest/gtest.h>

using namespace sparselin;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void each_r(double from, double to, auto&& visit) {
    for (double exponent = from; exponent <= to; exponent += 0.25) visit(std::pow(10, exponent));
}

template <typename LossFunction>
void expect_root(const LossFunction& loss, dense::Loss its, const std::vector<double>& labels, double share = 1) {
    each_r(-3, 8, [&](double r) {
        for (const double y : labels)
            for (double p0 = -50; p0 <= 50; p0 += 0.73) {
                const auto expected = static_cast<double>(dense::implicit_slope(its, p0, y, r * share));
                EXPECT_NEAR(loss.implicit_slope(p0, y, r), expected, 1e-10 * std::fabs(expected))
                    << LossFunction::traits.name << " p0 " << p0 << " y " << y << " r " << r;
            }
    });
}

const std::vector<double> classes = {-1, 1}, numbers = {-7.25, 0, 0.001, 40};

TEST(ImplicitSlope, IsThatOfTheRoot) {
    expect_root(LogisticLoss(), dense::Loss::logistic, classes, 0.25);
    expect_root(HingeLoss(), dense::Loss::hinge, classes);
    expect_root(SquaredHingeLoss(), dense::Loss::squared_hinge, classes);
    expect_root(SquaredLoss(), dense::Loss::squared, numbers);
    expect_root(AbsoluteLoss(), dense::Loss::absolute, numbers);
    expect_root(HuberLoss(dense::huber_delta), dense::Loss::huber, numbers);
    expect_root(QuantileLoss(dense::quantile_tau), dense::Loss::quantile, numbers);
}

// Of any loss: a step that is hardly too long has nearly the slope it would have had, and one without end none.
TEST(ImplicitSlope, GoesFromTheWholeSlopeToNone) {
    const auto check = [](const auto& loss) {
        const char* const name = loss.traits.name;
        for (const double y : {-1.0, 1.0})
            for (const double p0 : {-3.0, -0.5, 0.0, 0.25, 2.0}) {
                EXPECT_NEAR(loss.implicit_slope(p0, y, 1e-12), loss.slope(p0, y), 1e-9) << name << p0;
                EXPECT_EQ(loss.implicit_slope(p0, y, infinity), 0) << name;
                double before = std::fabs(loss.slope(p0, y));
                each_r(-8, 300, [&](double r) {
                    const double slope = loss.implicit_slope(p0, y, r);
                    EXPECT_LE(std::fabs(slope), before * (1 + 1e-12)) << name << " " << p0 << " " << r;
                    EXPECT_GE(slope * loss.slope(p0, y), 0) << name;
                    before = std::fabs(slope);
                });
            }
    };
    check(LogisticLoss());
    check(HingeLoss());
    check(SquaredHingeLoss());
    check(SquaredLoss());
    check(AbsoluteLoss());
    check(HuberLoss(0.5));
    check(QuantileLoss(0.25));
}

TEST(ImplicitSlope, IsAlwaysANumber) {
    for (const double p0 : {-1e300, -1e30, -800.0, 0.0, 800.0, 1e30, 1e300})
        for (const double r : {5e-324, 1e-30, 1.0, 1e30, 1e300, infinity})
            for (const double y : {-1.0, 1.0})
                for (size_t number = 0; number < loss_table.size(); ++number)
                    with_loss({static_cast<Loss>(number), 0.5}, [&](const auto& loss) {
                        double slope = 0;
                        if constexpr (requires { loss.implicit_slope(p0, y, r); })
                            slope = loss.implicit_slope(p0, y, r);
                        EXPECT_FALSE(std::isnan(slope)) << loss.traits.name << " " << p0 << " " << r;
                    });
}

// Where a step of a logistic loss ends: on the root, and in the bracket that it lies in.
TEST(ImplicitScore, TakesFewRounds) {
    double rounds = 0, roots = 0;
    int most = 0;
    each_r(-3, 8, [&](double r) {
        for (double s = -50; s <= 50; s += 0.25) {
            const ImplicitScore root = implicit_score(s, r);
            EXPECT_NEAR(root.s, s + r / (1 + std::exp(root.s)), 1e-9 * (1 + r / (2 + std::exp(root.s))))
                << s << " " << r;
            EXPECT_GE(root.s, s);
            EXPECT_LE(root.s, s + r);
            rounds += root.rounds;
            ++roots;
            most = std::max(most, root.rounds);
        }
    });
    EXPECT_LE(most, 12);
    EXPECT_LE(rounds / roots, 5);
    for (const double s : {-1e300, -1e6, -700.0, 700.0, 1e6, 1e300})
        each_r(-300, 300, [&](double r) { EXPECT_LE(implicit_score(s, r).rounds, 60) << s << " " << r; });
}

// A loss that says nothing of it takes steps that end where they are too long.
struct LossWithoutRoot {
    double slope(double p, double y) const { return p - y; }
};

TEST(HeavySlope, ShortensTheStepWhereTheLossFindsNoRoot) {
    EXPECT_EQ(heavy_slope(LossWithoutRoot(), 3, 7, 0, 20, 5), 0.75);
    EXPECT_EQ(heavy_slope(MultinomialLoss(), -0.5, 7, 1, 64, 16), -0.125);
    EXPECT_EQ(heavy_slope(LossWithoutRoot(), 3, 7, 0, infinity, 5), 0);
    EXPECT_EQ(heavy_slope(SquaredLoss(), 3, 7, 1, 20, 5), 6.0 / 16);
}

}  // namespace
