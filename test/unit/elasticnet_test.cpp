// elasticnet_train against the dense reference: every weight and the bias to 1e-9, relative.
#include "lazy_cases.h"

#include "elasticnet.h"
#include "losses.h"

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

TEST(ElasticNet, HugePull) {
    for (const bool fobos : {false, true})
        for (const double l1 : {1e3, 1e150, 1.7e308})
            for (const double l2 : {0.0, 0.5}) compare_all({}, std::vector{setup_with(fobos, l1, l2)});
}

}  // namespace
