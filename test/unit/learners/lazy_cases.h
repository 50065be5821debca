// What the comparisons of truncated_train and elasticnet_train with their references have in common.
#pragma once

#include "learners/dekel_cases.h"
#include "learners/dense_elasticnet.h"
#include "learners/dense_truncated.h"

namespace lazy_cases {

using dekel_cases::all_losses;
using dekel_cases::is_regression;
using dekel_cases::near;
using dekel_cases::recipe_for;
using dense::ElasticNetSetup;
using dense::Loss;
using dense::TruncatedSetup;
using sparselin::LearnerKind;

inline LearnerKind kind_of(const TruncatedSetup&) {
    return LearnerKind::truncated;
}
inline LearnerKind kind_of(const ElasticNetSetup&) {
    return LearnerKind::elasticnet;
}

inline double finite_or_automatic(double limit) {
    return std::isfinite(limit) ? limit : dense::automatic;
}

inline std::string option_text(const TruncatedSetup& setup, const Plan& plan) {
    OptionText text;
    text.add("loss", option_of(setup.loss)).add(plan).add("eta0", setup.eta0).add("power", setup.power);
    text.add("method", setup.rounds ? "round" : "truncate");
    text.add("gravity", setup.rounds ? dense::automatic : setup.gravity);
    text.add("truncate_every", static_cast<double>(setup.truncate_every));
    text.add("threshold", finite_or_automatic(setup.threshold));
    text.add("clip_min", finite_or_automatic(setup.clip_min)).add("clip_max", finite_or_automatic(setup.clip_max));
    return text.add("intercept", setup.intercept ? "true" : "false").text();
}

inline std::string option_text(const ElasticNetSetup& setup, const Plan& plan) {
    OptionText text;
    text.add("loss", option_of(setup.loss)).add(plan).add("eta0", setup.eta0).add("power", setup.power);
    text.add("method", setup.fobos ? "fobos" : "sgd").add("l1", setup.l1).add("lambda", setup.l2);
    return text.add("intercept", setup.intercept ? "true" : "false").text();
}

template <typename Setup>
Learned learn_sparse(const std::vector<dense::Row>& rows, const std::vector<int32_t>& places, const Setup& setup,
                     const Plan& plan) {
    return ::learn_sparse(rows, places, kind_of(setup), option_text(setup, plan), plan.window);
}

inline void expect_equal(const Learned& found, const dense::Result& expected) {
    long double largest = std::fabs(expected.b);
    for (const long double weight : expected.w) largest = std::max(largest, std::fabs(weight));
    ASSERT_EQ(found.w.size(), expected.w.size());
    for (size_t j = 0; j < found.w.size(); ++j) EXPECT_TRUE(near(found.w[j], expected.w[j], largest)) << "weight " << j;
    EXPECT_TRUE(near(found.b, expected.b, largest)) << "bias";
    EXPECT_EQ(found.centred_b, found.b);
    EXPECT_TRUE(near(found.progressive_loss, expected.progressive_loss)) << "progressive loss";
    EXPECT_TRUE(near(found.lambda, expected.lambda)) << "lambda";
    EXPECT_EQ(found.rows, static_cast<int64_t>(expected.rows));
    EXPECT_EQ(found.steps, static_cast<int64_t>(expected.steps));
}

template <typename Setup, typename... Events>
void compare(const std::vector<dense::Row>& rows, size_t dimension, const Setup& setup, const Plan& plan,
             Events*... events) {
    SCOPED_TRACE(option_text(setup, plan));
    const Learned found = learn_sparse(rows, placed(dimension), setup, plan);
    expect_equal(found, dense::learn(rows, dimension, setup, order_of(rows, plan), events...));
}

// All losses over one kind of rows, with each of the setups: one and three epochs, in order and drawn.
template <typename Setup>
void compare_all(generated::Recipe recipe, const std::vector<Setup>& setups) {
    for (const Loss loss : all_losses)
        for (Setup setup : setups)
            for (const Plan& plan : {Plan{1}, Plan{3}, Plan{3, true}}) {
                recipe.regression = is_regression(loss);
                setup.loss = loss;
                compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension), setup, plan);
            }
}

// What every lazy learner has to get right, whatever the rows are like.
template <typename Setup>
void compare_on_odd_rows(const std::vector<Setup>& setups) {
    const auto with = [&](const char* name, auto&& change) {
        SCOPED_TRACE(name);
        generated::Recipe recipe;
        change(recipe);
        compare_all(recipe, setups);
    };
    with("weighted", [](generated::Recipe& recipe) { recipe.weighted = true; });
    with("empty rows", [](generated::Recipe& recipe) { recipe.empty_rows = true; });
    with("constant feature", [](generated::Recipe& recipe) { recipe.constant = 4; });
    with("one feature", [](generated::Recipe& recipe) { recipe.dimension = 1, recipe.density = 0.8; });
    with("one row", [](generated::Recipe& recipe) { recipe.rows = 1, recipe.density = 0.7; });
    with("few features a row", [](generated::Recipe& recipe) { recipe.rows = 150, recipe.density = 0.03; });
}

// Features from 2^-60 to 2^11: the steps have to be small enough for the large ones.
template <typename Setup>
void compare_on_wide_values(std::vector<Setup> setups) {
    generated::Recipe recipe;
    recipe.values = generated::Values::wide;
    for (Setup& setup : setups) setup.eta0 = 0x1p-24;
    compare_all(recipe, setups);
}

// Where the indices lie, and whether the rows went to a file, is a matter of storage alone: the same bits.
template <typename Setup>
void expect_storage_is_no_matter(const std::vector<Setup>& setups) {
    const std::vector<int32_t> scattered = {0,         1,          77777,      1000000,    123456789, 123456790,
                                            999999999, 1500000000, 2000000000, 2147483645, 2147483646};
    for (const Loss loss : all_losses)
        for (Setup setup : setups)
            for (const bool replacement : {false, true}) {
                setup.loss = loss;
                generated::Recipe recipe = recipe_for(loss, 6);
                recipe.rows = 3000;
                const auto rows = generated::rows(recipe);
                Plan plan{2, replacement};
                SCOPED_TRACE(option_text(setup, plan));
                const Learned plain = learn_sparse(rows, placed(11), setup, plan);
                const Learned elsewhere = learn_sparse(rows, scattered, setup, plan);
                plan.window = 20000;
                const Learned spilled = learn_sparse(rows, placed(11), setup, plan);
                EXPECT_EQ(plain.blocks_written, 0u);
                EXPECT_GT(spilled.blocks_written, 2u);
                for (const Learned& other : {elsewhere, spilled}) {
                    EXPECT_EQ(other.w, plain.w);
                    EXPECT_EQ(other.b, plain.b);
                    EXPECT_EQ(other.progressive_loss, plain.progressive_loss);
                }
            }
}

template <typename Setup>
void expect_rows_of_weight_zero_change_nothing(const Setup& setup) {
    const std::vector<dense::Row> rows = generated::rows({});
    std::vector<dense::Row> more = rows;
    more.insert(more.begin() + 5, {{{0, 100.0f}}, 1, 0});
    const Learned once = learn_sparse(rows, placed(11), setup, Plan{2});
    const Learned with = learn_sparse(more, placed(11), setup, Plan{2});
    EXPECT_EQ(once.w, with.w);
    EXPECT_EQ(once.b, with.b);
    EXPECT_EQ(with.skipped, 1);
}

}  // namespace lazy_cases
