// Models of rows brought to length 1: they go on, travel, merge where that has a meaning, and predict. Where the length
// of a row is a power of two nothing is rounded, and all is what it is without, to the bit.
#include "apply/explain.h"
#include "support/named_classes.h"
#include "survey/normalize_cases.h"

namespace {

using namespace normalize_cases;
using dekel_cases::near;
using parts::Part;
using sparselin::Model;

// Of a model that learned on that scale, as the other would have it.
void expect_same_model(const Model& found, const Model& expected, bool scaled) {
    ASSERT_EQ(found.index, expected.index);
    for (size_t i = 0; i < found.index.size(); ++i)
        for (size_t k = 0; k < found.runs(); ++k)
            EXPECT_EQ(found.weights_at(i)[k] * static_cast<double>(scaled ? ExactRows::unit(found.index[i]) : 1),
                      expected.weights_at(i)[k]);
    EXPECT_EQ(found.bias, expected.bias);
    EXPECT_EQ(found.centred_bias, expected.centred_bias);
    EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
    EXPECT_EQ(found.steps, expected.steps);
}

// With the scale the units go as well; without it, rows that had none.
const Rows& rows_for(const ExactRows& rows, Rows& without, bool scaled) {
    without = rows.raw;
    for (dense::Row& row : without)
        for (auto& [j, value] : row.features) value /= ExactRows::unit(j);
    return scaled ? rows.raw : without;
}

const char* const ways_to_learn[] = {"epochs=3 sampling=shuffle", "epochs=2 sampling=replacement settle=true",
                                     "epochs=2 loss=squared settle=true sampling=sequential",
                                     "epochs=1 sampling=sequential lambda=0.01", "epochs=3 class_weight=balanced"};

TEST(Normalize, ByPowersOfTwoIsExactForEveryLearner) {
    const ExactRows rows(300, 40);
    for (const LearnerKind learner : sparselin::every_learner)
        for (const std::string options : ways_to_learn)
            for (const bool scaled : {false, true}) {
                SCOPED_TRACE(std::string(sparselin::name_of(learner)) + " " + options + (scaled ? " scaled" : ""));
                if (learner == LearnerKind::truncated && options.find("lambda") != std::string::npos) continue;
                const bool streams = options.find("lambda") != std::string::npos;
                if (scaled && streams) continue;  // then rows are kept, and learned from otherwise
                Rows without;
                const std::string more = scaled ? " scale=maxabs norm=l2" : " norm=l2";
                const Model found = Part(learner, options + more).take(rows_for(rows, without, scaled)).finish();
                expect_same_model(found, Part(learner, options).take(rows.brought).finish(), scaled);
                EXPECT_EQ(found.scale.index.size(), scaled ? ExactRows::dimension : 0);
            }
}

TEST(Normalize, GoesOnFromAModel) {
    const ExactRows rows(200, 41);
    for (const LearnerKind learner : sparselin::every_learner)
        for (const bool scaled : {false, true})
            for (const std::string options :
                 {"epochs=2 sampling=shuffle", "epochs=2 sampling=sequential settle=true"}) {
                Rows without;
                const std::string more = scaled ? " scale=maxabs norm=l2" : " norm=l2";
                const Model base = Part(learner, options + more).take(rows_for(rows, without, scaled), 0, 120).finish();
                const Model plain = Part(learner, options).take(rows.brought, 0, 120).finish();
                const Model expected = Part(plain).take(rows.brought, 120).finish();
                for (const Model& stored : {parts::through_bytes(base), parts::through_text(base)})
                    expect_same_model(Part(stored).take(rows_for(rows, without, scaled), 120).finish(), expected,
                                      scaled);
            }
}

TEST(Normalize, StreamsAndGoesOnBitForBit) {
    generated::Recipe recipe;
    recipe.seed = 42;
    recipe.rows = 2500;
    const Rows rows = uneven(recipe);
    for (const LearnerKind learner : sparselin::every_learner) {
        std::string options = "epochs=1 sampling=sequential norm=l2";
        if (learner != LearnerKind::truncated) options += " lambda=0.001";
        if (learner == LearnerKind::casgd) options += " center={1:0.25,5:0.5}";
        const Model once = Part(learner, options).take(rows).finish();
        for (const size_t first : {700, 1300}) {
            const Model base = Part(learner, options).take(rows, 0, first).finish();
            EXPECT_EQ(parts::bytes_of(Part(parts::through_bytes(base)).take(rows, first).finish()),
                      parts::bytes_of(once));
        }
    }
}

// Features that come late are taken as they are, and count from then on.
TEST(Normalize, FeaturesThatComeLateHaveAScaleOfOne) {
    const ExactRows rows(120, 43);
    Rows late = {rows.raw.begin(), rows.raw.begin() + 4};
    for (dense::Row& row : late) row.features = {{3, ExactRows::unit(3)}, {77, 1}, {78, -1}, {79, 1}};
    Rows brought = late;
    for (dense::Row& row : brought) row.features = {{3, 0.5}, {77, 0.5}, {78, -0.5}, {79, 0.5}};
    for (const LearnerKind learner : sparselin::every_learner) {
        const std::string options = "epochs=2 sampling=shuffle settle=true";
        const Model base = Part(learner, options + " scale=maxabs norm=l2").take(rows.raw).finish();
        const Model plain = Part(learner, options).take(rows.brought).finish();
        const Model found = Part(parts::through_bytes(base)).take(late).finish();
        const Model expected = Part(plain).take(brought).finish();
        EXPECT_EQ(found.bias, expected.bias);
        for (const int32_t j : {77, 78, 79}) EXPECT_EQ(parts::weight_of(found, j), parts::weight_of(expected, j));
        ASSERT_EQ(found.scale.index.size(), ExactRows::dimension + 3);
        for (size_t i = ExactRows::dimension; i < found.scale.s.size(); ++i) EXPECT_EQ(found.scale.s[i], 1);
        EXPECT_EQ(parts::bytes_of(parts::through_text(found)), parts::bytes_of(found));
    }
}

TEST(Normalize, PartsPutTheirRowsTogetherAndScaleOnce) {
    generated::Recipe recipe;
    recipe.seed = 44;
    recipe.rows = 90;
    const Rows rows = uneven(recipe);
    for (const Scaling scaling : all_scalings)
        for (const LearnerKind learner : sparselin::every_learner) {
            const std::string options = "epochs=2 sampling=sequential" + options_for(scaling);
            Part first(learner, options), second(learner, options);
            first.take(rows, 0, 40).combine(second.take(rows, 40));
            EXPECT_EQ(parts::bytes_of(first.finish()), parts::bytes_of(Part(learner, options).take(rows).finish()));
        }
}

TEST(Normalize, WhatWasLearnedMergesWithoutAScale) {
    generated::Recipe recipe;
    recipe.seed = 45;
    recipe.rows = 90;
    const Rows rows = uneven(recipe);
    const auto learned = [&](LearnerKind learner, const std::string& options, size_t from, size_t to) {
        return Part(learner, options).take(rows, from, to).finish();
    };
    for (const LearnerKind learner : sparselin::every_learner)
        for (const char* more : {"", " resumable=false"}) {
            const std::string options = std::string("epochs=2 sampling=shuffle norm=l2") + more;
            const Model a = learned(learner, options, 0, 30), b = learned(learner, options, 30, 90);
            sparselin::ModelMerge merge(parts::heap());
            merge.add(a, sparselin::StopSign());
            merge.add(b, sparselin::StopSign());
            Model both(parts::heap());
            merge.write(both, parts::heap(), sparselin::StopSign());
            EXPECT_LT(parts::difference_from_mean(both, {&a, &b}), 1e-12);
            EXPECT_TRUE(normalizes(both, parts::heap(), sparselin::StopSign()));
        }
}

void expect_refused(const Model& a, const Model& b, const char* why) {
    sparselin::ModelMerge merge(parts::heap());
    merge.add(a, sparselin::StopSign());
    try {
        merge.add(b, sparselin::StopSign());
        ADD_FAILURE() << "merged: " << why;
    } catch (const sparselin::Error& error) {
        EXPECT_NE(std::string(error.message()).find(why), std::string::npos) << error.message();
    }
}

// The mean of predictors that see a row differently is none of their kind.
TEST(Normalize, OtherScalesDoNotMerge) {
    generated::Recipe recipe;
    recipe.seed = 46;
    recipe.rows = 60;
    const Rows rows = uneven(recipe);
    for (const char* more : {"", " resumable=false"}) {
        const std::string options = std::string("epochs=2") + more;
        const auto learned = [&](const char* its, size_t from, size_t to) {
            return Part(LearnerKind::asgd, options + its).take(rows, from, to).finish();
        };
        const Model a = learned(" scale=idf norm=l2", 0, 30), b = learned(" scale=idf norm=l2", 30, 60);
        expect_refused(a, b, "on different scales");
        expect_refused(a, learned(" norm=l2", 30, 60), "on different scales");
        expect_refused(a, learned(" scale=idf", 30, 60), "normalises");
        expect_refused(learned("", 0, 30), learned(" norm=l2", 30, 60), "normalises");

        sparselin::ModelMerge merge(parts::heap());
        merge.add(a, sparselin::StopSign());
        merge.add(a, sparselin::StopSign());
        Model both(parts::heap());
        merge.write(both, parts::heap(), sparselin::StopSign());
        EXPECT_EQ(both.scale.s, a.scale.s);
        EXPECT_LT(parts::difference_from_mean(both, {&a, &a}), 1e-12);
    }
    Part first(LearnerKind::asgd, "epochs=2 scale=idf norm=l2"),
        second(LearnerKind::asgd, "epochs=2 scale=idf norm=l2");
    first.take(rows, 0, 30).learn_alone();
    second.take(rows, 30, 60).learn_alone();
    EXPECT_FALSE(first.training().can_be_a_mean());
    EXPECT_THROW(first.combine(second).finish(), sparselin::Error);
}

// What the model says of a row, from its definition.
long double score_of(const Model& model, const dense::Row& row, size_t run, bool scaled) {
    long double wx = 0, square = 0;
    for (const auto& [position, value] : row.features) {
        const auto scale = std::ranges::find(model.scale.index, position);
        const bool known = scale != model.scale.index.end();
        const double s = known ? model.scale.s[static_cast<size_t>(scale - model.scale.index.begin())] : 1;
        if (known || !scaled) square += (value / s) * (value / s);
        wx += named::weights_of_run(model, run, {position})[0] * value;
    }
    return (square == 0 ? wx : wx / std::sqrt(square)) + model.bias[run];
}

TEST(Normalize, PredictsOnRowsOfLengthOne) {
    const named::Names names = {"a", "b", "c"};
    Rows rows = named::rows(47, 60, 3), others = rows;
    for (size_t i = 0; i < others.size(); ++i) {
        if (i % 3 == 0) others[i].features.emplace_back(13, 2.5f);  // never seen
        if (i % 3 == 1) others[i].features.emplace_back(1000000, -7);
        if (i % 10 == 4) others[i].features = {{20, 3}};
    }
    for (const int stride : {1, 30000})
        for (const size_t classes : {2, 3})
            for (const Scaling scaling : all_scalings) {
                SCOPED_TRACE(std::string(text_of(scaling)) + " " + std::to_string(stride));
                Rows learned = rows, judged = others;
                for (Rows* all : {&learned, &judged})
                    for (dense::Row& row : *all) {
                        row.label = std::min(row.label, static_cast<double>(classes - 1));
                        for (auto& [position, value] : row.features) position = std::min(position, 1000) * stride;
                    }
                Part part(LearnerKind::casgd, "epochs=3" + options_for(scaling), sparselin::LabelKind::text);
                const Model model = named::Writing{names}.take(part, learned).finish();
                const sparselin::Predictor predictor(parts::through_bytes(model), parts::heap(), sparselin::StopSign());
                for (const dense::Row& row : judged) {
                    std::vector<int32_t> index;
                    std::vector<float> value;
                    for (const auto& [position, number] : row.features)
                        index.push_back(position), value.push_back(static_cast<float>(number));
                    const sparselin::SparseRow x{index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
                    std::vector<double> scores(predictor.runs());
                    predictor.scores(x, scores.data(), sparselin::StopSign());
                    for (size_t k = 0; k < scores.size(); ++k)
                        EXPECT_TRUE(near(scores[k], score_of(model, row, k, scaling != Scaling::none), 1));
                    if (predictor.runs() == 1) {
                        EXPECT_EQ(predictor.score(x, sparselin::StopSign()), scores[0]);
                    }
                    const size_t best =
                        classes == 2 ? 0 : static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
                    const auto why = explain(predictor, x, std::nullopt, 1000, parts::heap(), sparselin::StopSign());
                    double sum = why.bias;
                    for (const auto& feature : why.features) sum += feature.product;
                    EXPECT_TRUE(near(sum, scores[best], 1));
                }
            }
}

TEST(Normalize, ScalesThatCannotBeAreRefused) {
    const Rows rows = ExactRows(100, 48).raw;
    const Model good = Part(LearnerKind::asgd, "epochs=2 scale=maxabs norm=l2").take(rows).finish();
    const auto refused = [&](auto&& change, const char* why) {
        Model bad = parts::through_bytes(good);
        change(bad);
        try {
            parts::bytes_of(bad);
            ADD_FAILURE() << "taken: " << why;
        } catch (const sparselin::Error& error) {
            EXPECT_NE(std::string(error.message()).find(why), std::string::npos) << error.message();
            EXPECT_NE(*error.hint(), '\0');
        }
    };
    refused([](Model& m) { m.options = "norm=l2"; }, "has no scale");
    refused([](Model& m) { m.options = "scale=maxabs"; }, "has no scale");
    refused([](Model& m) { m.scale.s[2] = 0; }, "the scale of feature 3 is 0");
    refused([](Model& m) { m.scale.s[2] = -1; }, "the scale of feature 3 is -1");
    refused([](Model& m) { m.scale.s[2] = 1e-101; }, "the scale of feature 3 is 1e-101");
    refused([](Model& m) { m.scale.s[2] = 1e101; }, "the scale of feature 3 is 1e+101");
    refused([](Model& m) { m.scale.s[2] = NAN; }, "the scale of feature 3 is nan");
    refused([](Model& m) { m.scale.index[2] = 1; }, "out of place at feature 2");
    refused([](Model& m) { m.scale.index[0] = -1; }, "out of place at feature 0");
    refused([](Model& m) { m.dimension = 48, m.scale.push_back(48, 1); }, "out of place at feature 49");
    refused([](Model& m) { m.scale.s.pop_back(); }, "numbers");
    refused([](Model& m) { m.scale.index.erase(m.scale.index.begin()), m.scale.s.erase(m.scale.s.begin()); },
            "feature 1 has a weight but no scale");
    refused([](Model& m) { m.scale.clear(); }, "feature 1 has a weight but no scale");
}

// Features of a given centre have weights, though no row has them.
TEST(Normalize, AGivenCentreHasItsFeaturesMeasured) {
    const Model model = Part(LearnerKind::casgd, "epochs=2 scale=idf norm=l2 center={1:0.5,90:0.25}")
                            .take(ExactRows(100, 49).raw)
                            .finish();
    EXPECT_NE(parts::weight_of(model, 89), 0);
    EXPECT_EQ(model.scale.index.back(), 89);
    EXPECT_EQ(model.scale.s.back(), 1);
    EXPECT_EQ(parts::bytes_of(parts::through_bytes(model)), parts::bytes_of(model));
}

TEST(Normalize, AScaleIsReadInAnyOrder) {
    const Model model = sparselin::from_json(
        R"({"learner":"sgd","loss":"hinge","options":"norm=l2 scale=std","weights":{"2":1},"scale":{"9":4,"2":0.5,"10":2}})",
        parts::heap(), sparselin::StopSign());
    EXPECT_EQ(std::vector<int32_t>(model.scale.index.begin(), model.scale.index.end()),
              (std::vector<int32_t>{1, 8, 9}));
    EXPECT_EQ(std::vector<double>(model.scale.s.begin(), model.scale.s.end()), (std::vector<double>{0.5, 4, 2}));
}

}  // namespace
