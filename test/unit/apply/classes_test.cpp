// What is said of classes: scores run by run, probabilities by their definition, confusions and evaluations in parts.
#include "apply/confusion.h"
#include "apply/evaluation.h"
#include "apply/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

Model model_of(Loss loss, std::initializer_list<const char*> classes) {
    Model model(heap);
    model.loss = loss;
    model.coding = Coding::text;
    for (const char* const name : classes) model.classes.emplace_back(name);
    model.set_runs(runs_for(loss, classes.size()));
    return model;
}

// A model of the scores of an empty row.
Predictor of_scores(Loss loss, std::initializer_list<const char*> classes, std::initializer_list<double> scores) {
    Model model = model_of(loss, classes);
    std::ranges::copy(scores, model.bias.begin());
    return Predictor(model, heap, go);
}

// What a row costs, and how it is counted.
Card card_of(const Predictor& predictor, std::initializer_list<const char*> labels) {
    Evaluation evaluation({{}, predictor.loss(), 0, static_cast<int64_t>(predictor.classes().size())}, LabelKind::text,
                          heap);
    evaluation.expect_classes(predictor);
    Stack stack{};
    for (const char* const label : labels)
        while (!evaluation.add(predictor, SparseRow{}, std::string_view(label), 1, stack, go))
            evaluation.scores().make_room(stack, 64);
    return evaluation.card(0.5);
}

}  // namespace

TEST(Classes, EachRunScoresAsIfItWereAlone) {
    std::mt19937 random(13);
    std::normal_distribution<double> normal;
    for (const size_t runs : {3, 4, 5, 8, 12, 17, 20, 31, 32, 33, 100}) {
        for (const int32_t last : {2000, 2000000000}) {
            Model all(heap);
            all.loss = Loss::hinge;
            all.set_runs(runs);
            std::vector<Model> alone(runs, Model(heap));
            for (int32_t i = 0; i < 1000; ++i) {
                all.index.push_back(i == 999 ? last : 2 * i);
                for (size_t k = 0; k < runs; ++k) {
                    all.weight.push_back(random() % 4 == 0 ? 0 : normal(random));
                    alone[k].index.push_back(all.index.back());
                    alone[k].weight.push_back(all.weight.back());
                }
            }
            for (size_t k = 0; k < runs; ++k) alone[k].bias[0] = all.bias[k] = normal(random);
            const Predictor predictor(all, heap, go);
            for (const int32_t nnz : {0, 1, 3, 63, 64, 65, 127, 500}) {
                SparseVector row(heap);
                for (int32_t i = 0; i < nnz; ++i) row.push_back(3 * i, static_cast<float>(normal(random)));
                std::vector<double> scores(runs);
                predictor.scores(row.row(), scores.data(), go);
                for (size_t k = 0; k < runs; ++k)
                    ASSERT_EQ(scores[k], Predictor(alone[k], heap, go).score(row.row(), go)) << runs << ' ' << nnz;
            }
        }
    }
}

TEST(Classes, ProbabilitiesAreFiniteAndAddUp) {
    for (const Loss loss : {Loss::logistic, Loss::multinomial}) {
        const Predictor predictor = of_scores(loss, {"a", "b", "c"}, {0, 0, 0});
        for (const std::vector<double>& scores : std::vector<std::vector<double>>{
                 {1, 2, -3}, {-700, -701, -702}, {800, 800, -1}, {-1e308, -1e307, -1e300}, {1e300, 1, 0}}) {
            std::vector<double> p = scores;
            to_probabilities(predictor, p);
            EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-12);
            double sum = 0, sizes[3];
            for (size_t k = 0; k < 3; ++k) {
                sizes[k] = loss == Loss::logistic ? sigmoid(scores[k]) : std::exp(scores[k]);
                sum += sizes[k];
            }
            if (!(sum > 0) || !std::isfinite(sum)) continue;
            for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(p[k], sizes[k] / sum, 1e-14);
        }
    }
    const Predictor two = of_scores(Loss::logistic, {"a", "b"}, {1.5});
    Vector<double> scores = class_scores(two, SparseRow{}, heap, go);
    EXPECT_EQ(scores, (Vector<double>{-1.5, 1.5}));
    to_probabilities(two, scores);
    EXPECT_EQ(scores, (Vector<double>{sigmoid(-1.5), sigmoid(1.5)}));
    EXPECT_EQ(best_class(Vector<double>{1, 3, 3}), 1u);
}

TEST(Classes, AreFoundByTheirNames) {
    const Predictor several = of_scores(Loss::hinge, {"", "B", "a", "a "}, {0, 0, 0, 0});
    EXPECT_EQ(class_by_name(several, ""), 0u);
    EXPECT_EQ(class_by_name(several, "a "), 3u);
    EXPECT_THROW(class_by_name(several, "b"), Error);
    Model model(heap);
    for (const Coding coding : {Coding::boolean, Coding::plus_minus, Coding::zero_one}) {
        model.coding = coding;
        const Predictor two(model, heap, go);
        for (size_t k = 0; k < 2; ++k) EXPECT_EQ(class_by_name(two, class_name(two, k)), k);
    }
    model.loss = Loss::squared;
    EXPECT_THROW(class_by_name(Predictor(model, heap, go), "1"), Error);
}

TEST(Classes, LossesAreMeansOverTheClasses) {
    const LogisticLoss loss;
    const Predictor rest = of_scores(Loss::logistic, {"a", "b", "c"}, {1, 2, -3});
    Card card = card_of(rest, {"b"});
    EXPECT_NEAR(card.loss, (loss.value(1, -1) + loss.value(2, 1) + loss.value(-3, -1)) / 3, 1e-15);
    EXPECT_NEAR(card.log_loss, -std::log(sigmoid(2) / (sigmoid(1) + sigmoid(2) + sigmoid(-3))), 1e-14);
    card = card_of(rest, {"x"});
    EXPECT_NEAR(card.loss, (loss.value(1, -1) + loss.value(2, -1) + loss.value(-3, -1)) / 3, 1e-15);
    EXPECT_NEAR(card.log_loss, 52 * std::log(2), 1e-12);
    EXPECT_EQ(card.unknown, 1);
    EXPECT_EQ(card.accuracy, 0);

    const Predictor joint = of_scores(Loss::multinomial, {"a", "b", "c"}, {1, 2, -300});
    card = card_of(joint, {"c"});
    EXPECT_NEAR(card.loss, std::log(std::exp(1) + std::exp(2)) + 300, 1e-12);
    EXPECT_NEAR(card.log_loss, 52 * std::log(2), 1e-12);

    const Predictor two = of_scores(Loss::logistic, {"a", "b"}, {-0.5});
    card = card_of(two, {"a", "b", "b", "x"});
    EXPECT_NEAR(card.loss, (1.5 * loss.value(-0.5, -1) + 2.5 * loss.value(-0.5, 1)) / 4, 1e-15);
    EXPECT_EQ(card.accuracy, 0.25);
    EXPECT_EQ(card.true_negatives, 1);
    EXPECT_EQ(card.false_negatives, 2);
    EXPECT_EQ(card.false_positives, 0);
}

TEST(Confusion, InPartsAndThroughBytes) {
    const Predictor predictor = of_scores(Loss::hinge, {"a", "b", "c"}, {0, 0, 0});
    const char* const names[] = {"z", "a", "y", "b", "c", ""};
    std::mt19937 random(7);
    Confusion whole(heap), all(heap);
    whole.expect(predictor);
    for (int part = 0; part < 5; ++part) {
        Confusion of_part(heap), loaded(heap);
        of_part.expect(predictor);
        for (int i = 0; i < 20 * part; ++i) {
            const char* const actual = names[random() % (part + 2)];
            const size_t predicted = random() % 3;
            of_part.add(actual, predicted, part + 1);
            whole.add(actual, predicted, part + 1);
        }
        Vector<char> bytes(heap);
        Writer writer(bytes);
        of_part.save(writer);
        Reader reader(bytes, "state");
        loaded.load(reader);
        reader.finish();
        all.add(loaded);
    }
    const auto ours = whole.cells(heap), theirs = all.cells(heap);
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
        EXPECT_EQ(ours[i].actual, theirs[i].actual);
        EXPECT_EQ(ours[i].predicted, theirs[i].predicted);
        EXPECT_EQ(ours[i].weight, theirs[i].weight);
    }
    EXPECT_EQ(whole.means().f1, all.means().f1);
}

TEST(Explain, OfAClass) {
    Model model = model_of(Loss::hinge, {"a", "b", "c"});
    model.index = {0, 1};
    model.weight = {1, 2, 3, 0, -5, 4};
    model.bias = {0.25, 0.5, 0.75};
    const Predictor several(model, heap, go);
    SparseVector row(heap);
    row.push_back(0, 1);
    row.push_back(1, 2);
    EXPECT_EQ(explain(several, row.row(), {}, 5, heap, go).features[0].product, 8);
    EXPECT_EQ(explain(several, row.row(), "b", 5, heap, go).features[0].product, -10);
    EXPECT_EQ(explain(several, row.row(), "b", 5, heap, go).bias, 0.5);
    EXPECT_THROW(explain(several, row.row(), "d", 5, heap, go), Error);

    Model binary = model_of(Loss::hinge, {"a", "b"});
    binary.index = {0};
    binary.weight = {2};
    binary.bias[0] = 1;
    const Predictor two(binary, heap, go);
    EXPECT_EQ(explain(two, row.row(), {}, 5, heap, go).features[0].product, 2);
    EXPECT_EQ(explain(two, row.row(), "b", 5, heap, go).bias, 1);
    EXPECT_EQ(explain(two, row.row(), "a", 5, heap, go).features[0].weight, -2);
    EXPECT_EQ(explain(two, row.row(), "a", 5, heap, go).bias, -1);
}

}  // namespace sparselin
