// The three learners against the dense reference: every weight and the bias to 1e-9, relative.
#include "generated_rows.h"
#include "learner_under_test.h"
#include "published_checks.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace {

using dense::Learner;
using dense::Loss;

constexpr double tolerance = 1e-9;
constexpr Learner all_learners[] = {Learner::sgd, Learner::asgd, Learner::casgd};
constexpr Loss all_losses[] = {Loss::logistic, Loss::hinge, Loss::squared_hinge, Loss::squared, Loss::absolute};

bool is_regression(Loss loss) {
    return loss == Loss::squared || loss == Loss::absolute;
}

// With k = 0 the first steps are 1/lambda long: the losses without a bounded derivative need a larger lambda, or
// rounding alone grows beyond any bound.
double lambda_for(Loss loss) {
    return loss == Loss::squared || loss == Loss::squared_hinge ? 0.5 : 0.01;
}

dense::Setup setup_of(Learner learner, Loss loss, double k = dense::automatic, double q = 2) {
    dense::Setup setup;
    setup.learner = learner;
    setup.loss = loss;
    setup.lambda = lambda_for(loss);
    setup.k = k;
    setup.q = q;
    return setup;
}

generated::Recipe recipe_for(Loss loss, uint64_t seed) {
    generated::Recipe recipe;
    recipe.seed = seed;
    recipe.regression = is_regression(loss);
    return recipe;
}

std::string name_of(Learner learner) {
    return learner == Learner::sgd ? "sgd" : learner == Learner::asgd ? "asgd" : "casgd";
}

std::string name_of(Loss loss) {
    constexpr const char* names[] = {"logistic", "hinge", "squared_hinge", "squared", "absolute"};
    return names[static_cast<size_t>(loss)];
}

// Relative to the number itself. Where gradients cancel to nothing (as many pushes up as down) there is no relative
// error to speak of; the floor for those is a few rounding errors of the largest number of the model.
::testing::AssertionResult near(double found, long double expected, long double largest = 0) {
    const long double difference = std::fabs(found - expected);
    if (difference <= std::max(tolerance * std::fabs(expected), 1e-14L * largest)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << found << " instead of " << static_cast<double>(expected) << ", apart by "
                                         << static_cast<double>(difference / std::fabs(expected)) << ", "
                                         << static_cast<double>(difference / largest) << " of the largest";
}

void expect_equal(const Learned& found, const dense::Result& expected) {
    long double largest = std::fabs(expected.b);
    for (const long double weight : expected.w) largest = std::max(largest, std::fabs(weight));
    ASSERT_EQ(found.w.size(), expected.w.size());
    for (size_t j = 0; j < found.w.size(); ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], largest)) << "weight " << j;
    EXPECT_TRUE(near(found.b, expected.b, largest)) << "bias";
    EXPECT_TRUE(near(found.centred_b, expected.centred_b, largest)) << "centred bias";
    EXPECT_TRUE(near(found.k, expected.k)) << "step_offset";
    EXPECT_TRUE(near(found.lambda, expected.lambda)) << "lambda";
}

void compare(const std::vector<dense::Row>& rows, size_t dimension, const dense::Setup& setup,
             const std::vector<size_t>& order) {
    const Learned found = learn_sparse(rows, placed(dimension), setup, order);
    expect_equal(found, dense::learn(rows, dimension, setup, order));
}

// All learners and losses over one kind of rows, three epochs, as the paper says and with the defaults.
void compare_all(generated::Recipe recipe, const auto& change) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses)
            for (const bool paper : {true, false}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + (paper ? " paper" : " auto"));
                recipe.regression = is_regression(loss);
                dense::Setup setup = paper ? setup_of(learner, loss, 0, 0) : setup_of(learner, loss);
                change(setup);
                compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension), setup,
                        dense::in_sequence(recipe.rows, 3));
            }
}

void compare_all(const generated::Recipe& recipe) {
    compare_all(recipe, [](dense::Setup&) {});
}

struct Schedule {
    double k, q;
    const char* name;
};

constexpr Schedule schedules[] = {
    {0, 0, "paper"}, {0, 2, "power2"}, {50, 0, "offset50"}, {dense::automatic, 2, "auto"}};

using Case = std::tuple<Learner, Loss, Schedule, size_t, bool>;

class Dekel : public ::testing::TestWithParam<Case> {};

TEST_P(Dekel, EqualsTheDenseReference) {
    const auto& [learner, loss, schedule, epochs, replacement] = GetParam();
    for (const uint64_t seed : {1, 2, 3}) {
        SCOPED_TRACE(seed);
        const generated::Recipe recipe = recipe_for(loss, seed);
        const auto order =
            replacement ? replacement_order(recipe.rows, epochs, seed) : dense::in_sequence(recipe.rows, epochs);
        compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension),
                setup_of(learner, loss, schedule.k, schedule.q), order);
    }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    const auto& [learner, loss, schedule, epochs, replacement] = info.param;
    return name_of(learner) + "_" + name_of(loss) + "_" + schedule.name + "_epochs" + std::to_string(epochs) +
           (replacement ? "_replacement" : "_sequential");
}

INSTANTIATE_TEST_SUITE_P(All, Dekel,
                         ::testing::Combine(::testing::ValuesIn(all_learners), ::testing::ValuesIn(all_losses),
                                            ::testing::ValuesIn(schedules), ::testing::Values(size_t{1}, size_t{3}),
                                            ::testing::Bool()),
                         case_name);

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
        const auto once = learn_sparse(rows, placed(11), setup, dense::in_sequence(rows.size(), 2));
        const auto with = learn_sparse(more, placed(11), setup, dense::in_sequence(more.size(), 2));
        EXPECT_EQ(once.w, with.w) << name_of(learner);
        EXPECT_EQ(once.b, with.b) << name_of(learner);
        EXPECT_EQ(once.k, with.k) << name_of(learner);
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
    const Learned found =
        learn_sparse(rows, placed(11), setup_of(Learner::casgd, Loss::logistic), dense::in_sequence(rows.size(), 3));
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
                setup.center = std::vector<float>{0.5f, 0, -0.25f, 0.125f, 0, 0, 0.75f, 0, 0, 0, -0.1f};
                compare(generated::rows(recipe), 11, setup, dense::in_sequence(recipe.rows, 3));
            }
}

// A centre on a feature that no row has.
TEST(DekelEdges, CentreOnAnUnseenFeature) {
    const generated::Recipe recipe;
    dense::Setup setup = setup_of(Learner::casgd, Loss::logistic);
    setup.center = std::vector<float>(13, 0.0f);
    setup.center->at(2) = 0.25f;
    setup.center->at(12) = 0.5f;
    std::vector<dense::Row> rows = generated::rows(recipe);
    rows[3].features.emplace_back(11, 0.375f);
    compare(rows, 13, setup, dense::in_sequence(recipe.rows, 2));
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
            compare(generated::rows(recipe), 11, setup, dense::in_sequence(recipe.rows, 3));
        }
}

// Lower median: with an even number of rows the smaller of the two in the middle.
TEST(DekelEdges, AutomaticOffsetOfAnEvenNumberOfRows) {
    generated::Recipe recipe;
    for (recipe.rows = 2; recipe.rows < 8; ++recipe.rows)
        for (const Learner learner : all_learners) {
            SCOPED_TRACE(name_of(learner) + " " + std::to_string(recipe.rows));
            recipe.density = 0.9;
            compare(generated::rows(recipe), 11, setup_of(learner, Loss::logistic), dense::in_sequence(recipe.rows, 2));
        }
}

TEST(DekelEdges, TinyAndHugeValues) {
    generated::Recipe recipe;
    recipe.values = generated::Values::wide;
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            recipe.regression = is_regression(loss);
            compare(generated::rows(recipe), 11, setup_of(learner, loss), dense::in_sequence(recipe.rows, 3));
        }
}

// A lambda so small that lambda k and lambda t are far apart.
TEST(DekelEdges, TinyLambda) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners) {
        dense::Setup setup = setup_of(learner, Loss::logistic);
        setup.lambda = 1e-300;
        compare(generated::rows(recipe), 11, setup, dense::in_sequence(recipe.rows, 3));
    }
}

TEST(DekelEdges, LargeAndBrokenPowers) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners)
        for (const double q : {0.5, 1.0, 3.0, 10.0})
            compare(generated::rows(recipe), 11, setup_of(learner, Loss::hinge, 0, q),
                    dense::in_sequence(recipe.rows, 3));
}

TEST(DekelEdges, BrokenOffset) {
    const generated::Recipe recipe;
    for (const Learner learner : all_learners)
        compare(generated::rows(recipe), 11, setup_of(learner, Loss::logistic, 0.3, 0),
                dense::in_sequence(recipe.rows, 3));
}

TEST(DekelPublished, BothChecks) {
    for (const PublishedCheck& check : published_checks())
        for (const Learner learner : {Learner::asgd, Learner::casgd}) {
            dense::Setup setup = setup_of(learner, check.loss, 0, 0);
            setup.lambda = check.lambda;
            const PublishedModel& expected = learner == Learner::asgd ? check.asgd : check.casgd;
            const Learned found = learn_sparse(published_rows(), placed(5), setup, dense::in_sequence(4, check.epochs));
            for (size_t j = 0; j < 5; ++j) EXPECT_TRUE(near(found.w[j], expected.w[j])) << name_of(learner) << j;
            EXPECT_TRUE(near(found.b, expected.b)) << name_of(learner);
        }
}

double score(const Learned& model, const dense::Row& row) {
    double sum = model.b;
    for (const auto& [position, value] : row.features) sum += model.w[static_cast<size_t>(position)] * value;
    return sum;
}

// casgd with nothing set: dyadic values and offsets, so that x + offset is exact in float.
TEST(CasgdInvariance, ScoresDoNotDependOnTheOrigin) {
    for (const uint64_t seed : {1, 2, 3, 4})
        for (const Loss loss : all_losses)
            for (const float size : {0.25f, 10.0f, 100.0f}) {
                SCOPED_TRACE(name_of(loss) + " by " + std::to_string(size) + " seed " + std::to_string(seed));
                generated::Recipe recipe = recipe_for(loss, seed);
                recipe.values = generated::Values::dyadic;
                recipe.rows = 64;
                std::vector<float> offset(11);
                for (size_t j = 0; j < offset.size(); ++j)
                    offset[j] = (j % 3 == 0 ? -1 : 1) * size * ((j % 4) / 4.0f + 0.25f);
                dense::Setup setup = setup_of(Learner::casgd, loss);
                setup.lambda = dense::automatic;
                const auto rows = generated::rows(recipe);
                const auto moved = generated::shifted(rows, offset);
                const auto order = dense::in_sequence(rows.size(), 10);
                const Learned here = learn_sparse(rows, placed(11), setup, order);
                const Learned there = learn_sparse(moved, placed(11), setup, order);
                EXPECT_TRUE(near(there.k, here.k));
                double largest = 0;
                for (const dense::Row& row : rows) largest = std::max(largest, std::fabs(score(here, row)));
                for (size_t i = 0; i < rows.size(); ++i)
                    EXPECT_NEAR(score(here, rows[i]), score(there, moved[i]), tolerance * largest);
            }
}

// Where the indices lie is a matter of storage alone: the same bits.
TEST(DekelStorage, ScatteredIndicesGiveTheSameNumbers) {
    const generated::Recipe recipe;
    const std::vector<int32_t> scattered = {0,         1,          77777,      1000000,    123456789, 123456790,
                                            999999999, 1500000000, 2000000000, 2147483645, 2147483646};
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            const auto rows = generated::rows(recipe_for(loss, 5));
            const auto order = dense::in_sequence(rows.size(), 3);
            const dense::Setup setup = setup_of(learner, loss);
            const Learned dense_range = learn_sparse(rows, placed(11), setup, order);
            const Learned sparse_range = learn_sparse(rows, scattered, setup, order);
            EXPECT_EQ(dense_range.w, sparse_range.w) << name_of(learner) << " " << name_of(loss);
            EXPECT_EQ(dense_range.b, sparse_range.b) << name_of(learner) << " " << name_of(loss);
        }
}

}  // namespace
