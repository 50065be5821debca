// Curves and calibrations: against their definitions, row by row; where points have to be left out; with ties,
// weights, one class and probabilities that are as good as 0 or 1.
#include "apply/calibration.h"
#include "apply/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();

struct Row {
    double score;
    bool positive;
    double weight = 1;
};

// Gives rows as OrderedScores does.
template <typename Taker>
auto taken(Taker taker, std::vector<Row> rows) {
    std::ranges::stable_sort(rows, {}, &Row::score);
    for (const Row& row : rows)
        taker.take(Scores::stack_for(row.weight, row.positive), order_of(row.score),
                   row.positive ? row.weight : -row.weight);
    return taker.finish();
}

double sum_of(const std::vector<Row>& rows, auto&& wanted) {
    double sum = 0;
    for (const Row& row : rows) sum += wanted(row) ? row.weight : 0;
    return sum;
}

Vector<CurvePoint> curve_of(Loss loss, const std::vector<Row>& rows) {
    const double positives = sum_of(rows, [](const Row& row) { return row.positive; });
    const double negatives = sum_of(rows, [](const Row& row) { return !row.positive; });
    return taken(Curve(loss, positives, negatives, heap), rows);
}

double level_of(Loss loss, double score) {
    return loss == Loss::logistic ? sigmoid(score) : score;
}

std::vector<Row> random_rows(unsigned seed, int count, int scores, double share = 0.5, bool weighted = false) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
        const bool positive = uniform(random) < share;
        const double score = std::floor((uniform(random) + (positive ? 0.3 : 0)) * scores) / scores * 8 - 5;
        rows.push_back({score, positive, weighted ? std::ldexp(1 + random() % 16, -3) : 1});
    }
    return rows;
}

// Weights are such that all sums are exact.
void expect_definition(Loss loss, const std::vector<Row>& rows, const Vector<CurvePoint>& points) {
    for (const CurvePoint& point : points) {
        const auto above = [&](const Row& row) { return level_of(loss, row.score) > point.threshold; };
        const double tp = sum_of(rows, [&](const Row& row) { return above(row) && row.positive; });
        const double fp = sum_of(rows, [&](const Row& row) { return above(row) && !row.positive; });
        const double fn = sum_of(rows, [&](const Row& row) { return !above(row) && row.positive; });
        const double tn = sum_of(rows, [&](const Row& row) { return !above(row) && !row.positive; });
        EXPECT_EQ(point.true_positives, tp);
        EXPECT_EQ(point.false_positives, fp);
        EXPECT_EQ(point.false_negatives, fn);
        EXPECT_EQ(point.true_negatives, tn);
        EXPECT_TRUE(tp + fp > 0 ? point.precision == tp / (tp + fp) : std::isnan(point.precision));
        EXPECT_TRUE(tp + fn > 0 ? point.recall == tp / (tp + fn) : std::isnan(point.recall));
        EXPECT_TRUE(fp + tn > 0 ? point.false_positive_rate == fp / (fp + tn) : std::isnan(point.false_positive_rate));
        if (tp + fp == 0 || tp + fn == 0) continue;
        EXPECT_NEAR(point.lift, tp / (tp + fp) * (tp + fp + fn + tn) / (tp + fn), 1e-12 * point.lift);
    }
}

TEST(Curve, HasEveryLevelWhereThereAreFew) {
    for (const Loss loss : {Loss::logistic, Loss::hinge})
        for (const bool weighted : {false, true}) {
            const auto rows = random_rows(1, 3000, 97, 0.4, weighted);
            const auto points = curve_of(loss, rows);
            std::map<double, int> levels;
            for (const Row& row : rows) ++levels[level_of(loss, row.score)];
            ASSERT_EQ(points.size(), levels.size() + 1);
            auto level = levels.rbegin();
            for (size_t i = 0; i + 1 < points.size(); ++i, ++level) EXPECT_EQ(points[i].threshold, level->first);
            EXPECT_EQ(points.back().threshold, loss == Loss::logistic ? 0 : -HUGE_VAL);
            expect_definition(loss, rows, points);
        }
}

TEST(Curve, LeavesPointsOutEvenlyAlongTheRocCurve) {
    for (const double share : {0.5, 0.002, 0.999})
        for (const bool weighted : {false, true}) {
            const auto rows = random_rows(2, 20000, 1 << 20, share, weighted);
            const auto points = curve_of(Loss::hinge, rows);
            EXPECT_LE(points.size(), Curve::most);
            // What a step takes is of the rarer class at least a row.
            const double heaviest = 2 / std::min(points.back().true_positives, points.back().false_positives);
            const double step = 2.0 / (Curve::most - 1) + heaviest;
            for (size_t i = 1; i < points.size(); ++i) {
                EXPECT_GT(points[i - 1].threshold, points[i].threshold);
                EXPECT_LE(points[i].recall - points[i - 1].recall + points[i].false_positive_rate -
                              points[i - 1].false_positive_rate,
                          step);
            }
            EXPECT_EQ(points.front().true_positives + points.front().false_positives, 0);
            EXPECT_EQ(points.back().true_negatives + points.back().false_negatives, 0);
            expect_definition(Loss::hinge, rows, points);
        }
}

// About as many levels as there may be points; one more, and some are too close to each other.
TEST(Curve, HasNoMorePointsThanThereMayBe) {
    for (const int levels : {198, 199, 200, 201, 399}) {
        std::vector<Row> rows;
        for (int i = 0; i < levels; ++i) rows.push_back({double(i), i % 3 == 0});
        const auto points = curve_of(Loss::hinge, rows);
        EXPECT_LE(points.size(), Curve::most);
        EXPECT_GE(points.size(), levels < 200 ? levels + 1 : 150) << levels;
        EXPECT_EQ(points.front().threshold, levels - 1);
        EXPECT_EQ(points.back().threshold, -HUGE_VAL);
        expect_definition(Loss::hinge, rows, points);
    }
}

TEST(Curve, PartsNoProbabilitiesThatAreTheSame) {
    const std::vector<Row> rows = {{-800, false}, {-799, true}, {-1, false}, {40, true}, {41, false}, {700, true}};
    const auto points = curve_of(Loss::logistic, rows);
    ASSERT_EQ(points.size(), 3u);  // 1, sigmoid(-1) and 0, which is a level too
    EXPECT_EQ(points[0].threshold, 1);
    EXPECT_EQ(points[1].true_positives, 2);
    EXPECT_EQ(points[2].threshold, 0);
    EXPECT_EQ(points[2].false_negatives, 1);
    expect_definition(Loss::logistic, rows, points);
    EXPECT_EQ(curve_of(Loss::hinge, rows).size(), 7u);
}

TEST(Curve, OfOneClassOrNoRows) {
    EXPECT_TRUE(curve_of(Loss::hinge, {}).empty());
    for (const bool positive : {false, true}) {
        const std::vector<Row> rows = {{1, positive, 3}, {2, positive}, {2, positive}};
        const auto points = curve_of(Loss::hinge, rows);
        ASSERT_EQ(points.size(), 3u);
        expect_definition(Loss::hinge, rows, points);
        EXPECT_EQ(std::isnan(points[1].lift), !positive);
    }
}

TEST(Curve, IsTheSameInAnyUnitOfTheWeights) {
    auto rows = random_rows(3, 5000, 1 << 20, 0.1, true);
    const auto plain = curve_of(Loss::hinge, rows);
    for (const int power : {-900, 900}) {
        auto scaled = rows;
        for (Row& row : scaled) row.weight = std::ldexp(row.weight, power);
        const auto points = curve_of(Loss::hinge, scaled);
        ASSERT_EQ(points.size(), plain.size());
        for (size_t i = 0; i < points.size(); ++i) {
            EXPECT_EQ(points[i].threshold, plain[i].threshold);
            EXPECT_EQ(points[i].recall, plain[i].recall);
        }
    }
}

Vector<CalibrationBin> bins_of(int bins, const std::vector<Row>& rows) {
    return taken(Calibration(bins, sum_of(rows, [](const Row&) { return true; }), heap), rows);
}

TEST(Calibration, IsItsDefinition) {
    for (const bool weighted : {false, true})
        for (const int scores : {7, 1 << 20})
            for (const int bins : {1, 3, 10, 1000}) {
                const auto rows = random_rows(4, 1500, scores, 0.3, weighted);
                const double all = sum_of(rows, [](const Row&) { return true; });
                struct Bin {
                    double rows = 0, predicted = 0, positive = 0;
                };
                std::map<int, Bin> expected;
                for (const Row& row : rows) {
                    const double below = sum_of(rows, [&](const Row& other) { return other.score < row.score; });
                    Bin& bin = expected[static_cast<int>(std::floor(bins * below / all)) + 1];
                    bin.rows += row.weight;
                    bin.predicted += row.weight * sigmoid(row.score);
                    bin.positive += row.positive ? row.weight : 0;
                }
                const auto got = bins_of(bins, rows);
                ASSERT_EQ(got.size(), expected.size());
                auto its = got.begin();
                for (const auto& [number, bin] : expected) {
                    EXPECT_EQ(its->bin, number);
                    EXPECT_EQ(its->rows, bin.rows);
                    EXPECT_NEAR(its->predicted, bin.predicted / bin.rows, 1e-14);
                    EXPECT_EQ(its->observed, bin.positive / bin.rows);
                    ++its;
                }
            }
}

// Sums of such weights are rounded; bins are the same all the same.
TEST(Calibration, MeetsItsBoundariesWithAnyEqualWeights) {
    for (const double weight : {0.1, 1.0 / 3, 1e-300, 7.7e300}) {
        std::vector<Row> rows;
        for (int i = 0; i < 1000; ++i) rows.push_back({i / 100.0, i % 2 == 0, weight});
        const auto bins = bins_of(10, rows);
        ASSERT_EQ(bins.size(), 10u);
        for (const CalibrationBin& bin : bins) EXPECT_NEAR(bin.rows / weight, 100, 1e-9);
    }
}

TEST(Calibration, KeepsEqualProbabilitiesTogether) {
    const auto bins = bins_of(4, {{40, true}, {41, false}, {42, true}, {-1, false}});
    ASSERT_EQ(bins.size(), 2u);
    EXPECT_EQ(bins[1].bin, 2);
    EXPECT_EQ(bins[1].rows, 3);
    EXPECT_TRUE(bins_of(10, {}).empty());
}

}  // namespace
}  // namespace sparselin
