// Refining models, by sums alone: to the minimum, and however the rows are spread.
#include "apply/goal_cases.h"
#include "apply/refining.h"

#include <gtest/gtest.h>

namespace sparselin {
namespace {

using namespace goal_cases;

struct Refined {
    Model model;
    double before, after, gap;
    int64_t scans;
};

Refined refine(const Case& of, const Model& from, std::span<const Row> rows, int64_t scans, double tolerance,
               size_t parts = 1) {
    Model model = from;
    Refining refining(model, scans, tolerance, heap, go);
    for (bool done = false; !done;) {
        const Beside beside = refining.surveys() ? Beside::curves : Beside::nothing;
        LossSums all(subject_of(of, refining.tried(), beside), heap);
        for (size_t part = 0; part < parts; ++part) {
            std::vector<Row> its;
            for (size_t i = part; i < rows.size(); i += parts) its.push_back(rows[i]);
            all.absorb(sums_of(of, refining.tried(), its, beside), go);
        }
        done = refining.take(all, go);
    }
    return {model, refining.before(), refining.after(), refining.gap(), refining.scans()};
}

// What F is at a model that was refined, added up anew.
double value_at(const Case& of, const Model& model, std::span<const Row> rows) {
    return slope_of(model, sums_of(of, model, rows)).value;
}

TEST(Refining, EndsWhereNoNeighbourIsLower) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 6, 200);
        const Model from = at_home(of, model_of(of, 7), rows);
        const Refined refined = refine(of, from, rows, 2000, 1e-7);
        EXPECT_LE(refined.gap, 1e-7 * refined.after) << of.name;
        EXPECT_LT(refined.after, refined.before) << of.name;
        EXPECT_NEAR(value_at(of, refined.model, rows), refined.after, 1e-11 * refined.after) << of.name;
        Dense dense(of, refined.model, rows);
        const Dense::Real least = dense.F();
        std::mt19937 random(8);
        std::normal_distribution<double> normal;
        for (int i = 0; i < 50; ++i) {
            Dense other = dense;
            for (auto& run : other.u)
                for (int j = 0; j < features; ++j) run[static_cast<size_t>(j)] += 0.01L * normal(random);
            for (auto& bias : other.b) bias += other.intercept ? 0.01L * normal(random) : 0;
            EXPECT_GE(other.F(), least - static_cast<Dense::Real>(refined.gap)) << of.name;
        }
    }
}

TEST(Refining, BoundsHowFarItIsFromTheMinimum) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 6, 200);
        const Model from = at_home(of, model_of(of, 7), rows);
        const double least = refine(of, from, rows, 2000, 1e-9).after;
        for (const int64_t scans : {1, 2, 3, 5, 10, 20}) {
            const Refined some = refine(of, from, rows, scans, 0);
            EXPECT_LE(some.scans, scans) << of.name;
            EXPECT_GE(some.gap, (some.after - least) * (1 - 1e-6) - 1e-12) << of.name << " " << scans;
            EXPECT_LE(some.after, some.before) << of.name << " " << scans;
        }
    }
}

TEST(Refining, GivesTheSameHoweverTheRowsAreSpread) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 9, 500);
        const Model from = at_home(of, model_of(of, 10), rows);
        const Refined one = refine(of, from, rows, 40, 1e-6), eight = refine(of, from, rows, 40, 1e-6, 8);
        EXPECT_EQ(one.scans, eight.scans) << of.name;
        EXPECT_NEAR(one.after, eight.after, 1e-9 * one.after) << of.name;
        ASSERT_EQ(one.model.index, eight.model.index);
        double largest = 0;
        for (const double w : one.model.weight) largest = std::max(largest, std::fabs(w));
        for (size_t i = 0; i < one.model.weight.size(); ++i)
            EXPECT_NEAR(one.model.weight[i], eight.model.weight[i], 1e-6 * largest) << of.name;
    }
}

// Classes, one against the rest, share scans and nothing else.
TEST(Refining, TakesEachClassWhereItWouldGoAlone) {
    const Case& of = cases[11];
    const Case alone{"one class", of.learner, of.loss, of.options};
    auto rows = rows_of(of, 9, 300);
    const Model from = model_of(of, 10);
    const Refined all = refine(of, from, rows, 12, 0);
    for (size_t k = 0; k < from.runs(); ++k) {
        Model model = model_of(alone, 10);
        model.bias[0] = from.bias[k];
        for (size_t i = 0; i < model.index.size(); ++i) model.weight[i] = from.weights_at(i)[k];
        for (Row& row : rows) row.y = row.name[0] == 'a' + static_cast<char>(k) ? 1 : -1;
        const Refined one = refine(alone, model, rows, 12, 0);
        ASSERT_EQ(one.model.index, all.model.index);
        EXPECT_EQ(one.scans, all.scans);
        for (size_t i = 0; i < one.model.index.size(); ++i)
            EXPECT_NEAR(one.model.weight[i], all.model.weights_at(i)[k], 1e-6) << k << " " << i;
    }
}

TEST(Refining, TakesLambdaFromTheRowsWhereItFollowedThem) {
    const Case& of = cases[0];
    const auto rows = rows_of(of, 9, 500);
    Model model = model_of(of, 10);
    model.rows = 100;
    EXPECT_NEAR(refine(of, model, rows, 5, 0).model.lambda, 0.02 * 100 / 500, 1e-15);
    model.origins.set(find_option("lambda"), Origin::given);
    EXPECT_EQ(refine(of, model, rows, 5, 0).model.lambda, 0.02);
}

TEST(Refining, RefusesRowsThatChange) {
    const Case& of = cases[0];
    const auto rows = rows_of(of, 9, 50);
    Model model = model_of(of, 10);
    Refining refining(model, 40, 0, heap, go);
    refining.take(sums_of(of, model, rows), go);
    EXPECT_THROW(refining.take(sums_of(of, refining.tried(), std::span(rows).first(49), Beside::nothing), go), Error);
    auto others = rows;
    others[3].index.push_back(77);
    others[3].value.push_back(1);
    Model again = model_of(of, 10);
    Refining other(again, 40, 0, heap, go);
    other.take(sums_of(of, again, rows), go);
    EXPECT_THROW(other.take(sums_of(of, other.tried(), others, Beside::nothing), go), Error);
    Model once_more = model_of(of, 10);
    EXPECT_THROW(Refining(once_more, 40, 0, heap, go).take(sums_of(of, once_more, {}), go), Error);
}

}  // namespace
}  // namespace sparselin
