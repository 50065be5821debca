// truncated_train against the dense reference: every weight and the bias to 1e-9, relative.
#include "learners/lazy_cases.h"

#include "support/counting_memory.h"
#include "options/losses.h"
#include "learners/truncated.h"

namespace {

using namespace lazy_cases;

TruncatedSetup setup_with(double gravity, double threshold = dense::infinite, size_t every = 3, double power = 0.5) {
    TruncatedSetup setup;
    setup.gravity = gravity;
    setup.threshold = threshold;
    setup.truncate_every = every;
    setup.power = power;
    return setup;
}

TruncatedSetup rounding(double threshold, size_t every = 3, double power = 0.5) {
    TruncatedSetup setup = setup_with(0, threshold, every, power);
    setup.rounds = true;
    return setup;
}

// Both methods, with some weights beyond the threshold.
std::vector<TruncatedSetup> usual_setups() {
    return {setup_with(0.02), setup_with(0.02, 0.2, 1), rounding(0.05)};
}

TEST(Truncated, EqualsTheDenseReference) {
    for (const size_t every : {1, 3, 10})
        for (const double power : {0.0, 0.5, 1.0}) {
            std::vector<TruncatedSetup> setups;
            for (const double threshold : {0.0, 0.1, dense::infinite})
                for (const double gravity : {0.0, 1e-3, 0.05})
                    setups.push_back(setup_with(gravity, threshold, every, power));
            for (const double threshold : {0.0, 0.01, 0.1}) setups.push_back(rounding(threshold, every, power));
            compare_all({}, setups);
        }
}

// The cases above are about something: weights are pulled, become 0, and lie beyond the threshold.
TEST(Truncated, TheReferenceTruncates) {
    for (const TruncatedSetup& setup : {setup_with(0.02, 0.2, 1), setup_with(1e-3, 0.1), rounding(0.05)}) {
        dense::TruncatedEvents events;
        const auto rows = generated::rows({});
        compare(rows, 11, setup, Plan{3}, &events);
        EXPECT_GT(events.beyond, 20u);
        EXPECT_GT(events.zeroed, 0u);
        EXPECT_EQ(events.pulled > 20, !setup.rounds);
    }
}

// No weight lives through a pull this strong.
TEST(Truncated, GravityBeyondAllWeights) {
    TruncatedSetup setup = setup_with(1e3, dense::infinite, 1);
    setup.intercept = false;
    const Learned found = learn_sparse(generated::rows({}), placed(11), setup, Plan{3});
    EXPECT_EQ(found.nonzero, 0u);
    for (const double gravity : {1e3, 1e150, 1.7e308})
        for (const size_t every : {size_t{1}, size_t{10}, size_t{1000000000}}) {
            setup.gravity = gravity;
            setup.truncate_every = every;
            compare(generated::rows({}), 11, setup, Plan{3});
        }
}

TEST(Truncated, Clipping) {
    for (const Loss loss : all_losses)
        for (const double low : {-dense::infinite, -100.0, -0.1, 0.05})
            for (const double high : {dense::infinite, 100.0, 0.1}) {
                TruncatedSetup setup = setup_with(0.01);
                setup.loss = loss;
                setup.clip_min = low;
                setup.clip_max = high;
                dense::TruncatedEvents events;
                compare(generated::rows(recipe_for(loss, 2)), 11, setup, Plan{3}, &events);
                EXPECT_EQ(events.clipped_below > 0, low > -1);
                EXPECT_EQ(events.clipped_above > 0, high < 1);
            }
}

TEST(Truncated, NoIntercept) {
    auto setups = usual_setups();
    for (TruncatedSetup& setup : setups) setup.intercept = false;
    compare_all({}, setups);
    for (const TruncatedSetup& setup : setups)
        EXPECT_EQ(learn_sparse(generated::rows({}), placed(11), setup, Plan{}).b, 0);
}

TEST(Truncated, OddRows) {
    compare_on_odd_rows(usual_setups());
}
TEST(Truncated, WideValues) {
    compare_on_wide_values(std::vector{setup_with(0.02), setup_with(1, 1e-6, 1), rounding(1e-7)});
}
TEST(Truncated, StorageIsNoMatter) {
    expect_storage_is_no_matter(usual_setups());
}
TEST(Truncated, RowsOfWeightZeroChangeNothing) {
    for (const TruncatedSetup& setup : usual_setups()) expect_rows_of_weight_zero_change_nothing(setup);
}

// By hand, in numbers without rounding: eta = 1/2, each step moves the bias and its feature by 1/4.
TEST(Truncated, ByHand) {
    TruncatedSetup setup = setup_with(0.125, 0.25, 2, 0);
    setup.loss = Loss::absolute;
    setup.eta0 = 0.25;
    const std::vector<dense::Row> rows = {{{{0, 1}}, 9, 1}, {{{1, 1}}, 9, 1}, {{{1, 1}}, 9, 1}, {{}, 9, 1}};
    const Learned found = learn_sparse(rows, placed(2), setup, Plan{});
    // Step 2 pulls both by 1/4 * 2 * 1/8 = 1/16, both being within 1/4: 3/16. Step 3 takes the second to 7/16, beyond
    // 1/4. Step 4 pulls the first.
    EXPECT_EQ(found.w, (std::vector<double>{0.125, 0.4375}));
    EXPECT_EQ(found.b, 1);
    setup.gravity = 0;
    setup.rounds = true;
    EXPECT_EQ(learn_sparse(rows, placed(2), setup, Plan{}).w, (std::vector<double>{0, 0}));
    setup.threshold = 0.2;
    EXPECT_EQ(learn_sparse(rows, placed(2), setup, Plan{}).w, (std::vector<double>{0.25, 0.5}));
}

}  // namespace
