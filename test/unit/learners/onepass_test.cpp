// onepass_train against the dense reference: every weight and the bias to 1e-9, relative.
#include "learners/dekel_cases.h"
#include "learners/dense_xu.h"

#include <tuple>

namespace {

using dekel_cases::all_losses;
using dekel_cases::near;
using dekel_cases::recipe_for;
using dense::automatic;
using dense::Loss;
using dense::XuResult;
using dense::XuSetup;
using sparselin::Options;

std::string option_text(const XuSetup& setup, const Plan& plan) {
    OptionText text;
    text.add("loss", option_of(setup.loss)).add("lambda", setup.lambda).add(plan);
    text.add("gamma0", setup.gamma0).add("decay", setup.decay).add("decay_rate", setup.decay_rate);
    text.add("average_start", setup.average_start).add("intercept", setup.intercept ? "true" : "false");
    if (setup.implicit_above != 8) text.add("implicit_above", setup.implicit_above);
    return text.text();
}

Learned learn(const std::vector<dense::Row>& rows, size_t dimension, const XuSetup& setup, const Plan& plan) {
    return learn_sparse(rows, placed(dimension), sparselin::LearnerKind::onepass, option_text(setup, plan),
                        plan.window);
}

void expect_equal(const Learned& found, const XuResult& expected) {
    long double largest = std::fabs(expected.b);
    for (const long double weight : expected.w) largest = std::max(largest, std::fabs(weight));
    ASSERT_EQ(found.w.size(), expected.w.size());
    for (size_t j = 0; j < found.w.size(); ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], largest)) << "weight " << j;
    EXPECT_TRUE(near(found.b, expected.b, largest)) << "bias";
    EXPECT_EQ(found.centred_b, found.b);
    EXPECT_TRUE(near(found.progressive_loss, expected.progressive_loss)) << "progressive loss";
    EXPECT_EQ(found.rows, static_cast<int64_t>(expected.rows));
    EXPECT_EQ(found.steps, static_cast<int64_t>(expected.steps));
    EXPECT_TRUE(near(found.option(&Options::gamma0), expected.gamma0)) << "gamma0";
    const double start = found.option(&Options::average_start);
    if (expected.t0)
        EXPECT_EQ(start, static_cast<double>(*expected.t0));
    else
        EXPECT_TRUE(std::isnan(start)) << start;
}

XuResult compare(const std::vector<dense::Row>& rows, size_t dimension, const XuSetup& setup, const Plan& plan) {
    const XuResult expected = dense::learn_xu(rows, dimension, setup, order_of(rows, plan));
    expect_equal(learn(rows, dimension, setup, plan), expected);
    return expected;
}

std::vector<XuSetup> all_setups(Loss loss, double lambda, size_t steps) {
    const double beyond = static_cast<double>(steps + 7);
    std::vector<XuSetup> setups;
    for (const double gamma0 : {0.3, automatic})
        for (const double decay : {0.4, automatic})
            for (const double decay_rate : {0.1, 0.0, automatic})
                for (const double average_start : {0.0, 5.0, automatic, beyond})
                    setups.push_back({loss, lambda, gamma0, decay, decay_rate, average_start});
    return setups;
}

using Case = std::tuple<Loss, double, size_t, bool>;

class Onepass : public ::testing::TestWithParam<Case> {};

TEST_P(Onepass, EqualsTheDenseReference) {
    const auto& [loss, lambda, epochs, replacement] = GetParam();
    generated::Recipe recipe = recipe_for(loss, 1);
    recipe.rows = 140;
    const auto rows = generated::rows(recipe);
    const Plan plan{epochs, replacement, 7};
    for (const XuSetup& setup : all_setups(loss, lambda, epochs * rows.size())) {
        SCOPED_TRACE(option_text(setup, plan));
        compare(rows, static_cast<size_t>(recipe.dimension), setup, plan);
    }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    const auto& [loss, lambda, epochs, replacement] = info.param;
    return name_of(loss) +
           (lambda == 0     ? "_none"
            : lambda < 1e-3 ? "_default"
                            : "_large") +
           "_epochs" + std::to_string(epochs) + (replacement ? "_replacement" : "_sequential");
}

INSTANTIATE_TEST_SUITE_P(All, Onepass,
                         ::testing::Combine(::testing::ValuesIn(all_losses), ::testing::Values(0, 1e-5, 0.01),
                                            ::testing::Values(size_t{1}, size_t{3}), ::testing::Bool()),
                         case_name);

// The same step as in the reference, somewhere in the run; or none, and then the last iterate is the result.
TEST(OnepassStart, IsFoundInSomeRunsAndNotInOthers) {
    size_t found = 0, not_found = 0;
    for (const Loss loss : all_losses)
        for (const uint64_t seed : {1, 2, 3, 4})
            for (const double gamma0 : {0.01, 0.3, automatic}) {
                SCOPED_TRACE(name_of(loss) + " " + std::to_string(seed) + " " + std::to_string(gamma0));
                generated::Recipe recipe = recipe_for(loss, seed);
                recipe.rows = 400;
                recipe.weighted = seed % 2 == 0;
                const auto rows = generated::rows(recipe);
                const XuResult expected = compare(rows, 11, {.loss = loss, .gamma0 = gamma0}, Plan{});
                if (expected.t0) {
                    EXPECT_GE(*expected.t0, 100u);
                    ++found;
                } else {
                    ++not_found;
                }
            }
    EXPECT_GE(found, 10u);
    EXPECT_GE(not_found, 10u);
}

// Found at the very last step: there is nothing to average yet.
TEST(OnepassStart, FoundAtTheLastStepLeavesTheLastIterate) {
    generated::Recipe recipe = recipe_for(Loss::hinge, 1);
    recipe.rows = 2000;
    auto rows = generated::rows(recipe);
    const XuSetup setup = {.loss = Loss::hinge, .gamma0 = 0.3};
    const XuResult whole = compare(rows, 11, setup, Plan{});
    ASSERT_TRUE(whole.t0 && *whole.t0 < rows.size());
    for (const size_t more : {0, 1}) {
        rows.resize(*whole.t0 + more);
        const XuResult expected = compare(rows, 11, setup, Plan{});
        ASSERT_TRUE(expected.t0);
        EXPECT_EQ(*expected.t0, *whole.t0);
    }
}

// Rows are learned from as they arrive; the automatic gamma0 comes from the first 1000 that count.
TEST(OnepassStreaming, EqualsTheDenseReference) {
    for (const Loss loss : all_losses)
        for (const bool weighted : {false, true})
            for (const size_t count : {999, 1000, 1001, 2500}) {
                SCOPED_TRACE(name_of(loss) + " " + std::to_string(count));
                generated::Recipe recipe = recipe_for(loss, 4);
                recipe.rows = count;
                recipe.weighted = weighted;
                auto rows = generated::rows(recipe);
                // The longest that counts is the last that is looked at; a longer one comes after those.
                size_t learned = 0;
                for (dense::Row& row : rows) {
                    learned += row.weight != 0;
                    if (learned == 1000) row.features = {{2, 2.5f}};
                    if (learned == 1001) row.features = {{3, 3.0f}};
                }
                for (const double average_start : {automatic, 0.0, 1500.0})
                    compare(rows, 11, {.loss = loss, .average_start = average_start}, Plan{});
            }
}

// The file makes no difference: the same bits. The first 1000 rows are those that came first, in whatever order they
// are learned from.
TEST(OnepassStreaming, SpilledRowsGiveTheSameNumbers) {
    for (const Loss loss : all_losses)
        for (const bool replacement : {false, true}) {
            SCOPED_TRACE(name_of(loss));
            generated::Recipe recipe = recipe_for(loss, 6);
            recipe.rows = 3000;
            auto rows = generated::rows(recipe);
            rows[1000].features = {{2, 4.0f}};
            Plan plan{2, replacement};
            const XuSetup setup = {.loss = loss};
            compare(rows, 11, setup, plan);
            const Learned in_memory = learn(rows, 11, setup, plan);
            plan.window = 20000;
            const Learned spilled = learn(rows, 11, setup, plan);
            EXPECT_EQ(in_memory.blocks_written, 0u);
            EXPECT_GT(spilled.blocks_written, 2u);
            EXPECT_EQ(spilled.w, in_memory.w);
            EXPECT_EQ(spilled.b, in_memory.b);
            EXPECT_EQ(spilled.options, in_memory.options);
        }
}

// Where the indices lie is a matter of storage alone: the same bits.
TEST(OnepassStorage, ScatteredIndicesGiveTheSameNumbers) {
    const std::vector<int32_t> scattered = {0,         1,          77777,      1000000,    123456789, 123456790,
                                            999999999, 1500000000, 2000000000, 2147483645, 2147483646};
    for (const Loss loss : all_losses) {
        generated::Recipe recipe = recipe_for(loss, 5);
        recipe.rows = 300;
        const auto rows = generated::rows(recipe);
        const std::string options = option_text({.loss = loss, .lambda = 0.01}, Plan{});
        const Learned near_by = learn_sparse(rows, placed(11), sparselin::LearnerKind::onepass, options);
        const Learned far_off = learn_sparse(rows, scattered, sparselin::LearnerKind::onepass, options);
        EXPECT_EQ(near_by.w, far_off.w) << name_of(loss);
        EXPECT_EQ(near_by.b, far_off.b) << name_of(loss);
    }
}

// Over one kind of rows: every loss, with and without an intercept, last iterate, average and search.
void compare_all(generated::Recipe recipe, XuSetup setup = {.lambda = 0.01}) {
    for (const Loss loss : all_losses)
        for (const bool intercept : {true, false})
            for (const double average_start : {1.0, 1e6, automatic})
                for (const size_t epochs : {1, 4}) {
                    SCOPED_TRACE(name_of(loss) + (intercept ? " " : " no intercept ") + std::to_string(average_start));
                    recipe.regression = dekel_cases::is_regression(loss);
                    setup.loss = loss;
                    setup.intercept = intercept;
                    setup.average_start = average_start;
                    compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension), setup, Plan{epochs});
                }
}

TEST(OnepassEdges, RowWeights) {
    generated::Recipe recipe;
    recipe.weighted = true;
    compare_all(recipe);
}

// Rows of large weight do not make a pass with automatic steps diverge.
TEST(OnepassEdges, HeavyRows) {
    for (const Loss loss : all_losses)
        for (const double weight : {5.0, 100.0}) {
            SCOPED_TRACE(name_of(loss));
            generated::Recipe recipe = recipe_for(loss, 1);
            recipe.rows = 3000;
            auto rows = generated::rows(recipe);
            for (size_t i = 0; i < rows.size(); i += 3) rows[i].weight = weight;
            compare(rows, 11, {.loss = loss}, Plan{});
        }
}

// Weight 0 is as if the row were not there: not among the steps, nor in the automatic gamma0.
TEST(OnepassEdges, RowOfWeightZeroChangesNothing) {
    const std::vector<dense::Row> rows = generated::rows({.rows = 200});
    std::vector<dense::Row> more = rows;
    more.insert(more.begin() + 5, {{{0, 100.0f}}, 1, 0});
    for (const size_t epochs : {1, 2}) {
        const Learned once = learn(rows, 11, {}, Plan{epochs});
        const Learned with = learn(more, 11, {}, Plan{epochs});
        EXPECT_EQ(once.w, with.w);
        EXPECT_EQ(once.b, with.b);
        EXPECT_EQ(once.options, with.options);
        EXPECT_EQ(once.skipped, 0);
        EXPECT_EQ(with.skipped, 1);
    }
}

TEST(OnepassEdges, EmptyRows) {
    generated::Recipe recipe;
    recipe.empty_rows = true;
    compare_all(recipe);
}

TEST(OnepassEdges, ConstantFeature) {
    generated::Recipe recipe;
    recipe.constant = 4;
    compare_all(recipe);
}

TEST(OnepassEdges, DimensionOne) {
    generated::Recipe recipe;
    recipe.dimension = 1;
    recipe.density = 0.8;
    compare_all(recipe);
}

TEST(OnepassEdges, OneRow) {
    generated::Recipe recipe;
    recipe.rows = 1;
    recipe.density = 0.7;
    compare_all(recipe);
}

TEST(OnepassEdges, TinyAndHugeValues) {
    generated::Recipe recipe;
    recipe.values = generated::Values::wide;
    compare_all(recipe);
}

// Weights shrink to almost nothing at every step: by the bound of alpha, just below it, and far beyond.
TEST(OnepassEdges, ShrinkingAlmostToZero) {
    for (const double gamma0 : {99.0, 99.89, 99.9, 99.9999, 99.9999999999})
        for (const double decay_rate : {0.0, 0.01}) {
            SCOPED_TRACE(gamma0);
            generated::Recipe recipe;
            recipe.rows = 120;
            for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::absolute})
                for (const double average_start : {0.0, 50.0, automatic})
                    compare(generated::rows(recipe), 11,
                            {.loss = loss,
                             .lambda = 0.01,
                             .gamma0 = gamma0,
                             .decay_rate = decay_rate,
                             .average_start = average_start},
                            Plan{3});
        }
}

// gamma0 = 1/(2 lambda), the smaller of the two.
TEST(OnepassEdges, LargeLambda) {
    generated::Recipe recipe;
    recipe.rows = 150;
    for (const double lambda : {10.0, 1e6, 1e100}) {
        const Learned found = learn(generated::rows(recipe), 11, {.lambda = lambda}, Plan{});
        EXPECT_EQ(found.option(&Options::gamma0), 1 / (2 * lambda));
        compare_all(recipe, {.lambda = lambda});
    }
}

// Without decay every step is as long as the first.
TEST(OnepassEdges, ExtremeDecay) {
    generated::Recipe recipe;
    recipe.rows = 150;
    for (const double decay : {0.0, 1.0}) compare_all(recipe, {.lambda = 0.01, .decay = decay, .decay_rate = 3});
    compare_all(recipe, {.lambda = 0, .gamma0 = 1e-3, .decay = 1, .decay_rate = 1e6});
}

}  // namespace
