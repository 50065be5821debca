// What the comparisons of Dekel's learners with the reference have in common.
#pragma once

#include "support/generated_rows.h"
#include "support/learner_under_test.h"

#include <gtest/gtest.h>

#include <string>

namespace dekel_cases {

using ::name_of;
using dense::Learner;
using dense::Loss;

inline constexpr double tolerance = 1e-9;
inline constexpr Learner all_learners[] = {Learner::sgd, Learner::asgd, Learner::casgd};
inline constexpr Loss all_losses[] = {Loss::logistic, Loss::hinge, Loss::squared_hinge, Loss::squared,
                                      Loss::absolute, Loss::huber, Loss::quantile};

inline bool is_regression(Loss loss) {
    return loss >= Loss::squared;
}

// With k = 0 the first steps are 1/lambda long: the losses that are not straight lines need a larger lambda, or
// rounding alone grows beyond any bound.
inline double lambda_for(Loss loss) {
    return loss == Loss::squared || loss == Loss::squared_hinge || loss == Loss::huber ? 0.5 : 0.01;
}

inline dense::Setup setup_of(Learner learner, Loss loss, double k = dense::automatic, double q = 2) {
    dense::Setup setup;
    setup.learner = learner;
    setup.loss = loss;
    setup.lambda = lambda_for(loss);
    setup.k = k;
    setup.q = q;
    if (k == 0 && q == 0) setup.implicit_above = std::numeric_limits<double>::infinity();  // the paper
    return setup;
}

inline generated::Recipe recipe_for(Loss loss, uint64_t seed) {
    generated::Recipe recipe;
    recipe.seed = seed;
    recipe.regression = is_regression(loss);
    return recipe;
}

inline std::string name_of(Learner learner) {
    return learner == Learner::sgd ? "sgd" : learner == Learner::asgd ? "asgd" : "casgd";
}

// Relative to the number itself. Where gradients cancel to nothing (as many pushes up as down) there is no relative
// error to speak of; the floor for those is a few rounding errors of the largest number of the model.
inline ::testing::AssertionResult near(double found, long double expected, long double largest = 0) {
    const long double difference = std::fabs(found - expected);
    if (difference <= std::max(tolerance * std::fabs(expected), 1e-14L * largest)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << found << " instead of " << static_cast<double>(expected) << ", apart by "
                                         << static_cast<double>(difference / std::fabs(expected)) << ", "
                                         << static_cast<double>(difference / largest) << " of the largest";
}

inline void expect_equal(const Learned& found, const dense::Result& expected) {
    long double largest = std::fabs(expected.b);
    for (const long double weight : expected.w) largest = std::max(largest, std::fabs(weight));
    ASSERT_EQ(found.w.size(), expected.w.size());
    for (size_t j = 0; j < found.w.size(); ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], largest)) << "weight " << j;
    EXPECT_TRUE(near(found.b, expected.b, largest)) << "bias";
    EXPECT_TRUE(near(found.centred_b, expected.centred_b, largest)) << "centred bias";
    EXPECT_TRUE(near(found.k(), expected.k)) << "step_offset";
    EXPECT_TRUE(near(found.lambda, expected.lambda)) << "lambda";
    EXPECT_TRUE(near(found.progressive_loss, expected.progressive_loss)) << "progressive loss";
    EXPECT_EQ(found.rows, static_cast<int64_t>(expected.rows));
    EXPECT_EQ(found.steps, static_cast<int64_t>(expected.steps));
}

inline void compare(const std::vector<dense::Row>& rows, size_t dimension, const dense::Setup& setup,
                    const Plan& plan) {
    const Learned found = learn_sparse(rows, placed(dimension), setup, plan);
    expect_equal(found, dense::learn(rows, dimension, setup, order_of(rows, plan)));
}

// All learners and losses over one kind of rows, three epochs: as the paper says, with the defaults, and with first
// steps that would all overshoot.
inline void compare_all(generated::Recipe recipe, const auto& change) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses)
            for (const auto& [k, q] : {std::pair(0.0, 0.0), {dense::automatic, 2.0}, {0.0, 1.0}}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(k) + " " +
                             std::to_string(q));
                recipe.regression = is_regression(loss);
                dense::Setup setup = setup_of(learner, loss, k, q);
                change(setup);
                compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension), setup, Plan{3});
            }
}

inline void compare_all(const generated::Recipe& recipe) {
    compare_all(recipe, [](dense::Setup&) {});
}

}  // namespace dekel_cases
