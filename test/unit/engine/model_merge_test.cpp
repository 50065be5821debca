// Models that learned from different rows become one.
#include "engine/merge_cases.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace sparselin;
using namespace merge_cases;
using parts::Part;

namespace {

Model merged(std::initializer_list<const Model*> models) {
    ModelMerge merge(parts::heap());
    for (const Model* model : models) merge.add(*model, StopSign());
    Model result(parts::heap());
    merge.write(result, parts::heap(), StopSign());
    return parts::through_bytes(result);
}

Model without_state(const Model& model) {
    Model compact = parts::through_bytes(model);
    compact.resume.clear();
    return compact;
}

Model model_of(LearnerKind learner, const std::string& options, const std::vector<dense::Row>& rows,
               parts::Writing writing = {}) {
    return Part(learner, options).take(rows, 0, SIZE_MAX, writing).finish();
}

std::string error_of(std::initializer_list<const Model*> models) {
    try {
        merged(models);
    } catch (const Error& error) {
        return error.message();
    }
    return "";
}

// The same but for the state, whose numbers are kept in another way.
void expect_same(const Model& x, const Model& y) {
    EXPECT_LE(parts::difference_from_mean(x, {&y}), 1e-12);
    EXPECT_NEAR(x.centred_bias[0], y.centred_bias[0], 1e-12);
    EXPECT_NEAR(x.progressive_loss, y.progressive_loss, 1e-12);
    EXPECT_NEAR(x.lambda, y.lambda, 1e-15);
    EXPECT_EQ(x.rows, y.rows);
    EXPECT_EQ(x.skipped, y.skipped);
    EXPECT_EQ(x.steps, y.steps);
    EXPECT_EQ(x.epochs, y.epochs);
    EXPECT_EQ(x.dimension, y.dimension);
    EXPECT_EQ(x.coding, y.coding);
    ASSERT_EQ(x.history.size(), y.history.size());
    for (size_t i = 0; i < x.history.size(); ++i) {
        EXPECT_EQ(x.history[i].step, y.history[i].step);
        EXPECT_NEAR(x.history[i].loss, y.history[i].loss, 1e-12);
    }
}

// All that stream, and the defaults, which do not.
std::vector<std::pair<LearnerKind, std::string>> calls() {
    std::vector<std::pair<LearnerKind, std::string>> calls;
    for (const auto& [learner, more] : streaming_calls()) calls.emplace_back(learner, streaming(Loss::logistic, more));
    for (const LearnerKind learner : every_learner) {
        calls.emplace_back(learner, "loss=logistic");
        calls.emplace_back(learner, "loss=squared_hinge epochs=2 scale=std");
        calls.emplace_back(learner, "loss=logistic epochs=2 class_weight=balanced sampling=replacement");
    }
    return calls;
}

}  // namespace

TEST(ModelMerge, IsTheMeanByStepsWithAStateAndWithout) {
    const auto x = some_rows(1, 300, Loss::logistic), y = some_rows(2, 1500, Loss::logistic);
    const auto z = some_rows(3, 900, Loss::logistic);
    for (const auto& [learner, options] : calls()) {
        SCOPED_TRACE(said(learner, options));
        const Model a = model_of(learner, options, x), b = model_of(learner, options, y);
        const Model c = model_of(learner, options, z);
        const Model a_only = without_state(a), b_only = without_state(b), c_only = without_state(c);

        expect_same(merged({&a}), a);
        EXPECT_TRUE(merged({&a_only}).weight.size() == a.weight.size());
        const Model two = merged({&a, &b}), three = merged({&a, &b, &c});
        EXPECT_LE(parts::difference_from_mean(two, {&a, &b}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(three, {&a, &b, &c}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(merged({&c, &a, &b}), {&three}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(merged({&two, &c}), {&three}), 1e-12);
        EXPECT_EQ(three.rows, a.rows + b.rows + c.rows);
        EXPECT_EQ(three.skipped, a.skipped + b.skipped + c.skipped);
        EXPECT_EQ(three.steps, a.steps + b.steps + c.steps);
        EXPECT_FALSE(three.resume.empty());

        for (const Model& compact : {merged({&a_only, &b, &c}), merged({&a, &b_only, &c}), merged({&a, &b, &c_only}),
                                     merged({&a_only, &b_only, &c_only})}) {
            EXPECT_TRUE(compact.resume.empty());
            EXPECT_LE(parts::difference_from_mean(compact, {&three}), 1e-12);
            EXPECT_EQ(compact.steps, three.steps);
            EXPECT_EQ(compact.rows, three.rows);
            EXPECT_EQ(compact.epochs, three.epochs);
            EXPECT_NEAR(compact.lambda, three.lambda, 1e-12 * three.lambda);
        }
        // Where the parts were told how to learn, they are as those that a parallel plan merges.
        const Model further = Part(parts::through_text(three)).take(x).finish();
        EXPECT_EQ(further.rows, three.rows + a.rows);
        EXPECT_EQ(further.steps, three.steps + a.steps);
    }
}

// Where all have learned, it is the same as merging the trainings.
TEST(ModelMerge, IsWhatAParallelPlanMakes) {
    const auto x = some_rows(1, 1300, Loss::logistic), y = some_rows(2, 1900, Loss::logistic);
    const auto next = some_rows(3, 200, Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        Part of_x(learner, options), of_y(learner, options), both(learner, options);
        of_x.take(x);
        of_y.take(y);
        both.combine(of_x).combine(of_y);
        const Model a = of_x.finish(), b = of_y.finish(), parallel = both.finish(), grouped = merged({&a, &b});
        expect_same(grouped, parallel);
        expect_same(Part(grouped).take(next).finish(), Part(parallel).take(next).finish());
    }
}

// 1/rows where each has that, the same where that was given to all.
TEST(ModelMerge, LambdaDoesNotDependOnTheOrder) {
    const auto rows_of = [](size_t count) {
        auto rows = some_rows(1, count, Loss::logistic);
        for (dense::Row& row : rows) row.weight = 1;
        return rows;
    };
    for (const char* options : {"epochs=2", "epochs=2 lambda=0.25"}) {
        for (const bool compact : {true, false}) {
            std::vector<Model> models;
            for (const size_t count : {100, 200, 300, 100}) {
                const Model model = model_of(LearnerKind::asgd, options, rows_of(count));
                models.push_back(compact ? without_state(model) : parts::through_bytes(model));
            }
            const bool given = strstr(options, "lambda") != nullptr;
            EXPECT_NEAR(merged({&models[0], &models[1], &models[2]}).lambda, given ? 0.25 : 1.0 / 600, 1e-16);
            EXPECT_NEAR(merged({&models[2], &models[0], &models[1]}).lambda, given ? 0.25 : 1.0 / 600, 1e-16);
            EXPECT_NEAR(merged({&models[0], &models[3]}).lambda, given ? 0.25 : 1.0 / 200, 1e-16);
        }
    }
}

// A lambda that was given stays, be it 1/rows or not: where it came from is known, and need not be guessed.
TEST(ModelMerge, LambdaThatWasGivenIsNoGuess) {
    auto rows = some_rows(1, 100, Loss::logistic);
    for (dense::Row& row : rows) row.weight = 1;
    const auto check = [](const Model& model, Origin origin, double lambda) {
        const Model text = parts::through_text(model);
        const Model compact = without_state(model), compact_text = parts::through_text(compact);
        for (const auto& models : {std::pair{&model, &text}, std::pair{&compact, &compact_text}}) {
            EXPECT_EQ(models.first->origins.of(&Options::lambda), origin);
            const Model both = merged({models.first, models.second});
            EXPECT_NEAR(both.lambda, lambda, 1e-16);
            EXPECT_EQ(both.origins.of(&Options::lambda), origin);
            const Model more = merged({&both, models.first});
            EXPECT_NEAR(more.lambda, origin == Origin::given ? lambda : lambda * 2 / 3, 1e-16);
        }
    };
    check(model_of(LearnerKind::asgd, "epochs=2 lambda=0.01", rows), Origin::given, 0.01);
    check(model_of(LearnerKind::asgd, "epochs=2", rows), Origin::automatic, 0.005);
    check(model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01"), rows), Origin::given, 0.01);

    // A default that is no 1/rows stays too.
    const Model x = without_state(model_of(LearnerKind::onepass, "", rows));
    const Model y = without_state(model_of(LearnerKind::elasticnet, "", rows));
    EXPECT_EQ(merged({&x, &x}).lambda, 1e-5);
    EXPECT_EQ(merged({&y, &y}).lambda, 1e-5);

    // Given to one, automatic for the other: two trainings, not parts of one, though the number is the same.
    const Model given = model_of(LearnerKind::asgd, "epochs=2 lambda=0.01", rows);
    const Model found = model_of(LearnerKind::asgd, "epochs=2", rows);
    EXPECT_EQ(given.lambda, found.lambda);
    for (const Model& both : {merged({&given, &found}), merged({&found, &given})}) {
        EXPECT_TRUE(both.resume.empty());
        EXPECT_NEAR(both.lambda, 0.005, 1e-16);
        EXPECT_EQ(both.origins.of(&Options::lambda), Origin::automatic);
    }
}

// Of settings that are equal it does not matter who chose them: the models can go on as one, and only what all of them
// were given was given.
TEST(ModelMerge, WhoChoseASettingIsNoObstacle) {
    const auto x = some_rows(1, 300, Loss::logistic), y = some_rows(2, 1500, Loss::logistic);
    const auto given = [](const Model& model, const char* name) {
        return model.origins.of(find_option(name)) == Origin::given;
    };
    const Model few = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01"), x);
    const Model more = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01 seed=42 scale=none"), y);
    const Model more_still = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01 seed=42"), y);
    const Model few_only = without_state(few), more_only = without_state(more), third_only = without_state(more_still);
    for (const Model& all :
         {merged({&few, &more, &more_still}), merged({&more, &more_still, &few}), merged({&more_still, &few, &more}),
          merged({&few_only, &more_only, &third_only}), merged({&more_only, &few_only, &third_only})}) {
        EXPECT_TRUE(given(all, "lambda") && given(all, "epochs"));
        EXPECT_FALSE(given(all, "seed") || given(all, "scale"));
    }
    const Model both = merged({&more, &more_still});
    EXPECT_TRUE(given(both, "seed"));
    EXPECT_FALSE(given(both, "scale"));
    const Model there = merged({&few, &more}), back = merged({&more, &few});
    EXPECT_FALSE(there.resume.empty() || back.resume.empty());
    EXPECT_TRUE(there.origins == back.origins);
    EXPECT_EQ(there.options, back.options);
    expect_same(there, back);
    const Model further = Part(there).take(x).finish();
    EXPECT_TRUE(further.origins == there.origins);
    EXPECT_EQ(further.rows, there.rows + few.rows);

    // A lambda that the learner has of itself is no 1/rows.
    const Model own = model_of(LearnerKind::onepass, "", x), asked = model_of(LearnerKind::onepass, "lambda=1e-5", y);
    for (const Model& all : {merged({&own, &asked}), merged({&asked, &own})}) {
        EXPECT_FALSE(all.resume.empty());
        EXPECT_EQ(all.lambda, 1e-5);
        EXPECT_FALSE(given(all, "lambda"));
    }
}

TEST(ModelMerge, OptionsDoNotDependOnTheOrder) {
    const auto x = some_rows(1, 300, Loss::logistic), y = some_rows(2, 1500, Loss::logistic);
    const Model a = model_of(LearnerKind::truncated, "method=round threshold=0.01 resumable=false", x);
    const Model b = model_of(LearnerKind::truncated, "method=round threshold=0.02 seed=7", y);
    const Model c = model_of(LearnerKind::truncated, "epochs=2", x),
                d = model_of(LearnerKind::truncated, "epochs=3", y);
    const Model first = merged({&a, &b, &c, &d});
    for (const Model& all : {merged({&b, &a, &d, &c}), merged({&d, &c, &b, &a}), merged({&c, &d, &a, &b})}) {
        EXPECT_EQ(all.options, first.options);
        EXPECT_TRUE(all.origins == first.origins);
    }
    // Of equal steps.
    const Model e = model_of(LearnerKind::truncated, "method=round threshold=0.02 seed=7", x);
    EXPECT_EQ(merged({&a, &e}).options, merged({&e, &a}).options);
}

// Other options mean other states; the predictors go together all the same.
TEST(ModelMerge, OtherOptionsOfTheSameLearner) {
    const auto x = some_rows(1, 300, Loss::logistic), y = some_rows(2, 1500, Loss::logistic);
    const Model a = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01"), x);
    const Model b = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.02"), y);
    for (const auto& models : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        const Model both = merged({models.first, models.second});
        EXPECT_LE(parts::difference_from_mean(both, {&a, &b}), 1e-12);
        EXPECT_TRUE(both.resume.empty());
    }
}

TEST(ModelMerge, WhatDoesNotFitIsAnErrorThatNamesBoth) {
    const auto rows = some_rows(1, 300, Loss::logistic);
    const std::string options = streaming(Loss::logistic, "lambda=0.01");
    const Model model = model_of(LearnerKind::asgd, options, rows);
    const Model other_loss = model_of(LearnerKind::asgd, streaming(Loss::hinge, "lambda=0.01"), rows);
    const Model other_learner = model_of(LearnerKind::sgd, options, rows);
    const Model other_coding = model_of(LearnerKind::asgd, options, rows, {.zero_one = true});
    EXPECT_EQ(error_of({&model, &other_loss}),
              "a model of asgd_train with loss logistic and labels plus_minus does not go with one of asgd_train with "
              "loss hinge and labels plus_minus");
    EXPECT_EQ(error_of({&other_learner, &model}),
              "a model of sgd_train with loss logistic and labels plus_minus does not go with one of asgd_train with "
              "loss logistic and labels plus_minus");
    EXPECT_EQ(error_of({&model, &other_coding}),
              "a model of asgd_train with loss logistic and labels plus_minus does not go with one of asgd_train with "
              "loss logistic and labels zero_one");

    const Model twenty = model_of(LearnerKind::asgd, options, rows, {.dimension = 20});
    const Model other = model_of(LearnerKind::asgd, options, rows, {.dimension = 21});
    const Model beyond = model_of(LearnerKind::asgd, options, rows, {.first = 15});
    EXPECT_EQ(merged({&model, &twenty}).dimension, 20);
    for (const bool compact : {true, false}) {
        const Model x = compact ? without_state(twenty) : parts::through_bytes(twenty);
        EXPECT_NE(error_of({&x, &other}), "");
        EXPECT_NE(error_of({&x, &beyond}), "");
        EXPECT_NE(error_of({&beyond, &x}), "");
    }
}

TEST(ModelMerge, ModelsFromElsewhereCountByTheirSteps) {
    const auto from = [](const char* text) { return from_json(text, parts::heap(), StopSign()); };
    const Model none = from(R"({"learner": "asgd", "loss": "logistic", "weights": {"1": 2}})");
    EXPECT_EQ(error_of({&none}), "a model of no steps cannot be merged");
    const Model x = from(R"({"learner": "asgd", "loss": "logistic", "steps": 1, "weights": {"1": 2, "3": 1}})");
    const Model y =
        from(R"({"learner": "asgd", "loss": "logistic", "steps": 3, "bias": 4, "weights": {"1": 6, "3": -0.333}})");
    const Model both = merged({&x, &y});
    EXPECT_DOUBLE_EQ(parts::weight_of(both, 0), 5);
    EXPECT_DOUBLE_EQ(both.bias[0], 3);
    const Model huge =
        from(R"({"learner": "asgd", "loss": "logistic", "steps": 9000000000000000, "weights": {"1": 2}})");
    EXPECT_NE(error_of({&huge, &huge}), "");
}

// A model is as good as before when a state is damaged in the middle of a merge: nothing is merged then.
TEST(ModelMerge, ADamagedStateIsAnError) {
    const auto rows = some_rows(1, 300, Loss::logistic);
    const Model model = model_of(LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01"), rows);
    Model damaged = parts::through_bytes(model);
    damaged.resume.resize(damaged.resume.size() / 2);
    EXPECT_NE(error_of({&damaged}), "");
    EXPECT_NE(error_of({&model, &damaged}), "");
}
