// Scale and class weights: learning on x_j / s_j and folding s_j into the weights is what the dense reference does on
// rows that have been divided, element by element; a class weight is a row weight.
#include "learners/dekel_cases.h"
#include "survey/dense_frame.h"

namespace {

using namespace dekel_cases;

using dense::divided;
using dense::scale_of;
using dense::Scaling;
using dense::text_of;
constexpr Scaling all_scalings[] = {Scaling::std, Scaling::maxabs};  // that bring features to one size

// What the reference learns on divided rows.
dense::Result learn_divided(const std::vector<dense::Row>& rows, size_t dimension, dense::Setup setup, Scaling scaling,
                            const Plan& plan) {
    const dense::Dense s = scale_of(rows, dimension, scaling);
    if (setup.center)
        for (size_t j = 0; j < setup.center->size(); ++j) (*setup.center)[j] /= s[j];
    return dense::learn(divided(rows, s), dimension, setup, order_of(rows, plan));
}

// The weights as they were before they were folded, so that each counts as much as the others.
Learned unfolded(Learned learned, const dense::Dense& s) {
    for (size_t j = 0; j < s.size(); ++j) learned.w[j] = static_cast<double>(learned.w[j] * s[j]);
    return learned;
}

Plan with(Scaling scaling, Plan plan) {
    plan.more = std::string(" scale=") + text_of(scaling);
    return plan;
}

void compare_scaled(const std::vector<dense::Row>& rows, size_t dimension, const dense::Setup& setup, Plan plan,
                    std::span<const Scaling> scalings = all_scalings) {
    for (const Scaling scaling : scalings) {
        SCOPED_TRACE(text_of(scaling));
        const Learned found = learn_sparse(rows, placed(dimension), setup, with(scaling, plan));
        expect_equal(unfolded(found, scale_of(rows, dimension, scaling)),
                     learn_divided(rows, dimension, setup, scaling, plan));
    }
}

// Columns of very different size, one that is 1.5 and one that is 123456.7 wherever there is a row, one seen once.
std::vector<dense::Row> uneven_rows(generated::Recipe recipe) {
    recipe.constant = 4;
    std::vector<dense::Row> rows = generated::rows(recipe);
    for (size_t i = 0; i < rows.size(); ++i) {
        for (auto& [position, value] : rows[i].features) {
            if (position == 0) value = 1000 * static_cast<float>(value);
            if (position == 1) value = 1e-6f * static_cast<float>(value);
            if (position == 2) value = 5000 + static_cast<float>(value);
        }
        if (!rows[i].features.empty()) rows[i].features.emplace_back(recipe.dimension, 123456.7f);
        if (i == 5) rows[i].features.emplace_back(recipe.dimension + 1, -0.001f);
    }
    return rows;
}

constexpr size_t uneven_dimension = 13;

template <typename Visit>
void each_case(Visit&& visit) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            visit(learner, loss);
        }
}

TEST(Scale, EqualsTheReferenceOnDividedRows) {
    each_case([](Learner learner, Loss loss) {
        for (const bool weighted : {false, true})
            for (const bool empty_rows : {false, true})
                for (const size_t epochs : {1, 3})
                    for (const bool replacement : {false, true}) {
                        SCOPED_TRACE(::testing::Message() << weighted << empty_rows << epochs << replacement);
                        generated::Recipe recipe = recipe_for(loss, 7);
                        recipe.weighted = weighted;
                        recipe.empty_rows = empty_rows;
                        compare_scaled(uneven_rows(recipe), uneven_dimension, setup_of(learner, loss),
                                       Plan{epochs, replacement});
                    }
    });
}

// Rows are counted, whatever their values and their weights.
TEST(Scale, InverseDocumentFrequency) {
    constexpr Scaling idf[] = {Scaling::idf};
    each_case([&](Learner learner, Loss loss) {
        for (const bool weighted : {false, true})
            for (const size_t epochs : {1, 3}) {
                generated::Recipe recipe = recipe_for(loss, 18);
                recipe.weighted = weighted;
                recipe.empty_rows = true;
                recipe.constant = 4;
                dense::Setup setup = setup_of(learner, loss);
                compare_scaled(generated::rows(recipe), 11, setup, Plan{epochs}, idf);
                if (learner == Learner::casgd) setup.center = {1, 0.25f, -0.5f, 0, 1.5f, 0.5f, 0, 0, 0, 1, 0, 2};
                compare_scaled(generated::rows(recipe), 12, setup, Plan{epochs, true}, idf);
            }
    });
}

TEST(Scale, WithoutAnInterceptToo) {
    each_case([](Learner learner, Loss loss) {
        dense::Setup setup = setup_of(learner, loss);
        setup.intercept = false;
        compare_scaled(generated::rows(recipe_for(loss, 8)), 11, setup, Plan{2});
    });
}

// A given centre is in the features' own units; feature 12, which no row has, keeps its.
TEST(Scale, GivenCentre) {
    for (const Loss loss : all_losses)
        for (const bool with_unseen : {false, true}) {
            SCOPED_TRACE(name_of(loss));
            std::vector<dense::Row> rows = uneven_rows(recipe_for(loss, 9));
            if (with_unseen) rows[5].features.pop_back();
            dense::Setup setup = setup_of(Learner::casgd, loss);
            setup.center = {1, 0.25f, 2500, 0, -1, 0.5f, 0, 0, 0, 1, 0, 100000, 3};
            compare_scaled(rows, uneven_dimension, setup, Plan{3});
        }
}

// Deviations of 1e-7 of the size are storage's rounding, and would be learned from as if they were features.
TEST(Scale, NearlyConstantIsConstant) {
    each_case([](Learner learner, Loss loss) {
        auto rows = generated::rows(recipe_for(loss, 16));
        for (size_t i = 0; i < rows.size(); ++i) rows[i].features.emplace_back(11, i % 3 != 0 ? 1048576 : 1048576.25L);
        compare_scaled(rows, 12, setup_of(learner, loss), Plan{2});
    });
}

// Where squares would leave few digits of the deviation. (Centring so far from zero costs casgd digits by itself.)
TEST(Scale, SmallDeviationsFarFromZeroAreExact) {
    each_case([](Learner learner, Loss loss) {
        if (learner == Learner::casgd) return;
        auto rows = generated::rows(recipe_for(loss, 16));
        for (size_t i = 0; i < rows.size(); ++i)
            rows[i].features.emplace_back(11, 123456.7f + static_cast<float>(i % 5));
        compare_scaled(rows, 12, setup_of(learner, loss), Plan{2});
    });
}

TEST(Scale, OneRow) {
    each_case([](Learner learner, Loss loss) {
        const std::vector<dense::Row> rows = {{{{0, 123456.7f}, {2, -1e-3f}}, 1, 1}};
        compare_scaled(rows, 3, setup_of(learner, loss), Plan{3});
    });
}

// One epoch in arrival order is buffered then, so that lambda can be 1/rows.
TEST(Scale, NeedsNoLambda) {
    each_case([](Learner learner, Loss loss) {
        generated::Recipe recipe = recipe_for(loss, 10);
        recipe.rows = 1500;
        dense::Setup setup = setup_of(learner, loss);
        setup.lambda = dense::automatic;
        compare_scaled(uneven_rows(recipe), uneven_dimension, setup, Plan{1});
    });
}

// Numbers as small and as large as float has them, in one row.
TEST(Scale, ExtremeValues) {
    const float tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();
    std::vector<dense::Row> rows;
    for (int i = 0; i < 12; ++i) {
        dense::Row row;
        row.features = {{0, i % 2 != 0 ? tiny : 1e-38f}, {1, i % 3 != 0 ? huge : -huge}, {2, huge}, {3, tiny}};
        if (i == 7) row.features.emplace_back(4, tiny);
        row.label = i % 4 != 0 ? 1 : -1;
        rows.push_back(row);
    }
    each_case([&](Learner learner, Loss loss) { compare_scaled(rows, 5, setup_of(learner, loss), Plan{2}); });
}

TEST(Scale, SpilledRowsGiveTheSameNumbers) {
    each_case([](Learner learner, Loss loss) {
        for (const Scaling scaling : all_scalings)
            for (const bool replacement : {false, true}) {
                generated::Recipe recipe = recipe_for(loss, 6);
                recipe.rows = 2000;
                const auto rows = uneven_rows(recipe);
                Plan plan = with(scaling, Plan{2, replacement});
                const Learned in_memory = learn_sparse(rows, placed(uneven_dimension), setup_of(learner, loss), plan);
                plan.window = 20000;
                const Learned spilled = learn_sparse(rows, placed(uneven_dimension), setup_of(learner, loss), plan);
                EXPECT_GT(spilled.blocks_written, 2u);
                EXPECT_EQ(spilled.w, in_memory.w);
                EXPECT_EQ(spilled.b, in_memory.b);
                EXPECT_EQ(spilled.k(), in_memory.k());
            }
    });
}

// Another unit for a feature changes the unit of its weight and nothing else: the same bits.
TEST(Scale, UnitsDoNotMatter) {
    each_case([](Learner learner, Loss loss) {
        for (const Scaling scaling : all_scalings) {
            const auto rows = uneven_rows(recipe_for(loss, 11));
            auto other = rows;
            for (dense::Row& row : other)
                for (auto& [position, value] : row.features)
                    if (position == 3) value *= 1024;
            const Plan plan = with(scaling, Plan{3});
            const Learned a = learn_sparse(rows, placed(uneven_dimension), setup_of(learner, loss), plan);
            const Learned b = learn_sparse(other, placed(uneven_dimension), setup_of(learner, loss), plan);
            for (size_t j = 0; j < uneven_dimension; ++j) EXPECT_EQ(b.w[j], j == 3 ? a.w[j] / 1024 : a.w[j]) << j;
            EXPECT_EQ(b.b, a.b);
            EXPECT_EQ(b.progressive_loss, a.progressive_loss);
        }
    });
}

// The model takes features as they are: its scores are those of the scaled model on scaled rows.
TEST(Scale, PredictionsAreThoseOfTheScaledModel) {
    each_case([](Learner learner, Loss loss) {
        const auto rows = uneven_rows(recipe_for(loss, 12));
        const dense::Dense s = scale_of(rows, uneven_dimension, Scaling::std);
        const Learned found =
            learn_sparse(rows, placed(uneven_dimension), setup_of(learner, loss), with(Scaling::std, Plan{3}));
        const dense::Result scaled =
            dense::learn(divided(rows, s), uneven_dimension, setup_of(learner, loss), order_of(rows, Plan{3}));
        for (const dense::Row& row : rows) {
            long double score = found.b;
            for (const auto& [position, value] : row.features) score += found.w[static_cast<size_t>(position)] * value;
            const long double expected = dense::predict(scaled, divided({row}, s)[0]);
            EXPECT_NEAR(static_cast<double>(score), static_cast<double>(expected), 1e-9 * (1 + std::fabs(expected)));
        }
    });
}

// Rows of each class with the weights that balance them, from the definition.
std::vector<dense::Row> balanced(const std::vector<dense::Row>& rows) {
    const std::vector<dense::Row> present = dense::learned(rows);
    const auto count = [&](bool positive) {
        return static_cast<double>(
            std::ranges::count_if(present, [&](const dense::Row& row) { return (row.label > 0) == positive; }));
    };
    const double classes = (count(true) > 0) + (count(false) > 0);
    std::vector<dense::Row> result = rows;
    for (dense::Row& row : result)
        if (row.weight != 0) row.weight *= static_cast<double>(present.size()) / (classes * count(row.label > 0));
    return result;
}

TEST(ClassWeight, EqualsRowWeights) {
    for (const Learner learner : all_learners)
        for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge})
            for (const bool weighted : {false, true})
                for (const size_t window : {0, 3000}) {
                    SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
                    generated::Recipe recipe = recipe_for(loss, 13);
                    recipe.rows = 400;
                    recipe.weighted = weighted;
                    auto rows = generated::rows(recipe);
                    for (size_t i = 0; i < rows.size(); ++i)
                        if (i % 7 != 1) rows[i].label = -1;
                    dense::Setup setup = setup_of(learner, loss);
                    setup.lambda = dense::automatic;
                    for (const size_t epochs : {1, 3}) {
                        Plan plan{epochs, false, 42, window};
                        plan.more = " class_weight=balanced";
                        const Learned found = learn_sparse(rows, placed(11), setup, plan);
                        EXPECT_EQ(found.blocks_written > 0, window > 0);
                        expect_equal(found, dense::learn(balanced(rows), 11, setup, order_of(rows, plan)));
                    }
                }
}

TEST(ClassWeight, WithScale) {
    for (const Learner learner : all_learners) {
        generated::Recipe recipe = recipe_for(Loss::logistic, 14);
        recipe.weighted = true;
        const auto rows = uneven_rows(recipe);
        const dense::Setup setup = setup_of(learner, Loss::logistic);
        Plan plan{2};
        plan.more = " class_weight=balanced scale=std";
        const Learned found = learn_sparse(rows, placed(uneven_dimension), setup, plan);
        expect_equal(unfolded(found, scale_of(rows, uneven_dimension, Scaling::std)),
                     learn_divided(balanced(rows), uneven_dimension, setup, Scaling::std, plan));
    }
}

TEST(ClassWeight, OneClassWeighsOne) {
    for (const double label : {-1.0, 1.0}) {
        auto rows = generated::rows(recipe_for(Loss::logistic, 15));
        for (dense::Row& row : rows) row.label = label;
        const dense::Setup setup = setup_of(Learner::asgd, Loss::logistic);
        Plan plan{2};
        const Learned plain = learn_sparse(rows, placed(11), setup, plan);
        plan.more = " class_weight=balanced";
        const Learned weighed = learn_sparse(rows, placed(11), setup, plan);
        EXPECT_EQ(plain.w, weighed.w);
        EXPECT_EQ(plain.b, weighed.b);
    }
}

// 32 rows; each of 48 columns is a and -a in two of them, a power of two, and another one is 4 in all. So maxabs
// divides by a, std by a/4, both by 4, and nothing is rounded.
constexpr int columns = 48;
constexpr dense::Real fours = 4;

std::vector<dense::Row> rows_of_powers() {
    generated::Random random(17);
    std::vector<dense::Row> rows(32);
    for (int j = 0; j < columns; ++j) {
        const size_t first = random.below(32), second = (first + 1 + random.below(31)) % 32;
        const dense::Real a = random.sign() * std::ldexp(1, static_cast<int>(random.below(30)) - 15);
        rows[first].features.emplace_back(j, a);
        rows[second].features.emplace_back(j, -a);
    }
    for (dense::Row& row : rows) {
        row.features.emplace_back(columns, fours);
        row.label = random.sign();
        row.weight = static_cast<double>(1 + random.below(8)) / 4;
    }
    return rows;
}

TEST(Scale, ByPowersOfTwoIsExactForEveryLearner) {
    const std::vector<dense::Row> rows = rows_of_powers();
    for (const sparselin::LearnerKind learner : sparselin::every_learner)
        for (const Loss loss : all_losses)
            for (const Scaling scaling : all_scalings)
                for (const char* more : {"", " epochs=1 sampling=sequential", " intercept=false"}) {
                    SCOPED_TRACE(std::string(sparselin::name_of(learner)) + " " + name_of(loss) + more);
                    const std::string options = "loss=" + option_of(loss) + more;
                    const dense::Dense s = scale_of(rows, columns + 1, scaling);
                    const bool lazy = learner >= sparselin::LearnerKind::truncated;
                    const std::string all = options + (lazy ? " eta0=0.01" : "");
                    const bool may_stream = std::string(more).starts_with(" epochs=1");
                    const bool needs_lambda = may_stream && learner <= sparselin::LearnerKind::asgd;
                    const auto places = placed(columns + 1);
                    const Learned found = learn_sparse(rows, places, learner, all + " scale=" + text_of(scaling));
                    OptionText lambda;
                    if (needs_lambda) lambda.add(" lambda", found.lambda);
                    const Learned expected = learn_sparse(divided(rows, s), places, learner, all + lambda.text());
                    ASSERT_GT(expected.nonzero, 0u);
                    for (size_t j = 0; j < places.size(); ++j) EXPECT_EQ(found.w[j] * s[j], expected.w[j]) << j;
                    EXPECT_EQ(found.b, expected.b);
                    EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
                }
}

TEST(Scale, WritingCanBeRepeatedAfterAnInterrupt) {
    volatile std::sig_atomic_t flag = 1;
    const sparselin::StopSign stop(&flag), never;
    const auto memory = std::pmr::new_delete_resource();
    for (const bool with_row : {false, true}) {
        sparselin::Frame frame(memory);
        frame.make_centre().index = {3, 7};
        frame.make_centre().mu = {5, 6};
        sparselin::Spread spread(sparselin::Scaling::maxabs, memory);
        const int32_t index = 7;
        const float value = -4;
        spread.add({&index, &value, with_row ? 1 : 0, 0}, never);
        EXPECT_THROW(spread.write(frame, false, stop), sparselin::Interrupted);
        EXPECT_EQ(frame.centre()->mu[1], 6);
        spread.write(frame, false, never);
        EXPECT_EQ(frame.centre()->mu[0], 5);
        EXPECT_EQ(frame.centre()->mu[1], with_row ? 1.5 : 6);
    }
}

}  // namespace
