// The learners against the dense reference where something is out of the ordinary.
#include "learners/dekel_cases.h"

namespace {

using namespace dekel_cases;

TEST(DekelEdges, RowWeights) {
    generated::Recipe recipe;
    recipe.weighted = true;
    compare_all(recipe);
}

// Weight 0 is as if the row were not there: not in the mean, not in lambda, not in the automatic offset.
TEST(DekelEdges, RowOfWeightZeroChangesNothing) {
    generated::Recipe recipe;
    const std::vector<dense::Row> rows = generated::rows(recipe);
    std::vector<dense::Row> more = rows;
    more.insert(more.begin() + 5, {{{0, 100.0f}}, 1, 0});
    for (const Learner learner : all_learners) {
        dense::Setup setup = setup_of(learner, Loss::logistic);
        setup.lambda = dense::automatic;
        const auto once = learn_sparse(rows, placed(11), setup, Plan{2});
        const auto with = learn_sparse(more, placed(11), setup, Plan{2});
        EXPECT_EQ(once.w, with.w) << name_of(learner);
        EXPECT_EQ(once.b, with.b) << name_of(learner);
        EXPECT_EQ(once.k(), with.k()) << name_of(learner);
        EXPECT_EQ(once.skipped, 0);
        EXPECT_EQ(with.skipped, 1);
    }
}

TEST(DekelEdges, NoIntercept) {
    generated::Recipe recipe;
    recipe.weighted = true;
    compare_all(recipe, [](dense::Setup& setup) { setup.intercept = false; });
}

TEST(DekelEdges, EmptyRows) {
    generated::Recipe recipe;
    recipe.empty_rows = true;
    compare_all(recipe);
    compare_all(recipe, [](dense::Setup& setup) { setup.intercept = false; });
}

TEST(DekelEdges, ConstantFeature) {
    generated::Recipe recipe;
    recipe.constant = 4;
    compare_all(recipe);
}

// In every row, so that its centred value is 0 (the mean of 1.5 is exact): the weight must be, too.
TEST(DekelEdges, CentredConstantFeatureHasNoWeight) {
    generated::Recipe recipe;
    recipe.constant = 4;
    const std::vector<dense::Row> rows = generated::rows(recipe);
    const Learned found = learn_sparse(rows, placed(11), setup_of(Learner::casgd, Loss::logistic), Plan{3});
    double largest = 0;
    for (const double weight : found.w) largest = std::max(largest, std::fabs(weight));
    EXPECT_LE(std::fabs(found.w[4]), 1e-12 * largest);
}

TEST(DekelEdges, GivenCentre) {
    generated::Recipe recipe;
    recipe.weighted = true;
    for (const bool intercept : {true, false})
        for (const Loss loss : all_losses)
            for (const double k : {0.0, dense::automatic}) {
                SCOPED_TRACE(name_of(loss));
                recipe.regression = is_regression(loss);
                dense::Setup setup = setup_of(Learner::casgd, loss, k);
                setup.intercept = intercept;
                setup.center = dense::Dense{0.5f, 0, -0.25f, 0.125f, 0, 0, 0.75f, 0, 0, 0, -0.1f};
                compare(generated::rows(recipe), 11, setup, Plan{3});
            }
}

// A centre on a feature that no row has.
TEST(DekelEdges, CentreOnAnUnseenFeature) {
    const generated::Recipe recipe;
    dense::Setup setup = setup_of(Learner::casgd, Loss::logistic);
    setup.center = dense::Dense(13, 0.0f);
    setup.center->at(2) = 0.25f;
    setup.center->at(12) = 0.5f;
    std::vector<dense::Row> rows = generated::rows(recipe);
    rows[3].features.emplace_back(11, 0.375f);
    compare(rows, 13, setup, Plan{2});
}

TEST(DekelEdges, DimensionOne) {
    generated::Recipe recipe;
    recipe.dimension = 1;
    recipe.density = 0.8;
    compare_all(recipe);
}

TEST(DekelEdges, OneRow) {
    generated::Recipe recipe;
    recipe.rows = 1;
    recipe.density = 0.7;
    compare_all(recipe);
}

TEST(DekelEdges, AutomaticLambda) {
    generated::Recipe recipe;
    recipe.weighted = true;
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            recipe.regression = is_regression(loss);
            dense::Setup setup = setup_of(learner, loss);
            setup.lambda = dense::automatic;
            compare(generated::rows(recipe), 11, setup, Plan{3});
        }
}

// Lower median: with an even number of rows the smaller of the two in the middle.
TEST(DekelEdges, AutomaticOffsetOfAnEvenNumberOfRows) {
    generated::Recipe recipe;
    for (recipe.rows = 2; recipe.rows < 8; ++recipe.rows)
        for (const Learner learner : all_learners) {
            SCOPED_TRACE(name_of(learner) + " " + std::to_string(recipe.rows));
            recipe.density = 0.9;
            compare(generated::rows(recipe), 11, setup_of(learner, Loss::logistic), Plan{2});
        }
}

TEST(DekelEdges, TinyAndHugeValues) {
    generated::Recipe recipe;
    recipe.values = generated::Values::wide;
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            recipe.regression = is_regression(loss);
            compare(generated::rows(recipe), 11, setup_of(learner, loss), Plan{3});
        }
}

// The smallest lambda that is allowed.
TEST(DekelEdges, TinyLambda) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners) {
        dense::Setup setup = setup_of(learner, Loss::logistic);
        setup.lambda = 1e-100;
        compare(generated::rows(recipe), 11, setup, Plan{3});
    }
}

// Exactly at the kink, in numbers without rounding: hinge pushes while p*y <= 1, absolute pushes up where p = y.
TEST(DekelEdges, TiesGoTheWayTheyAreDefined) {
    for (const Learner learner : all_learners) {
        SCOPED_TRACE(name_of(learner));
        dense::Setup setup = setup_of(learner, Loss::hinge, 0, 0);
        setup.lambda = 1;
        // b = 1 after the first step, so that p = 1 at the second; 1/2 if that one were left out.
        EXPECT_EQ(learn_sparse({{{}, 1, 1}, {{}, 1, 1}}, placed(1), setup, Plan{}).b, 1);
        setup.loss = Loss::absolute;
        EXPECT_EQ(learn_sparse({{{}, 0, 1}}, placed(1), setup, Plan{}).b, 1);
    }
}

TEST(DekelEdges, LargeAndBrokenPowers) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners)
        for (const double q : {0.5, 1.0, 3.0, 10.0})
            compare(generated::rows(recipe), 11, setup_of(learner, Loss::hinge, 0, q), Plan{3});
}

TEST(DekelEdges, BrokenOffset) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners)
        compare(generated::rows(recipe), 11, setup_of(learner, Loss::logistic, 0.3, 0), Plan{3});
}

}  // namespace
