// F and its gradient over rows against their definitions, in long double and by finite differences; however the rows
// are spread.
#include "apply/goal_cases.h"

#include <gtest/gtest.h>

namespace sparselin {
namespace {

using namespace goal_cases;

LossSums through_bytes(const LossSums& sums) {
    Vector<char> bytes(heap);
    Writer writer(bytes, go);
    sums.save(writer, go);
    Reader reader(bytes, "sums", go);
    LossSums read = LossSums::load(reader, heap, go);
    reader.finish();
    return read;
}

double weight_in(const Model& model, int32_t feature, int run) {
    const auto place = std::ranges::lower_bound(model.index, feature);
    if (place == model.index.end() || *place != feature) return 0;
    return model.weights_at(static_cast<size_t>(place - model.index.begin()))[static_cast<size_t>(run)];
}

TEST(Goal, IsItsDefinitionAndTheGradientItsDifferences) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 1, 60);
        const Model model = at_home(of, model_of(of, 2), rows);
        Goal goal(model, heap, go);
        const LossSums sums = sums_of(of, model, rows, goal.needs_survey() ? Beside::lies : Beside::nothing);
        const Slope slope = slope_of(model, sums);
        Dense dense(of, model, rows);
        const auto F = static_cast<double>(dense.F());
        EXPECT_NEAR(slope.value, F, 1e-12 * F) << of.name;
        Model gradient = model_of(of, 2);
        goal.set_rows(sums, model, go);
        goal.write_as_it_is(SlopeAt(goal, sums, model, heap, go).gradient(), gradient, go);
        double largest = 0;
        for (const double its : slope.gradient) largest = std::max(largest, std::fabs(its));
        EXPECT_GT(largest, 1e-3) << of.name;
        for (int k = 0; k < dense.runs; ++k) {
            for (int j = 0; j < Dense::size; ++j) {
                const double its = weight_in(gradient, j, k);
                EXPECT_NEAR(its, static_cast<double>(dense.difference(dense.u[k][j])), 2e-8 * (1 + largest))
                    << of.name << " feature " << j << " run " << k;
                const auto [value, terms] = dense.derivative(k, j);
                EXPECT_NEAR(its, static_cast<double>(value), 1e-12 * static_cast<double>(terms))
                    << of.name << " feature " << j << " run " << k;
            }
            const double bias = dense.intercept ? static_cast<double>(dense.difference(dense.b[k])) : 0;
            EXPECT_NEAR(gradient.bias[static_cast<size_t>(k)], bias, 2e-8 * (1 + largest)) << of.name << " bias " << k;
            const auto [value, terms] = dense.derivative(k, Dense::size);
            EXPECT_NEAR(gradient.bias[static_cast<size_t>(k)], dense.intercept ? static_cast<double>(value) : 0,
                        1e-12 * static_cast<double>(terms))
                << of.name << " bias " << k;
        }
    }
}

// No row is so near to where the slope bends that a difference would see it; a hundredth of the most is never reached.
TEST(Goal, KnowsHowFCurvesAlongEachNumber) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 1, 60);
        const Model model = at_home(of, model_of(of, 2), rows);
        Goal goal(model, heap, go);
        const LossSums sums = sums_of(of, model, rows);
        goal.set_rows(sums, model, go);
        const OfRuns curvature(goal, model.runs());
        goal.write_curvature(sums, curvature.run, go);
        Model curvatures = model;
        goal.write_as_it_is(curvature.run, curvatures, go);
        Dense dense(of, model, rows);
        const double F = static_cast<double>(dense.F());
        for (int k = 0; k < dense.runs; ++k)
            for (int j = 0; j < features; ++j) {
                if (dense.s[j] == 0) continue;  // does not count
                const auto its = static_cast<double>(dense.second_difference(dense.u[k][j]));
                EXPECT_NEAR(weight_in(curvatures, j, k), its, 1e-4 * (F + its))
                    << of.name << " feature " << j << " run " << k;
            }
    }
}

// Values of all the same size: not a digit of the difference would be left of sums of squares that are rounded early.
TEST(Goal, SeesNoCurvatureInFeaturesThatDoNotVary) {
    const Case& of = cases[5];
    Model model = model_of(of, 1);
    std::ranges::fill(model.weight, 0);
    std::vector<Row> rows;
    for (int i = 0; i < 100; ++i)
        rows.push_back({{0, 1}, {1000, i % 2 == 0 ? 1.0f : 2.0f}, i % 3 == 0 ? 1.0 : -1.0, "a", 1});
    Goal goal(model, heap, go);
    const LossSums sums = sums_of(of, model, rows);
    goal.set_rows(sums, model, go);
    const OfRuns curvature(goal, 1);
    goal.write_curvature(sums, curvature.run, go);
    EXPECT_NEAR(curvature.run[0][0], model.lambda, 1e-6);
    EXPECT_GT(curvature.run[0][1], 2 * model.lambda);
}

TEST(LossSums, CurvesAreTheSameHoweverTheRowsAreSpread) {
    for (const Case& of : cases) {
        const auto rows = rows_of(of, 3, 500);
        const Model model = model_of(of, 4);
        Goal goal(model, heap, go);
        const LossSums one = sums_of(of, model, rows);
        LossSums two = through_bytes(sums_of(of, model, std::span(rows).first(123)));
        two.absorb(through_bytes(sums_of(of, model, std::span(rows).subspan(123))), go);
        goal.set_rows(one, model, go);
        const OfRuns of_one(goal, model.runs()), of_two(goal, model.runs());
        goal.write_curvature(one, of_one.run, go);
        goal.write_curvature(two, of_two.run, go);
        for (size_t i = 0; i < of_one.values.size(); ++i)
            EXPECT_NEAR(of_one.values[i], of_two.values[i], 1e-9 * of_one.values[i]) << of.name << " " << i;
    }
}

// 1e-12 of the sum of the absolute terms, which are far larger than their sum here.
TEST(LossSums, AreTheSameHoweverTheRowsAreSpread) {
    for (const Case& of : cases) {
        auto rows = rows_of(of, 3, 4000);
        for (size_t i = 0; i + 1 < rows.size(); i += 2) {  // all but cancel
            rows[i + 1] = rows[i];
            rows[i].omega = rows[i + 1].omega = 1e3 * (1 + static_cast<double>(i % 5));
        }
        const Model model = at_home(of, model_of(of, 4), rows);
        const Slope whole = slope_of(model, sums_of(of, model, rows));
        std::mt19937 random(5);
        for (const size_t parts : {2u, 8u, 37u}) {
            std::ranges::shuffle(rows, random);
            LossSums all(subject_of(of, model, Beside::curves), heap);
            for (size_t part = 0; part < parts; ++part) {
                std::vector<Row> its;
                for (size_t i = part; i < rows.size(); i += parts) its.push_back(rows[i]);
                all.absorb(through_bytes(sums_of(of, model, its)), go);
            }
            EXPECT_EQ(all.rows(), static_cast<int64_t>(rows.size()));
            const Slope spread = slope_of(model, all);
            EXPECT_NEAR(spread.value, whole.value, 1e-14 * whole.value) << of.name;
            double size = 0;
            for (const double its : whole.gradient) size += std::fabs(its);
            for (size_t i = 0; i < whole.gradient.size(); ++i)
                EXPECT_NEAR(spread.gradient[i], whole.gradient[i], 1e-13 * size) << of.name << " " << i;
        }
    }
}

TEST(LossSums, AreCompensated) {
    const Case& of = cases[3];  // squared: slope p - y
    Model model = model_of(of, 1);
    model.index = {0};
    model.weight = {0};
    model.bias = {0};
    std::vector<Row> rows;
    for (const double y : {1e16, 1.0, -1e16}) rows.push_back({{0}, {1}, y, "a", 1});
    LossSums sums(subject_of(of, model, Beside::nothing), heap);
    add_rows(sums, of, model, rows);
    EXPECT_EQ(sums.slopes(0), -1);
    sums.walk(go, [](int32_t, const LossSums::Feature& its) { EXPECT_EQ(its.G(0), -1); });
}

TEST(LossSums, KnowTheVarianceOfAlmostConstantFeatures) {
    const Case& of = cases[8];
    const Model model = model_of(of, 1);
    std::vector<Row> rows;
    for (int i = 0; i < 1000; ++i) rows.push_back({{0, 1}, {123456.7f, i % 2 == 0 ? 4096.0f : 4096.5f}, 1, "a", 1});
    sums_of(of, model, rows).walk(go, [](int32_t index, const LossSums::Feature& its) {
        EXPECT_NEAR(its.lie().variance(1000), index == 0 ? 0 : 0.0625, index == 0 ? 1e-20 : 1e-16);
    });
}

TEST(LossSums, RefuseWhatTheyCannotAdd) {
    const Case& of = cases[0];
    const Model model = model_of(of, 1);
    const Predictor predictor(model, heap, go);
    LossSums sums(subject_of(of, model, Beside::nothing), heap);
    const Row row = rows_of(of, 1, 1)[0];
    sums.add(predictor, row.x(), Label(1.0), 1, go);
    EXPECT_THROW(sums.add(predictor, row.x(), Label(3.0), 1, go), Error);
    EXPECT_THROW(sums.add(predictor, row.x(), Label(1.0), -1, go), Error);
    sums.add(predictor, row.x(), Label(0.0), 1, go);
    EXPECT_THROW(sums.add(predictor, row.x(), Label(-1.0), 1, go), Error);
    sums.add(predictor, row.x(), Label(1.0), 0, go);
    EXPECT_EQ(sums.rows(), 2);
    EXPECT_EQ(sums.skipped(), 1);
    LossSums other({{1, 3}, loss_of(model, heap, go), 1, LabelKind::number, Beside::nothing, false}, heap);
    EXPECT_THROW(sums.absorb(other, go), Error);
    const Case& named = cases[11];
    const Model of_classes = model_of(named, 1);
    LossSums with_names(subject_of(named, of_classes, Beside::nothing), heap);
    EXPECT_THROW(with_names.add(Predictor(of_classes, heap, go), row.x(), Label(std::string_view("z")), 1, go), Error);
}

TEST(LossSums, ReadNothingThatIsDamaged) {
    const Case& of = cases[0];
    const Model model = model_of(of, 1);
    Vector<char> bytes(heap);
    Writer writer(bytes, go);
    sums_of(of, model, rows_of(of, 1, 20)).save(writer, go);
    for (size_t size = 0; size < bytes.size(); ++size) {
        Reader reader(std::span<const char>(bytes).first(size), "sums", go);
        EXPECT_THROW(LossSums::load(reader, heap, go), Error) << size;
    }
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        Vector<char> changed(bytes, heap);
        changed[random() % 80] = static_cast<char>(random());
        Reader reader(changed, "sums", go);
        try {
            LossSums::load(reader, heap, go);
        } catch (const Error&) {
        }
    }
}

TEST(Goal, RefusesWhatIsNotSmooth) {
    const auto with = [](LearnerKind learner, Loss loss, const char* options) {
        Model model(heap);
        model.learner = learner;
        model.loss = loss;
        model.options = options;
        return Goal(model, heap, go);
    };
    EXPECT_THROW(with(LearnerKind::asgd, Loss::hinge, "loss=hinge"), Error);
    EXPECT_THROW(with(LearnerKind::asgd, Loss::absolute, "loss=absolute"), Error);
    EXPECT_THROW(with(LearnerKind::asgd, Loss::quantile, "loss=quantile"), Error);
    EXPECT_THROW(with(LearnerKind::elasticnet, Loss::logistic, "loss=logistic"), Error);
    EXPECT_THROW(with(LearnerKind::truncated, Loss::logistic, "loss=logistic"), Error);
    EXPECT_NO_THROW(with(LearnerKind::onepass, Loss::huber, "loss=huber"));
}

}  // namespace
}  // namespace sparselin
