// elasticnet_train against the dense reference: every weight and the bias to 1e-9, relative.
#include "learners/lazy_cases.h"

#include "learners/elasticnet.h"
#include "options/losses.h"
#include "support/learner_alone.h"

namespace {

using namespace lazy_cases;

ElasticNetSetup setup_with(bool fobos, double l1, double l2, double power = 0.5) {
    ElasticNetSetup setup;
    setup.fobos = fobos;
    setup.l1 = l1;
    setup.l2 = l2;
    setup.power = power;
    return setup;
}

std::vector<ElasticNetSetup> usual_setups() {
    std::vector<ElasticNetSetup> setups;
    for (const bool fobos : {false, true})
        for (const double l1 : {0.0, 0.02})
            for (const double l2 : {0.0, 0.05}) setups.push_back(setup_with(fobos, l1, l2));
    return setups;
}

TEST(ElasticNet, EqualsTheDenseReference) {
    for (const double power : {0.0, 0.3, 0.5, 1.0}) {
        std::vector<ElasticNetSetup> setups;
        for (const bool fobos : {false, true})
            for (const double l1 : {0.0, 1e-3, 0.03})
                for (const double l2 : {0.0, 0.01, 1.5}) setups.push_back(setup_with(fobos, l1, l2, power));
        compare_all({}, setups);
    }
}

// The cases above are about something.
TEST(ElasticNet, TheReferenceMakesWeightsZero) {
    for (const bool fobos : {false, true}) {
        size_t zeroed = 0;
        compare(generated::rows({}), 11, setup_with(fobos, 0.03, 0.01), Plan{3}, &zeroed);
        EXPECT_GT(zeroed, 5u);
    }
}

TEST(ElasticNet, NoIntercept) {
    auto setups = usual_setups();
    for (ElasticNetSetup& setup : setups) setup.intercept = false;
    compare_all({}, setups);
    for (const ElasticNetSetup& setup : setups)
        EXPECT_EQ(learn_sparse(generated::rows({}), placed(11), setup, Plan{}).b, 0);
}

TEST(ElasticNet, OddRows) {
    compare_on_odd_rows(usual_setups());
}
TEST(ElasticNet, WideValues) {
    std::vector<ElasticNetSetup> setups;
    for (const bool fobos : {false, true})
        for (const double l1 : {0.0, 1e-3, 1.0})
            for (const double l2 : {0.0, 1.0, 1e6}) setups.push_back(setup_with(fobos, l1, l2));
    compare_on_wide_values(setups);
}
TEST(ElasticNet, StorageIsNoMatter) {
    expect_storage_is_no_matter(usual_setups());
}
TEST(ElasticNet, RowsOfWeightZeroChangeNothing) {
    for (const ElasticNetSetup& setup : usual_setups()) expect_rows_of_weight_zero_change_nothing(setup);
}

// By hand, in numbers without rounding: absolute loss, eta = 1/2, so that a step moves its feature by 1/2.
TEST(ElasticNet, ByHand) {
    ElasticNetSetup setup = setup_with(false, 0.125, 0.5, 0);
    setup.loss = Loss::absolute;
    const std::vector<dense::Row> rows = {{{{0, 1}}, 9, 1}, {{{1, -1}}, 9, 1}};
    // 3/4 * 1/2 - 1/16 = 5/16, and again: 15/64 - 4/64 = 11/64.
    EXPECT_EQ(learn_sparse(rows, placed(2), setup, Plan{}).w, (std::vector<double>{0.171875, -0.3125}));
    EXPECT_EQ(learn_sparse(rows, placed(2), setup, Plan{}).b, 1);
    setup.fobos = true;
    setup.l2 = 2;
    // (1/2 - 1/16) / 2 = 7/32, and again: (14/64 - 4/64) / 2 = 5/64.
    EXPECT_EQ(learn_sparse(rows, placed(2), setup, Plan{}).w, (std::vector<double>{0.078125, -0.21875}));
}

// Large l2, with P falling by orders of magnitude a step: rebased over and over.
TEST(ElasticNet, HugeShrinking) {
    for (const double l2 : {1.99, 1e3, 1e20, 1e200}) {
        compare_all({}, std::vector{setup_with(true, 0.001, l2, 0), setup_with(true, 0, l2)});
        if (l2 < 2) compare_all({}, std::vector{setup_with(false, 0.001, l2, 0), setup_with(false, 0, l2)});
    }
}

sparselin::Settings settings_of(const ElasticNetSetup& setup) {
    sparselin::Settings settings{};
    settings.intercept = setup.intercept;
    settings.method = setup.fobos ? sparselin::Method::fobos : sparselin::Method::sgd;
    settings.lambda = setup.l2;
    settings.l1 = setup.l1;
    settings.eta0 = setup.eta0;
    settings.power = setup.power;
    return settings;
}

// The learner itself on generated rows, with bounds of its own for P and for the pull.
class Rebasing {
public:
    Rebasing(const ElasticNetSetup& setup, double least_P, double most_pull) : net_(settings_of(setup)) {
        net_.learner.least_P = least_P;
        net_.learner.most_pull = most_pull;
    }

    // Interrupted before a step when a flag is given: the step is taken when it is called again.
    void step(const dense::Row& row, volatile std::sig_atomic_t* flag = nullptr) {
        std::vector<int32_t> index;
        std::vector<float> value;
        for (const auto& [position, number] : row.features) {
            index.push_back(position);
            value.push_back(number);
        }
        const sparselin::SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        const double P = net_.learner.P, B = net_.learner.B;
        const int64_t t = net_.learner.schedule.t;
        if (flag != nullptr) {
            *flag = 1;
            try {
                net_.step(sparselin::LogisticLoss{}, sparselin::Example{x, row.label, row.weight},
                          sparselin::StopSign(flag));
            } catch (const sparselin::Interrupted&) {
                ++interrupted;
            }
            *flag = 0;
        }
        if (net_.learner.schedule.t == t)
            net_.step(sparselin::LogisticLoss{}, sparselin::Example{x, row.label, row.weight}, sparselin::StopSign());
        rebased += net_.learner.P > P || (net_.learner.l1 > 0 && net_.learner.B <= B);
    }

    std::vector<double> weights() const {
        std::vector<double> w = {net_.learner.bias()};
        for (int32_t j = 0; j < 11; ++j) w.push_back(net_.weight(j));
        return w;
    }

    size_t rebased = 0, interrupted = 0;

private:
    sparselin::LearnerAlone<sparselin::ElasticNet> net_;
};

std::vector<dense::Row> many_rows() {
    generated::Recipe recipe;
    recipe.rows = 3000;
    return generated::rows(recipe);
}

// How often cells are made anew is no part of the result.
TEST(ElasticNet, RebasingChangesNothing) {
    for (ElasticNetSetup setup : usual_setups()) {
        if (setup.l2 == 0) continue;
        setup.power = 0.25;
        Rebasing never(setup, 0, dense::infinite), often(setup, 0.9, dense::infinite), always(setup, 2, 1);
        for (const dense::Row& row : many_rows()) {
            never.step(row);
            often.step(row);
            always.step(row);
        }
        EXPECT_EQ(never.rebased, 0u);
        EXPECT_GT(often.rebased, 50u);
        EXPECT_GT(always.rebased, 2500u);
        const auto expected = never.weights();
        for (const Rebasing* other : {&often, &always})
            for (size_t j = 0; j < expected.size(); ++j)
                EXPECT_NEAR(other->weights()[j], expected[j], 1e-12 * std::fabs(expected[j])) << j;
    }
}

TEST(ElasticNet, RebasingForThePullChangesNothing) {
    for (const bool fobos : {false, true}) {
        ElasticNetSetup setup = setup_with(fobos, 0.002, 1e-3, 0.25);
        Rebasing never(setup, 0, dense::infinite), often(setup, 0, 0.01);
        for (const dense::Row& row : many_rows()) {
            never.step(row);
            often.step(row);
        }
        EXPECT_EQ(never.rebased, 0u);
        EXPECT_GT(often.rebased, 10u);
        const auto expected = never.weights();
        for (size_t j = 0; j < expected.size(); ++j)
            EXPECT_NEAR(often.weights()[j], expected[j], 1e-12 * std::fabs(expected[j])) << j;
    }
}

// When features are rebased goes by the step size of the step before.
TEST(ElasticNet, ResumesWithTheStepSizeOfItsLastStep) {
    sparselin::Settings settings{};
    settings.eta0 = 0.7;
    settings.power = 0.3;
    sparselin::PowerSchedule run(settings), resumed(settings);
    for (int t = 0; t < 7; ++t) run.advance();
    resumed.resume(7);
    EXPECT_EQ(resumed.eta, run.eta);
}

// A pull of 2500 a step, as large labels may want: one walk in a thousand steps is enough for it.
TEST(ElasticNet, LargePullIsRarelyRebased) {
    for (const bool fobos : {false, true}) {
        ElasticNetSetup setup = setup_with(fobos, 2500 / setup_with(fobos, 0, 0).eta0, 1e-4);
        setup.power = 0;
        Rebasing net(setup, 1e-100, 1e3);
        for (const dense::Row& row : many_rows()) net.step(row);
        EXPECT_GE(net.rebased, 1u);
        EXPECT_LE(net.rebased, 4u);
    }
}

// A step whose rebasing is interrupted is repeated: the same bits.
TEST(ElasticNet, InterruptedRebasingIsRepeated) {
    ElasticNetSetup setup = setup_with(false, 0.01, 0.05);
    Rebasing plain(setup, 0.9, 1), stopped(setup, 0.9, 1);
    volatile std::sig_atomic_t flag = 0;
    for (const dense::Row& row : many_rows()) {
        plain.step(row);
        stopped.step(row, &flag);
        ASSERT_EQ(stopped.rebased, plain.rebased);
    }
    EXPECT_GT(stopped.interrupted, 20u);
    EXPECT_EQ(stopped.weights(), plain.weights());
}

TEST(ElasticNet, HugePull) {
    for (const bool fobos : {false, true})
        for (const double l1 : {1e3, 1e150, 1.7e308})
            for (const double l2 : {0.0, 0.5}) compare_all({}, std::vector{setup_with(fobos, l1, l2)});
}

}  // namespace
