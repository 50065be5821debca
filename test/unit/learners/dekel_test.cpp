// The three learners against the dense reference: every weight and the bias to 1e-9, relative.
#include "learners/dekel_cases.h"
#include "learners/published_checks.h"

#include <tuple>

namespace {

using namespace dekel_cases;

struct Schedule {
    double k, q;
    const char* name;
};

constexpr Schedule schedules[] = {
    {0, 0, "paper"}, {0, 2, "power2"}, {50, 0, "offset50"}, {dense::automatic, 2, "auto"}};

using Case = std::tuple<Learner, Loss, Schedule, size_t, bool>;

class Dekel : public ::testing::TestWithParam<Case> {};

TEST_P(Dekel, EqualsTheDenseReference) {
    const auto& [learner, loss, schedule, epochs, replacement] = GetParam();
    for (const uint64_t seed : {1, 2, 3}) {
        SCOPED_TRACE(seed);
        const generated::Recipe recipe = recipe_for(loss, seed);
        compare(generated::rows(recipe), static_cast<size_t>(recipe.dimension),
                setup_of(learner, loss, schedule.k, schedule.q), Plan{epochs, replacement, seed});
    }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    const auto& [learner, loss, schedule, epochs, replacement] = info.param;
    return name_of(learner) + "_" + name_of(loss) + "_" + schedule.name + "_epochs" + std::to_string(epochs) +
           (replacement ? "_replacement" : "_sequential");
}

INSTANTIATE_TEST_SUITE_P(All, Dekel,
                         ::testing::Combine(::testing::ValuesIn(all_learners), ::testing::ValuesIn(all_losses),
                                            ::testing::ValuesIn(schedules), ::testing::Values(size_t{1}, size_t{3}),
                                            ::testing::Bool()),
                         case_name);

TEST(DekelPublished, BothChecks) {
    for (const PublishedCheck& check : published_checks())
        for (const Learner learner : {Learner::asgd, Learner::casgd}) {
            dense::Setup setup = setup_of(learner, check.loss, 0, 0);
            setup.lambda = check.lambda;
            const PublishedModel& expected = learner == Learner::asgd ? check.asgd : check.casgd;
            const Learned found = learn_sparse(published_rows(), placed(5), setup, Plan{check.epochs});
            for (size_t j = 0; j < 5; ++j) EXPECT_TRUE(near(found.w[j], expected.w[j])) << name_of(learner) << j;
            EXPECT_TRUE(near(found.b, expected.b)) << name_of(learner);
        }
}

// Where the indices lie is a matter of storage alone: the same bits.
TEST(DekelStorage, ScatteredIndicesGiveTheSameNumbers) {
    const generated::Recipe recipe;
    const std::vector<int32_t> scattered = {0,         1,          77777,      1000000,    123456789, 123456790,
                                            999999999, 1500000000, 2000000000, 2147483645, 2147483646};
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses) {
            const auto rows = generated::rows(recipe_for(loss, 5));
            const Plan plan{3};
            const dense::Setup setup = setup_of(learner, loss);
            const Learned dense_range = learn_sparse(rows, placed(11), setup, plan);
            const Learned sparse_range = learn_sparse(rows, scattered, setup, plan);
            EXPECT_EQ(dense_range.w, sparse_range.w) << name_of(learner) << " " << name_of(loss);
            EXPECT_EQ(dense_range.b, sparse_range.b) << name_of(learner) << " " << name_of(loss);
        }
}

// Rows that are learned from as they arrive: the automatic offset comes from the first 1000 that count.
TEST(DekelStreaming, EqualsTheDenseReference) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses)
            for (const size_t count : {999, 1000, 1001, 2500}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(count));
                generated::Recipe recipe = recipe_for(loss, 4);
                recipe.rows = count;
                recipe.weighted = true;
                auto rows = generated::rows(recipe);
                if (count > 1300) rows[1300].features = {{3, 3.0f}};  // beyond those that are looked at
                dense::Setup setup = setup_of(learner, loss);
                setup.rows_for_k = 1000;
                if (learner == Learner::casgd) setup.center = dense::Dense(11, 0.125f);
                compare(rows, 11, setup, Plan{});
            }
}

// The file makes no difference: the same bits.
TEST(DekelStorage, SpilledRowsGiveTheSameNumbers) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses)
            for (const bool replacement : {false, true}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
                generated::Recipe recipe = recipe_for(loss, 6);
                recipe.rows = 3000;
                const auto rows = generated::rows(recipe);
                const dense::Setup setup = setup_of(learner, loss);
                Plan plan{2, replacement};
                const Learned in_memory = learn_sparse(rows, placed(11), setup, plan);
                plan.window = 20000;
                const Learned spilled = learn_sparse(rows, placed(11), setup, plan);
                EXPECT_EQ(in_memory.blocks_written, 0u);
                EXPECT_GT(spilled.blocks_written, 2u);
                EXPECT_EQ(spilled.w, in_memory.w);
                EXPECT_EQ(spilled.b, in_memory.b);
                EXPECT_EQ(spilled.k(), in_memory.k());
                EXPECT_EQ(spilled.progressive_loss, in_memory.progressive_loss);
            }
}

}  // namespace
