// What the tables say of learners and losses is what their formulas and options do.
#include "options/losses.h"

#include "options/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sparselin {
namespace {

// The slopes of a loss on a grid of predictions; of one of all classes together, on the line on which two of them part,
// where it is steepest.
struct Slopes {
    explicit Slopes(Loss loss) {
        for (const double y : {-1.0, 1.0})
            with_loss({loss, 0.5}, [&](auto its) {
                for (double p = -100; p < 100; p += step) {
                    const double slope = slope_of(its, p, y);
                    largest = std::max(largest, std::fabs(slope));
                    steepest = std::max(steepest, (slope_of(its, p + step, y) - slope) / step);
                }
            });
    }

    static double slope_of(auto loss, double p, double y) {
        if constexpr (loss.traits.joint) {
            const double along = std::sqrt(0.5);
            const double predictions[] = {along * p, -along * p}, labels[] = {y, -y};
            double slopes[2];
            loss.judge(predictions, labels, slopes);
            return along * (slopes[0] - slopes[1]);
        } else {
            return loss.slope(p, y);
        }
    }

    static constexpr double step = 1.0 / 64;
    double largest = 0, steepest = 0;
};

TEST(Traits, OfLossesAreThoseOfTheirFormulas) {
    for (size_t number = 0; number < loss_table.size(); ++number) {
        const LossTraits& traits = loss_table[number];
        const Slopes slopes(static_cast<Loss>(number));
        EXPECT_EQ(traits.slope_is_bounded, slopes.largest <= (traits.joint ? std::sqrt(2.0) : 1)) << traits.name;
        const bool jumps = slopes.steepest > 10;
        EXPECT_NEAR(traits.L, jumps ? 1 : slopes.steepest, 1e-3) << traits.name;
        if (traits.parameter == nullptr) continue;
        for (const LearnerKind learner : every_learner) EXPECT_TRUE(find_option(traits.parameter).is_taken_by(learner));
    }
}

// Where slopes do not grow with the labels' unit, and where they do so for errors up to delta alone.
TEST(Traits, OnlyLossesOfNumbersWhoseSlopesAreBoundedHangOnTheUnit) {
    for (const LossTraits& traits : loss_table)
        EXPECT_EQ(traits.has_unit, !traits.for_classes && traits.slope_is_bounded) << traits.name;
    EXPECT_EQ(curvature_per_unit(Loss::squared, 8), 1);
    EXPECT_EQ(curvature_per_unit(Loss::absolute, 8), 0.125);
    EXPECT_EQ(curvature_per_unit({Loss::quantile, 0.3}, 8), 0.125);
    EXPECT_EQ(curvature_per_unit({Loss::huber, 2}, 8), 0.25);
    EXPECT_EQ(curvature_per_unit({Loss::huber, 2}, 0.5), 1);
}

// A step of more than 2/L makes an error that grows: what is taken as it is has to end before, where slopes grow with
// it.
TEST(Traits, LossesWhoseSlopesGrowLimitWhatIsExplicit) {
    for (const LossTraits& traits : loss_table) {
        const bool grows = !traits.slope_is_bounded || std::string(traits.name) == "huber";
        EXPECT_EQ(traits.most_explicit <= 2, grows) << traits.name;
        EXPECT_EQ(std::isinf(traits.most_explicit), !grows) << traits.name;
    }
}

// What is stored in models is the number.
TEST(Traits, LossesHaveTheirNumbers) {
    const std::vector<std::pair<Loss, std::string>> losses = {
        {Loss::logistic, "logistic"}, {Loss::hinge, "hinge"},       {Loss::squared_hinge, "squared_hinge"},
        {Loss::squared, "squared"},   {Loss::absolute, "absolute"}, {Loss::multinomial, "multinomial"},
        {Loss::huber, "huber"},       {Loss::quantile, "quantile"}};
    ASSERT_EQ(losses.size(), loss_table.size());
    for (const auto& [loss, name] : losses) EXPECT_EQ(name_of(loss), name);
}

TEST(Traits, NamesAreFoundAgain) {
    for (const LearnerTraits& traits : learner_table) {
        LearnerKind learner{};
        EXPECT_TRUE(find_by_name(traits.name, learner) && learner == traits.learner);
        EXPECT_TRUE(find_by_number(static_cast<uint8_t>(traits.learner), learner) && learner == traits.learner);
        EXPECT_EQ(traits.step_survey == StepSurvey::offset, find_option("step_offset").is_taken_by(traits.learner));
        EXPECT_EQ(traits.step_survey == StepSurvey::first_step, find_option("gamma0").is_taken_by(traits.learner));
        EXPECT_EQ(traits.centres, find_option("center").is_taken_by(traits.learner));
        EXPECT_FALSE(find_by_name(std::string(traits.name) + "x", learner));
    }
    Loss loss{};
    EXPECT_TRUE(find_by_name("Squared_Hinge", loss) && loss == Loss::squared_hinge);
    EXPECT_FALSE(find_by_number(loss_table.size(), loss));
    EXPECT_EQ(loss, Loss::squared_hinge);
}

}  // namespace
}  // namespace sparselin
