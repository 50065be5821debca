// Classes that are learned together, against the dense reference: every weight and bias to 1e-9, relative.
#include "learners/dekel_cases.h"
#include "learners/dense_multinomial.h"
#include "support/named_classes.h"

namespace {

using namespace dekel_cases;
using named::Rows;
using named::Writing;
using parts::Part;
using sparselin::LabelKind;
using sparselin::LearnerKind;

// In byte order, as many as there are.
named::Names letters(size_t count) {
    named::Names names;
    for (size_t k = 0; k < count; ++k) names.push_back(std::string(1, static_cast<char>('a' + k)));
    return names;
}

std::string options_of(const dense::Setup& setup, const Plan& plan) {
    std::string options = option_text(placed(13), setup, plan);
    options.replace(options.find("loss=logistic"), strlen("loss=logistic"), "loss=multinomial");
    return named::same_options(options);
}

sparselin::Model learn_together(const Rows& rows, size_t classes, const dense::Setup& setup, const Plan& plan) {
    const named::Names names = letters(classes);
    Part part(static_cast<LearnerKind>(setup.learner), options_of(setup, plan), LabelKind::text, plan.window);
    return Writing{names}.take(part, rows).finish();
}

void expect_equal(const sparselin::Model& found, const dense::Multinomial& expected, const dense::Dense& scale = {}) {
    long double largest = 0;
    std::vector<int32_t> features;
    for (size_t j = 0; j < expected.w[0].size(); ++j) features.push_back(static_cast<int32_t>(j));
    const auto weight = [&](size_t c, size_t j) { return expected.w[c][j] / (scale.empty() ? 1 : scale[j]); };
    ASSERT_EQ(found.runs(), expected.w.size());
    for (size_t c = 0; c < found.runs(); ++c) {
        largest = std::max(largest, std::fabs(expected.b[c]));
        for (const size_t j : {size_t{0}, size_t{1}}) largest = std::max(largest, std::fabs(weight(c, j)));
    }
    for (size_t c = 0; c < found.runs(); ++c) {
        const std::vector<double> weights = named::weights_of_run(found, c, features);
        for (size_t j = 0; j < weights.size(); ++j)
            EXPECT_TRUE(near(weights[j], weight(c, j), largest)) << "weight " << j << " of class " << c;
        EXPECT_TRUE(near(found.bias[c], expected.b[c], largest)) << "bias of class " << c;
        EXPECT_TRUE(near(found.centred_bias[c], expected.centred_b[c], largest)) << "centred bias of class " << c;
    }
    EXPECT_TRUE(near(found.lambda, expected.lambda));
    EXPECT_TRUE(near(found.progressive_loss, expected.progressive_loss, 1));
    EXPECT_TRUE(near(sparselin::parse_options(found.options, parts::heap()).step_offset, expected.k)) << "step_offset";
    EXPECT_EQ(found.steps, static_cast<int64_t>(expected.steps));
}

void compare_classes(const Rows& rows, size_t classes, const dense::Setup& setup, const Plan& plan) {
    expect_equal(learn_together(rows, classes, setup, plan),
                 dense::learn_multinomial(rows, 13, classes, setup, order_of(rows, plan)));
}

// All learners, as the paper says and with the defaults.
void compare_each(const Rows& rows, size_t classes, const auto& change, const Plan& plan) {
    for (const Learner learner : all_learners)
        for (const auto& [k, q] : {std::pair(0.0, 0.0), {0.0, 2.0}, {50.0, 0.5}, {dense::automatic, 2.0}}) {
            SCOPED_TRACE(name_of(learner) + " k=" + std::to_string(k) + " classes=" + std::to_string(classes));
            dense::Setup setup = setup_of(learner, Loss::logistic, k, q);
            change(setup);
            compare_classes(rows, classes, setup, plan);
        }
}

void compare_each(const Rows& rows, size_t classes, const auto& change) {
    compare_each(rows, classes, change, Plan{3});
}

void as_it_is(dense::Setup&) {}

}  // namespace

TEST(Multinomial, EqualsTheDenseReference) {
    for (const size_t classes : {1, 2, 3, 7})
        for (const uint64_t seed : {1, 2})
            for (const bool replacement : {false, true})
                compare_each(named::rows(seed, 60, classes), classes, as_it_is, Plan{3, replacement, seed});
}

// Steps that are too long end where they would be: for all classes alike.
TEST(Multinomial, ShortensStepsThatAreTooLong) {
    for (const size_t classes : {2, 3, 7}) {
        Rows rows = named::rows(12, 60, classes);
        for (size_t i = 2; i < rows.size(); i += 6)
            for (auto& [position, value] : rows[i].features) value = static_cast<float>(value) * 40;
        for (const double above : {8.0, 2.0, 0.1})
            compare_each(rows, classes, [above](dense::Setup& setup) { setup.implicit_above = above; });
        dense::Setup setup = setup_of(Learner::asgd, Loss::logistic);
        setup.implicit_above = 0.1;
        EXPECT_GT(dense::learn_multinomial(rows, 13, classes, setup, order_of(rows, Plan{3})).heavy, 10u);
    }
}

TEST(Multinomial, WithoutAnInterceptToo) {
    for (const size_t classes : {2, 3, 7})
        compare_each(named::rows(3, 60, classes), classes, [](dense::Setup& setup) { setup.intercept = false; });
}

TEST(Multinomial, WithAutomaticLambdaAndAGivenCentre) {
    for (const size_t classes : {2, 3, 7})
        compare_each(named::rows(4, 60, classes), classes, [](dense::Setup& setup) {
            setup.lambda = dense::automatic;
            if (setup.learner == Learner::casgd) setup.center = dense::Dense(13, 0.125f);
        });
}

// Features of 2^10 beside those of 2^-60, with a step offset that takes them.
TEST(Multinomial, HugeAndTinyValues) {
    generated::Recipe recipe;
    recipe.rows = 60;
    recipe.dimension = 13;
    recipe.values = generated::Values::wide;
    Rows rows = generated::rows(recipe);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].label = static_cast<double>((i * i + i / 2) % 3);
    for (const Learner learner : all_learners) {
        SCOPED_TRACE(name_of(learner));
        compare_classes(rows, 3, setup_of(learner, Loss::logistic), Plan{3});
    }
}

TEST(Multinomial, StreamedAndSpilledToo) {
    for (const size_t count : {900, 1249, 1250, 1251, 3000}) {
        const Rows rows = named::rows(5, count, 3);
        compare_each(
            rows, 3,
            [](dense::Setup& setup) {
                setup.rows_for_k = 1000;
                if (setup.learner == Learner::casgd) setup.center = dense::Dense(13, 0.125f);
            },
            Plan{});
    }
    const Rows rows = named::rows(6, 900, 3);
    Plan spilled{2};
    spilled.window = 4000;
    for (const Learner learner : all_learners) {
        const dense::Setup setup = setup_of(learner, Loss::logistic);
        EXPECT_EQ(parts::bytes_of(learn_together(rows, 3, setup, spilled)),
                  parts::bytes_of(learn_together(rows, 3, setup, Plan{2})));
    }
}

// Learned on x_j / s_j, s_j being the standard deviation, zeros included, or the largest size.
TEST(Multinomial, Scaled) {
    for (const bool by_std : {true, false}) {
        Rows rows = named::rows(7, 60, 3);
        for (dense::Row& row : rows)
            for (auto& [position, value] : row.features)
                value = static_cast<float>(value * std::pow(10.0L, position % 5 - 2));
        const std::vector<dense::Row> present = dense::learned(rows);
        dense::Dense scale(13, 0);
        const dense::Dense mean = dense::mean_of(present, 13);
        for (const dense::Row& row : present) {
            const dense::Dense x = dense::dense_row(row, 13);
            for (size_t j = 0; j < 13; ++j)
                scale[j] =
                    by_std ? scale[j] + (x[j] - mean[j]) * (x[j] - mean[j]) / static_cast<long double>(present.size())
                           : std::max(scale[j], std::fabs(x[j]));
        }
        if (by_std)
            for (long double& its : scale) its = std::sqrt(its);
        Rows scaled = rows;
        for (dense::Row& row : scaled)
            for (auto& [position, value] : row.features) value /= scale[static_cast<size_t>(position)];
        for (const Learner learner : all_learners) {
            SCOPED_TRACE(name_of(learner) + (by_std ? " std" : " maxabs"));
            Plan plan{3};
            plan.more = by_std ? " scale=std" : " scale=maxabs";
            // The centre is that of the scaled rows, and the bias that of rows as they are: w.mu is the same.
            const dense::Setup setup = setup_of(learner, Loss::logistic);
            expect_equal(learn_together(rows, 3, setup, plan),
                         dense::learn_multinomial(scaled, 13, 3, setup, order_of(rows, plan)), scale);
        }
    }
}

// Nothing to tell apart.
TEST(Multinomial, OfOneClassAloneLearnsNothing) {
    for (const Learner learner : all_learners) {
        const sparselin::Model model =
            learn_together(named::rows(8, 60, 1), 1, setup_of(learner, Loss::logistic), Plan{3});
        EXPECT_EQ(model.classes.size(), 1u);
        EXPECT_EQ(model.runs(), 1u);
        EXPECT_EQ(model.index.size(), 0u);
        EXPECT_EQ(model.bias[0], 0);
        EXPECT_EQ(model.progressive_loss, 0);
    }
}

// Two classes start from w_0 = w_1 = 0 and have opposite slopes, since their shares add up to 1: so w_0 = -w_1 at every
// step, and D = w_1 - w_0 = 2 w_1. The share of class 1 is sigmoid(w_1.z - w_0.z) = sigmoid(D.z), and D takes twice
// the step of w_1,
//     D <- (t-1+k)/(t+k) D - omega (sigmoid(D.z) - [y = 1]) z / (lambda/2 (t+k)),
// which is that of the binary logistic run at lambda/2. The automatic k is the same: 1/2 / lambda = 1/4 / (lambda/2).
TEST(Multinomial, TwoClassesAreOneBinaryRunStepForStep) {
    const Rows rows = named::rows(9, 80, 2);
    Rows binary = rows;
    for (dense::Row& row : binary) row.label = row.label == 1 ? 1 : -1;
    for (const Learner learner : all_learners)
        for (const double k : {0.0, 50.0, dense::automatic})
            for (const size_t some : {1, 2, 3, 10, 80}) {
                SCOPED_TRACE(name_of(learner) + " k=" + std::to_string(k) + " rows=" + std::to_string(some));
                dense::Setup setup = setup_of(learner, Loss::logistic, k);
                setup.implicit_above = std::numeric_limits<double>::infinity();  // each goes its own way there
                const Plan plan{3};
                const auto two = learn_together({rows.begin(), rows.begin() + some}, 2, setup, plan);
                setup.lambda /= 2;
                const Learned one = learn_sparse({binary.begin(), binary.begin() + some}, placed(13), setup, plan);
                if (two.classes.size() == 1) continue;
                ASSERT_EQ(two.runs(), 2u);
                const auto first = named::weights_of_run(two, 0, placed(13)),
                           second = named::weights_of_run(two, 1, placed(13));
                for (size_t j = 0; j < 13; ++j) {
                    EXPECT_TRUE(near(first[j], -second[j], 1));
                    EXPECT_TRUE(near(second[j] - first[j], one.w[j], 1)) << j;
                }
                EXPECT_TRUE(near(two.bias[1] - two.bias[0], one.b, 1));
                EXPECT_TRUE(near(sparselin::parse_options(two.options, parts::heap()).step_offset, one.k()));
            }
}

// Of all w_0 and w_1 that differ by D the shortest are -D/2 and D/2, with |w_0|^2 + |w_1|^2 = |D|^2 / 2: so the minimum
// of F is where lambda/4 |D|^2 + mean log(1 + exp(-y D.z)) is least, which is the binary F at lambda/2. That one is
// found here by plain descent.
TEST(Multinomial, TwoClassesTendToTheBinaryMinimum) {
    Rows rows = named::rows(10, 40, 2);
    for (dense::Row& row : rows) row.weight = 1;
    const long double lambda = 0.1L;
    dense::Dense D(14, 0);
    for (int round = 0; round < 20000; ++round) {
        dense::Dense gradient = D;
        for (long double& its : gradient) its *= lambda / 2;
        for (const dense::Row& row : rows) {
            dense::Dense z = dense::dense_row(row, 13);
            z.push_back(1);
            const long double share = 1 / (1 + std::exp(-dense::dot(D, z)));
            for (size_t j = 0; j < 14; ++j) gradient[j] += (share - static_cast<long double>(row.label)) * z[j] / 40;
        }
        for (size_t j = 0; j < 14; ++j) D[j] -= 0.3L * gradient[j];
    }
    for (const Learner learner : {Learner::sgd, Learner::asgd}) {
        dense::Setup setup = setup_of(learner, Loss::logistic);
        setup.lambda = 0.1;
        const auto model = learn_together(rows, 2, setup, Plan{5000});
        const auto first = named::weights_of_run(model, 0, placed(13)),
                   second = named::weights_of_run(model, 1, placed(13));
        for (size_t j = 0; j < 13; ++j) EXPECT_NEAR(second[j] - first[j], static_cast<double>(D[j]), 1e-3) << j;
        EXPECT_NEAR(model.bias[1] - model.bias[0], static_cast<double>(D[13]), 1e-3);
    }
}

// Streams that go on, or are merged, do so with all classes.
TEST(Multinomial, GoesOnBitForBit) {
    const Rows rows = named::rows(11, 2600, 3);
    const named::Names names = letters(3);
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd})
        for (const size_t first : {300, 1700}) {
            const std::string options =
                named::same_options("loss=multinomial lambda=0.01 epochs=1 sampling=sequential") +
                (learner == LearnerKind::casgd ? " center={1:0.5}" : "");
            Part at_once(learner, options, LabelKind::text), begun(learner, options, LabelKind::text);
            const auto expected = parts::bytes_of(Writing{names}.take(at_once, rows).finish());
            const sparselin::Model before = Writing{names}.take(begun, rows, 0, first).finish();
            Part next(first == 300 ? parts::through_text(before) : parts::through_bytes(before));
            EXPECT_TRUE(parts::bytes_of(Writing{names}.take(next, rows, first).finish()) == expected);
        }
}

namespace {

// What it says, and what to do.
std::string refused(LearnerKind learner, const std::string& options, LabelKind labels) {
    try {
        Part(learner, options, labels);
    } catch (const sparselin::Error& error) {
        return std::string(error.message()) + " / " + error.hint();
    }
    return "";
}

}  // namespace

TEST(Multinomial, IsForThreeLearnersAndLabelsThatAreTexts) {
    const std::string options = "loss=multinomial";
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd}) {
        EXPECT_EQ(refused(learner, options, LabelKind::text), "");
        for (const LabelKind labels : {LabelKind::number, LabelKind::boolean})
            EXPECT_EQ(refused(learner, options, labels),
                      "loss multinomial needs labels of type text / Write label::text; for two classes that are "
                      "numbers or boolean choose loss logistic.");
    }
    for (const LearnerKind learner : {LearnerKind::onepass, LearnerKind::truncated, LearnerKind::elasticnet})
        for (const LabelKind labels : {LabelKind::number, LabelKind::boolean, LabelKind::text})
            EXPECT_EQ(refused(learner, options, labels),
                      std::string(sparselin::name_of(learner)) +
                          "_train has no loss \"multinomial\" / That loss is for sgd_train, asgd_train and "
                          "casgd_train.");
}
