// Rows that would overshoot: learners against the dense reference, whose steps are roots that bisection finds; and the
// same bits as ever where no row does.
#include "learners/dekel_cases.h"
#include "learners/dense_multinomial.h"
#include "learners/dense_xu.h"

namespace {

using namespace dekel_cases;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Every seventh row is far longer than the others, or weighs far more.
enum class Heavy { by_length, by_weight };

std::vector<dense::Row> heavy_rows(generated::Recipe recipe, Heavy heavy) {
    std::vector<dense::Row> rows = generated::rows(recipe);
    for (size_t i = 3; i < rows.size(); i += 7) {
        const float factor = i % 2 == 0 ? 24 : 150;
        if (heavy == Heavy::by_weight) rows[i].weight *= factor * factor;
        for (auto& [position, value] : rows[i].features)
            if (heavy == Heavy::by_length) value = static_cast<float>(value) * factor;
    }
    return rows;
}

// Calls visit(learner, loss, rows), which says how many steps were too long.
void each_case(generated::Recipe recipe, const auto& visit) {
    for (const Loss loss : all_losses) {
        size_t heavy = 0;
        for (const Heavy its : {Heavy::by_length, Heavy::by_weight}) {
            recipe.regression = is_regression(loss);
            const auto rows = heavy_rows(recipe, its);
            for (const Learner learner : all_learners) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + (its == Heavy::by_weight ? " weights" : ""));
                heavy += visit(learner, loss, rows);
            }
        }
        EXPECT_GT(heavy, 10u) << name_of(loss);
    }
}

// How many steps were too long.
size_t compare_heavy(const std::vector<dense::Row>& rows, const dense::Setup& setup, const Plan& plan) {
    const dense::Result expected = dense::learn(rows, 11, setup, order_of(rows, plan));
    expect_equal(learn_sparse(rows, placed(11), setup, plan), expected);
    return expected.heavy;
}

TEST(ImplicitStep, EqualsTheDenseReference) {
    each_case({.rows = 60, .weighted = true}, [](Learner learner, Loss loss, const auto& rows) {
        size_t heavy = 0;
        for (const double above : {8.0, 1.0, 0.01})
            for (const bool intercept : {true, false})
                for (const double k : {dense::automatic, 30.0, 0.0}) {
                    SCOPED_TRACE(::testing::Message() << above << " k=" << k);
                    dense::Setup setup = setup_of(learner, loss, k);
                    setup.intercept = intercept;
                    setup.implicit_above = above;
                    heavy += compare_heavy(rows, setup, Plan{3});
                    heavy += compare_heavy(rows, setup, Plan{2, true});
                }
        return heavy;
    });
}

TEST(ImplicitStep, WithLambdaByTheRowsAndAGivenCentre) {
    each_case({.seed = 2, .rows = 60}, [](Learner learner, Loss loss, const auto& rows) {
        dense::Setup setup = setup_of(learner, loss);
        setup.lambda = dense::automatic;
        setup.implicit_above = 2;
        if (learner == Learner::casgd) setup.center = dense::Dense(11, 0.375f);
        return compare_heavy(rows, setup, Plan{3});
    });
}

// Of the 1000 rows that are looked at first some are heavy, and of those that follow.
TEST(ImplicitStep, InAStream) {
    for (const size_t count : {700, 1500})
        each_case({.seed = 3, .rows = count, .weighted = true}, [](Learner learner, Loss loss, const auto& rows) {
            size_t heavy = 0;
            for (const double k : {dense::automatic, 1.0}) {
                dense::Setup setup = setup_of(learner, loss, k);
                setup.rows_for_k = 1000;
                if (learner == Learner::casgd) setup.center = dense::Dense(11, 0.125f);
                heavy += compare_heavy(rows, setup, Plan{});
            }
            return heavy;
        });
}

// Written to a file and brought back they are as heavy as they were.
TEST(ImplicitStep, FromAFile) {
    each_case({.seed = 4, .rows = 800}, [](Learner learner, Loss loss, const auto& rows) {
        const dense::Setup setup = setup_of(learner, loss);
        const Learned in_memory = learn_sparse(rows, placed(11), setup, Plan{2});
        Plan plan{2};
        plan.window = 8000;
        const Learned spilled = learn_sparse(rows, placed(11), setup, plan);
        EXPECT_GT(spilled.blocks_written, 2u);
        EXPECT_EQ(spilled.w, in_memory.w);
        EXPECT_EQ(spilled.b, in_memory.b);
        return spilled.blocks_written;
    });
}

// On rows that are divided the reference learns the same, with weights to be divided.
TEST(ImplicitStep, WithAScale) {
    each_case({.seed = 5, .rows = 60, .weighted = true}, [](Learner learner, Loss loss, const auto& rows) {
        dense::Dense largest(11, 0);
        for (const dense::Row& row : dense::learned(rows))
            for (const auto& [j, value] : row.features) largest[j] = std::max(largest[j], std::fabs(value));
        auto divided = rows;
        for (dense::Row& row : divided)
            for (auto& [j, value] : row.features) value /= largest[j];
        dense::Setup setup = setup_of(learner, loss, 2);
        const Plan plan{3, false, 42, 0, " scale=maxabs"};
        const dense::Result expected = dense::learn(divided, 11, setup, order_of(divided, plan));
        Learned found = learn_sparse(rows, placed(11), setup, plan);
        for (size_t j = 0; j < 11; ++j) found.w[j] *= static_cast<double>(largest[j]);
        expect_equal(found, expected);
        return expected.heavy;
    });
}

// Balanced classes make the rows of the rare one heavy.
TEST(ImplicitStep, ByTheirClass) {
    for (const Learner learner : all_learners) {
        auto rows = generated::rows({.rows = 90});
        size_t positive = 0;
        for (size_t i = 0; i < rows.size(); ++i) rows[i].label = i % 30 == 7 ? 1 : -1, positive += i % 30 == 7;
        auto weighted = rows;
        for (dense::Row& row : weighted) {
            const double its = static_cast<double>(row.label > 0 ? positive : rows.size() - positive);
            row.weight = static_cast<double>(rows.size()) / 2 / its;
        }
        dense::Setup setup = setup_of(learner, Loss::hinge);
        setup.implicit_above = 3;
        const dense::Result expected = dense::learn(weighted, 11, setup, order_of(weighted, Plan{2}));
        EXPECT_GT(expected.heavy, 0u);
        Plan plan{2};
        plan.more = " class_weight=balanced";
        const Learned found = learn_sparse(rows, placed(11), setup, plan);
        for (size_t j = 0; j < 11; ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], 1)) << j;
    }
}

Learned learn_onepass(const std::vector<dense::Row>& rows, const std::string& more, const Plan& plan = {}) {
    OptionText text;
    text.add(plan);
    return learn_sparse(rows, placed(11), sparselin::LearnerKind::onepass, text.text() + " " + more, plan.window);
}

// Its first steps go by the longest of the first 1000 rows: later rows are longer, or the first step is given.
TEST(ImplicitStep, InOnePass) {
    for (const Loss loss : all_losses)
        for (const bool intercept : {true, false})
            for (const double lambda : {0.0, 0.01})
                for (const double gamma0 : {dense::automatic, 0.4}) {
                    SCOPED_TRACE(::testing::Message() << name_of(loss) << " " << lambda << " " << gamma0);
                    generated::Recipe recipe = recipe_for(loss, 6);
                    recipe.rows = 1300;
                    auto rows = generated::rows(recipe);
                    for (size_t i = 1002; i < rows.size(); i += 9)
                        for (auto& [position, value] : rows[i].features) value = static_cast<float>(value) * 40;
                    dense::XuSetup setup{.loss = loss, .lambda = lambda, .gamma0 = gamma0, .intercept = intercept};
                    setup.rows_for_unit = 1000;
                    const dense::XuResult expected = dense::learn_xu(rows, 11, setup, order_of(rows, Plan{}));
                    EXPECT_GT(expected.heavy, 0u);
                    OptionText text;
                    text.add("loss", option_of(loss)).add("lambda", lambda).add("gamma0", gamma0);
                    const Learned found = learn_onepass(rows, text.text() + (intercept ? "" : " intercept=false"));
                    for (size_t j = 0; j < 11; ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], 1)) << j;
                    EXPECT_TRUE(near(found.b, expected.b, 1));
                }
}

// Where no row is heavy not a bit is other than without the option.
TEST(ImplicitStep, ChangesNothingElsewhere) {
    const auto expect_same = [](const Learned& found, const Learned& expected) {
        EXPECT_EQ(found.w, expected.w);
        EXPECT_EQ(found.b, expected.b);
        EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
    };
    for (const Loss loss : all_losses) {
        const auto rows = generated::rows(recipe_for(loss, 7));
        for (const Learner learner : all_learners)
            for (const double k : {200.0, dense::automatic}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
                if (std::isnan(k) && (loss == Loss::squared || loss == Loss::squared_hinge)) continue;  // another k
                dense::Setup setup = setup_of(learner, loss, k);
                if (std::isnan(k) && loss == Loss::huber) setup.k = 40 / setup.lambda;
                const dense::Result reference = dense::learn(rows, 11, setup, order_of(rows, Plan{3}));
                ASSERT_EQ(reference.heavy, 0u);
                const Learned found = learn_sparse(rows, placed(11), setup, Plan{3});
                setup.implicit_above = infinity;
                expect_same(found, learn_sparse(rows, placed(11), setup, Plan{3}));
            }
        const std::string text = "gamma0=0.01 loss=" + option_of(loss);
        expect_same(learn_onepass(rows, text), learn_onepass(rows, text + " implicit_above=infinity"));
    }
}

// What it is for: one wrong row among many, a million times as long, does not decide where all others end. (A squared
// loss makes it decide.)
TEST(ImplicitStep, KeepsALongRowFromCarryingTheOthersAway) {
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::absolute, Loss::huber, Loss::quantile})
        for (const Learner learner : {Learner::asgd, Learner::casgd}) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            generated::Recipe recipe = recipe_for(loss, 8);
            recipe.rows = 400;
            auto rows = generated::rows(recipe);
            for (auto& [position, value] : rows[50].features) value = static_cast<float>(value) * 1000;
            rows[50].label = -rows[50].label;
            dense::Setup setup = setup_of(learner, loss);
            setup.lambda = dense::automatic;
            const auto F = [&](double above) {
                setup.implicit_above = above;
                return dense::objective(dense::learn(rows, 11, setup, order_of(rows, Plan{10})), rows, loss);
            };
            EXPECT_LT(F(8), F(infinity));
        }
}

// Lengths near the ends of what a row can have, and weights: numbers to the end, or so large a loss that learning ends.
void expect_numbers(const std::vector<dense::Row>& rows, sparselin::LearnerKind learner, const std::string& options) {
    try {
        const Learned found = learn_sparse(rows, placed(11), learner, options);
        for (const double w : found.w) EXPECT_TRUE(std::isfinite(w));
        EXPECT_TRUE(std::isfinite(found.b));
    } catch (const sparselin::Error& error) {
        EXPECT_NE(std::string(error.message()).find("the mean loss up to"), std::string::npos) << error.message();
    }
}

TEST(ImplicitStep, StaysANumberWithRowsOfAnyLength) {
    for (const auto learner : {sparselin::LearnerKind::sgd, sparselin::LearnerKind::asgd, sparselin::LearnerKind::casgd,
                               sparselin::LearnerKind::onepass})
        for (const Loss loss : all_losses)
            for (const float length : {1e15f, 1e25f, 3e38f})
                for (const double weight : {1.0, 1e-300, 1e150})
                    for (const std::string more : {"", " intercept=false", " implicit_above=1e-300", " scale=std"}) {
                        const std::string options = "lambda=0.01 epochs=3 loss=" + option_of(loss) + more;
                        SCOPED_TRACE(std::string(name_of(learner)) + " " + options);
                        auto rows = generated::rows(recipe_for(loss, 9));
                        for (size_t i = 5; i < rows.size(); i += 6) {
                            for (auto& [position, value] : rows[i].features) value = value < 0 ? -length : length;
                            rows[i].weight = weight;
                        }
                        expect_numbers(rows, learner, options);
                    }
}

}  // namespace
