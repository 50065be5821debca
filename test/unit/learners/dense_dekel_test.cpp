// The reference itself against numbers published elsewhere, before anything is compared with it.
#include "support/generated_rows.h"
#include "learners/published_checks.h"

#include <gtest/gtest.h>

namespace {

dense::Result run(const PublishedCheck& check, dense::Learner learner) {
    dense::Setup setup;
    setup.learner = learner;
    setup.loss = check.loss;
    setup.lambda = check.lambda;
    setup.k = setup.q = 0;
    setup.implicit_above = std::numeric_limits<double>::infinity();
    std::vector<size_t> order;
    for (size_t step = 0; step < 4 * check.epochs; ++step) order.push_back(step % 4);
    return dense::learn(published_rows(), 5, setup, order);
}

void expect_published(const PublishedModel& expected, const dense::Result& found) {
    for (size_t j = 0; j < 5; ++j)
        EXPECT_NEAR(static_cast<double>(found.w[j]), expected.w[j], 1e-9 * std::fabs(expected.w[j])) << "w" << j + 1;
    EXPECT_NEAR(static_cast<double>(found.b), expected.b, 1e-9 * std::fabs(expected.b));
}

TEST(DenseDekel, AsgdIsAsPublished) {
    for (const PublishedCheck& check : published_checks())
        expect_published(check.asgd, run(check, dense::Learner::asgd));
}

TEST(DenseDekel, CasgdIsAsPublished) {
    for (const PublishedCheck& check : published_checks())
        expect_published(check.casgd, run(check, dense::Learner::casgd));
}

TEST(DenseDekel, MeanIsAsPublished) {
    const dense::Dense mu = dense::mean_of(published_rows(), 5);
    EXPECT_EQ(mu, (dense::Dense{2.25L, 3.5L, 4, 1.5L, 2.5L}));
}

// w = -sum g z / (lambda (t+k)), written as the sum that it is.
TEST(DenseDekel, OffsetIterateIsTheScaledSumOfGradients) {
    dense::Setup setup;
    setup.learner = dense::Learner::sgd;
    setup.loss = dense::Loss::hinge;
    setup.lambda = 0.1;
    setup.k = 7;
    setup.intercept = false;
    setup.implicit_above = std::numeric_limits<double>::infinity();
    // The first step has p = 0, g = -1; the second p = 1*2/0.8 = 2.5, so p*y = -2.5 and g = 1.
    const std::vector<dense::Row> rows = {{{{0, 1.0f}}, 1, 1}, {{{0, 2.0f}}, -1, 1}};
    EXPECT_NEAR(static_cast<double>(dense::learn(rows, 1, setup, {0}).w[0]), 1 / 0.8, 1e-15);
    EXPECT_NEAR(static_cast<double>(dense::learn(rows, 1, setup, {0, 1}).w[0]), -1 / 0.9, 1e-15);
}

// Three rows with |x|^2 of 1, 4, 100 and an empty one: the lower median is 1.
TEST(DenseDekel, AutomaticOffsetByHand) {
    const std::vector<dense::Row> rows = {
        {{{0, 1.0f}}, 1, 1}, {{{1, 2.0f}}, -1, 3}, {{{0, 6.0f}, {1, 8.0f}}, 1, 1}, {{}, -1, 1}};
    const dense::Dense origin(2, 0);
    const auto k = [&](dense::Loss loss, bool all_explicit = true) {
        return static_cast<double>(dense::automatic_k(rows, origin, loss, 0.5L, rows.size(), all_explicit));
    };
    EXPECT_DOUBLE_EQ(k(dense::Loss::logistic), 0.25 * 2 / 0.5 * 12 / 6);
    EXPECT_DOUBLE_EQ(k(dense::Loss::hinge), 2 / 0.5 * 12 / 6);
    EXPECT_DOUBLE_EQ(k(dense::Loss::absolute), 2 / 0.5 * 12 / 6);
    EXPECT_DOUBLE_EQ(k(dense::Loss::squared), 101 / (2 * 0.5));
    EXPECT_DOUBLE_EQ(k(dense::Loss::squared_hinge), 101 / (2 * 0.5));
    EXPECT_DOUBLE_EQ(k(dense::Loss::squared, false), 2 / 0.5 * 12 / 6);
    EXPECT_DOUBLE_EQ(k(dense::Loss::squared_hinge, false), 2 / 0.5 * 12 / 6);
}

// After many epochs F is at its minimum: a step along any weight or the (centred) bias only makes it worse.
TEST(DenseDekel, MinimisesTheObjective) {
    generated::Recipe recipe;
    recipe.weighted = true;
    recipe.empty_rows = true;
    const std::vector<dense::Row> rows = generated::rows(recipe);
    std::vector<size_t> order;
    for (size_t step = 0; step < 1000 * rows.size(); ++step) order.push_back(step % rows.size());
    for (const dense::Learner learner : {dense::Learner::asgd, dense::Learner::casgd}) {
        dense::Setup setup;
        setup.learner = learner;
        const dense::Result at = dense::learn(rows, 11, setup, order);
        const dense::Real least = dense::objective(at, rows, setup.loss);
        for (size_t j = 0; j < 12; ++j)
            for (const dense::Real by : {-0.03L, 0.03L}) {
                dense::Result beside = at;
                (j < 11 ? beside.w[j] : beside.centred_b) += by;
                beside.b = beside.centred_b - dense::dot(beside.w, beside.mu);
                EXPECT_GT(dense::objective(beside, rows, setup.loss), least) << j << (by < 0 ? " down" : " up");
            }
    }
}

}  // namespace
