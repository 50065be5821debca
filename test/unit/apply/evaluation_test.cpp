// The numbers of an evaluation: against their definitions, written out; in parts; through bytes; with nothing to divide
// by.
#include "apply/evaluation.h"
#include "apply/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

// A model whose score is the value of feature 1.
Predictor identity(const ChosenLoss& loss) {
    Model model(heap);
    model.loss = loss.loss;
    const char* const parameter = traits_of(loss.loss).parameter;
    if (parameter != nullptr) model.options = std::string(parameter) + "=" + std::to_string(loss.parameter);
    model.index = {0};
    model.weight = {1};
    return Predictor(model, heap, go);
}

struct Judged {
    double score, label, weight = 1;
};

Subject subject_of(const ChosenLoss& loss, double penalty = 0) {
    return {{1, 2}, loss, penalty};
}

void judge(Evaluation& evaluation, const Judged& row) {
    const int32_t index = 0;
    const auto value = static_cast<float>(row.score);
    Stack stack{};
    const SparseRow x = {&index, &value, value != 0 ? 1 : 0, 0};
    while (!evaluation.add(identity(evaluation.subject().loss), x, row.label, row.weight, stack, StopSign()))
        evaluation.scores().make_room(stack, 64);
}

Card card_of(const ChosenLoss& loss, const std::vector<Judged>& rows, double auc = 0.5) {
    Evaluation evaluation(subject_of(loss), LabelKind::number, heap);
    for (const Judged& row : rows) judge(evaluation, row);
    return evaluation.card(auc);
}

std::vector<Judged> random_rows(unsigned seed, int count, bool classes) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Judged> rows;
    for (int i = 0; i < count; ++i) {
        const double score = static_cast<float>(normal(random));
        const double y = score + normal(random);
        rows.push_back({score, classes ? (y > 0 ? 1.0 : -1.0) : y, random() % 3 == 0 ? 1 : 0.1 + random() % 40});
    }
    return rows;
}

double relative(double a, double b) {
    return std::fabs(a - b) / std::max({1e-300, std::fabs(a), std::fabs(b)});
}

void expect_same_numbers(Card a, Card b, double bound) {
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.skipped, b.skipped);
    for (size_t i = 0; i < a.numbers().size(); ++i) {
        const double x = *a.numbers()[i], y = *b.numbers()[i];
        EXPECT_EQ(std::isnan(x), std::isnan(y)) << i;
        EXPECT_TRUE(std::isnan(x) || relative(x, y) <= bound) << i << ": " << x << " " << y;
    }
}

TEST(Evaluation, OfClassesIsItsDefinition) {
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
        const auto rows = random_rows(1, 3000, true);
        double omega = 0, losses = 0, tp = 0, fp = 0, tn = 0, fn = 0;
        for (const auto& [p, y, w] : rows) {
            const double short_by = std::max(0.0, 1 - p * y);
            losses += w * (loss == Loss::logistic ? std::log(1 + std::exp(-p * y))
                           : loss == Loss::hinge  ? short_by
                                                  : short_by * short_by / 2);
            omega += w;
            (y > 0 ? p > 0 ? tp : fn : p > 0 ? fp : tn) += w;
        }
        const Card card = card_of(loss, rows, 0.625);
        EXPECT_EQ(card.rows, 3000);
        EXPECT_LE(relative(card.loss, losses / omega), 1e-12);
        EXPECT_LE(relative(card.objective, losses / 3000), 1e-12);
        EXPECT_LE(relative(card.accuracy, (tp + tn) / omega), 1e-12);
        EXPECT_LE(relative(card.precision, tp / (tp + fp)), 1e-12);
        EXPECT_LE(relative(card.recall, tp / (tp + fn)), 1e-12);
        EXPECT_LE(relative(card.f1, 2 / (1 / card.precision + 1 / card.recall)), 1e-12);
        EXPECT_LE(relative(card.true_positives, tp), 1e-12);
        EXPECT_LE(relative(card.false_positives, fp), 1e-12);
        EXPECT_LE(relative(card.true_negatives, tn), 1e-12);
        EXPECT_LE(relative(card.false_negatives, fn), 1e-12);
        EXPECT_EQ(card.auc, 0.625);
        EXPECT_TRUE(loss == Loss::logistic ? card.log_loss == card.loss : std::isnan(card.log_loss));
        EXPECT_TRUE(std::isnan(card.rmse) && std::isnan(card.mae) && std::isnan(card.r2));
    }
}

TEST(Evaluation, OfNumbersIsItsDefinition) {
    for (const Loss loss : {Loss::squared, Loss::absolute}) {
        const auto rows = random_rows(2, 3000, false);
        double omega = 0, labels = 0, squares = 0, sizes = 0, spread = 0;
        for (const auto& [p, y, w] : rows) {
            omega += w;
            labels += w * y;
            squares += w * (p - y) * (p - y);
            sizes += w * std::fabs(p - y);
        }
        for (const auto& [p, y, w] : rows) spread += w * (y - labels / omega) * (y - labels / omega);
        const Card card = card_of(loss, rows);
        EXPECT_LE(relative(card.loss, loss == Loss::squared ? squares / omega / 2 : sizes / omega), 1e-12);
        EXPECT_LE(relative(card.rmse, std::sqrt(squares / omega)), 1e-12);
        EXPECT_LE(relative(card.mae, sizes / omega), 1e-12);
        EXPECT_LE(relative(card.r2, 1 - squares / spread), 1e-11);
        EXPECT_TRUE(std::isnan(card.accuracy) && std::isnan(card.auc) && std::isnan(card.true_positives));
    }
}

TEST(Evaluation, LossesHaveTheParametersOfTheModel) {
    const std::vector<Judged> rows = {{0, 3}, {5, 1}, {1, 0.5}};
    EXPECT_NEAR(card_of({Loss::huber, 2}, rows).loss, (2.0 * 2 + 2.0 * 3 + 0.125) / 3, 1e-15);
    EXPECT_NEAR(card_of({Loss::quantile, 0.25}, rows).loss, (0.25 * 3 + 0.75 * 4 + 0.75 * 0.5) / 3, 1e-15);
    EXPECT_EQ(identity({Loss::huber, 2}).chosen_loss().parameter, 2);
    Model model(heap);
    model.loss = Loss::quantile;
    EXPECT_EQ(Predictor(model, heap, go).chosen_loss().parameter, 0.5);
}

// Far from zero, where sums of squares lose all digits.
TEST(Evaluation, LabelsFarFromZero) {
    std::vector<Judged> rows;
    for (int i = 0; i < 1000; ++i) rows.push_back({1048576.0 + i % 7, 1048576.0 + i % 5});
    const Card card = card_of(Loss::squared, rows);
    for (Judged& row : rows) row = {row.score - 1048576, row.label - 1048576};
    EXPECT_LE(relative(card.r2, card_of(Loss::squared, rows).r2), 1e-12);
}

TEST(Evaluation, AScoreOfZeroIsNegative) {
    const Card card = card_of(Loss::hinge, {{0, 1}, {0, -1}, {-0.0, 1}, {1e-30, 1}});
    EXPECT_EQ(card.true_positives, 1);
    EXPECT_EQ(card.false_negatives, 2);
    EXPECT_EQ(card.true_negatives, 1);
}

TEST(Evaluation, WhatIsNotDefined) {
    Card card = card_of(Loss::logistic, {{-1, -1}, {-2, -1}});
    EXPECT_EQ(card.accuracy, 1);
    EXPECT_TRUE(std::isnan(card.precision) && std::isnan(card.recall) && std::isnan(card.f1));
    card = card_of(Loss::logistic, {{1, -1}});
    EXPECT_EQ(card.precision, 0);
    EXPECT_EQ(card.f1, 0);
    EXPECT_TRUE(std::isnan(card.recall));
    card = card_of(Loss::logistic, {{-1, 1}});
    EXPECT_EQ(card.recall, 0);
    EXPECT_EQ(card.f1, 0);
    EXPECT_TRUE(std::isnan(card.precision));
    card = card_of(Loss::squared, {{1, 0.1}, {2, 0.1}, {3, 0.1}});
    EXPECT_TRUE(std::isnan(card.r2));
    EXPECT_FALSE(std::isnan(card.rmse));
    card = card_of(Loss::squared, {{1, 2, 0}});
    EXPECT_EQ(card.rows, 0);
    EXPECT_EQ(card.skipped, 1);
    for (const double* number : card.numbers()) EXPECT_TRUE(std::isnan(*number));
}

TEST(Evaluation, InPartsAndThroughBytes) {
    for (const Loss loss : {Loss::logistic, Loss::squared}) {
        const auto rows = random_rows(3, 5000, is_classification(loss));
        Evaluation whole(subject_of(loss, 0.25), LabelKind::number, heap),
            all(subject_of(loss, 0.25), LabelKind::number, heap);
        for (size_t part = 0; part < 7; ++part) {
            Evaluation of_part(subject_of(loss, 0.25), LabelKind::number, heap);
            of_part.skip();
            whole.skip();
            for (size_t i = part * part * 100; i < std::min<size_t>((part + 1) * (part + 1) * 100, rows.size()); ++i) {
                judge(of_part, rows[i]);
                judge(whole, rows[i]);
            }
            Vector<char> bytes(heap);
            Writer writer(bytes);
            of_part.save(writer);
            Reader reader(bytes, "state");
            const Evaluation::Setup setup = Evaluation::read_setup(reader);
            Evaluation loaded(setup.subject, setup.labels, heap);
            loaded.load(reader);
            reader.finish();
            expect_same_numbers(loaded.card(0.5), of_part.card(0.5), 0);
            EXPECT_EQ(loaded.scores_to_come(), of_part.scores().count());
            EXPECT_EQ(of_part.scores_to_come(), 0);
            all.absorb(loaded);
        }
        EXPECT_GT(whole.rows_seen(), 4900);
        expect_same_numbers(whole.card(0.5), all.card(0.5), 1e-14);
    }
}

TEST(Evaluation, RefusesWhatDoesNotFit) {
    const auto fails = [](auto work) {
        try {
            work();
        } catch (const Error& error) {
            return std::string(error.message());
        }
        return std::string();
    };
    Evaluation classes(subject_of(Loss::logistic), LabelKind::number, heap),
        numbers(subject_of(Loss::squared), LabelKind::number, heap);
    judge(classes, {1, 1});
    judge(classes, {1, 0});
    EXPECT_EQ(fails([&] { judge(classes, {1, -1}); }), "row 3: label -1, but rows before it have 0");
    EXPECT_EQ(fails([&] { judge(classes, {1, 2}); }), "row 3: label 2 is not a class");
    EXPECT_EQ(fails([&] { judge(classes, {1, 1, -1}); }), "row 3: weight is -1");
    EXPECT_EQ(fails([&] { judge(classes, {1, 1, HUGE_VAL}); }), "row 3: weight is inf");
    EXPECT_EQ(fails([&] { judge(numbers, {1, NAN}); }), "row 1: label is NaN");
    EXPECT_EQ(fails([&] {
                  judge(numbers, {1, 1e200});
              }),
              "row 1: the loss is out of range: the label is 1e+200, the score 1");
    EXPECT_EQ(classes.rows_seen(), 2);
    EXPECT_EQ(classes.scores().count(), 2);
    judge(classes, {1, 1, 1e308});
    judge(classes, {1, 1, 1e308});
    EXPECT_EQ(fails([&] { classes.card(1); }), "the sum of the losses or weights is out of range");
    Evaluation other({{1, 3}, Loss::logistic, 0}, LabelKind::number, heap),
        minus(subject_of(Loss::logistic), LabelKind::number, heap);
    EXPECT_EQ(fails([&] { classes.absorb(other); }), "the model is not the same for all rows");
    judge(minus, {1, -1});
    EXPECT_EQ(fails([&] { classes.absorb(minus); }), "some rows have the label 0, others -1");

    EXPECT_EQ(fails([] { check_labels(Loss::logistic, Coding::boolean, LabelKind::number); }), "");
    EXPECT_EQ(fails([] { check_labels(Loss::hinge, Coding::plus_minus, LabelKind::boolean); }), "");
    EXPECT_EQ(fails([] { check_labels(Loss::squared, Coding::number, LabelKind::number); }), "");
    EXPECT_EQ(fails([] { check_labels(Loss::squared, Coding::boolean, LabelKind::boolean); }), "");
    EXPECT_NE(fails([] { check_labels(Loss::squared, Coding::number, LabelKind::boolean); }), "");
    EXPECT_NE(fails([] { check_labels(Loss::logistic, Coding::boolean, LabelKind::text); }), "");
    EXPECT_NE(fails([] { check_labels(Loss::hinge, Coding::text, LabelKind::number); }), "");
    EXPECT_EQ(fails([] { check_labels(Loss::hinge, Coding::text, LabelKind::text); }), "");
    EXPECT_NE(fails([] { check_labels(Loss::absolute, Coding::boolean, LabelKind::number); }), "");
}

TEST(Objective, IsWhatTheLearnerMinimises) {
    Model model(heap);
    model.index = {0, 5};
    model.weight = {3, -4};
    model.bias[0] = 7;
    model.centred_bias[0] = 2;
    model.lambda = 0.5;
    model.options = "epochs=3";
    EXPECT_EQ(penalty_of(model, heap, go), 0.25 * (9 + 16 + 4));
    model.learner = LearnerKind::elasticnet;
    model.options = "l1=0.125";
    EXPECT_EQ(penalty_of(model, heap, go), 0.25 * (9 + 16) + 0.125 * 7);
    model.options = "scale=none l1=0.125";
    EXPECT_EQ(penalty_of(model, heap, go), 0.25 * (9 + 16) + 0.125 * 7);
    model.options = "scale=std";
    EXPECT_TRUE(std::isnan(penalty_of(model, heap, go)));
}

TEST(Sum, IsRoundedOnce) {
    Sum sum, other;
    for (const double x : {1.0, 1e100, 1.0}) sum.add(x);
    other.add(-1e100);
    sum.add(other);
    EXPECT_EQ(sum.value(), 2);
    Sum tenths;
    for (int i = 0; i < 10000000; ++i) tenths.add(0.1);
    EXPECT_EQ(tenths.value(), 1e6);
}

}  // namespace
}  // namespace sparselin
