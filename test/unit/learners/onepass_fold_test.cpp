// Folds of Xu's sums: they change no number, can be interrupted anywhere, and are rare.
#include "support/generated_rows.h"
#include "options/losses.h"
#include "learners/onepass.h"
#include "support/learner_alone.h"
#include "support/timer.h"

#include <bit>
#include <optional>

#include <gtest/gtest.h>

namespace {

using namespace sparselin;

Settings settings_with(double lambda, double average_start) {
    Settings settings{};
    settings.learner = LearnerKind::onepass;
    settings.loss = Loss::logistic;
    settings.intercept = true;
    settings.lambda = settings.decay_rate = lambda;
    settings.gamma0 = 0.25;
    settings.decay = 0.75;
    settings.average_start = average_start;
    return settings;
}

void learn(LearnerAlone<Onepass>& run, const dense::Row& row, StopSign stop = StopSign()) {
    std::vector<int32_t> index;
    std::vector<float> value;
    for (const auto& [position, number] : row.features) {
        index.push_back(position);
        value.push_back(number);
    }
    const SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
    run.step(LogisticLoss{}, Example{x, row.label, row.weight}, stop);
}

// Every number of the learner's.
std::vector<uint64_t> bits_of(const LearnerAlone<Onepass>& run) {
    std::vector<uint64_t> bits;
    for (const double* number : Onepass::state_of(run.learner)) bits.push_back(std::bit_cast<uint64_t>(*number));
    run.features.walk(StopSign(), [&](int32_t index, const Onepass::Cell& cell) {
        bits.push_back(static_cast<uint64_t>(index));
        for (const double number : {cell.u, cell.u_hat}) bits.push_back(std::bit_cast<uint64_t>(number));
    });
    return bits;
}

std::vector<double> model_of(const LearnerAlone<Onepass>& run) {
    std::vector<double> model = {run.learner.bias()};
    run.features.walk(StopSign(),
                      [&](int32_t, const Onepass::Cell& cell) { model.push_back(run.learner.weight(cell)); });
    return model;
}

// Notices a fold by what it does to A and R.
struct FoldCounter {
    size_t searching = 0, averaging = 0;

    void learn_and_count(LearnerAlone<Onepass>& run, const dense::Row& row) {
        const bool had_sums = run.learner.average.A != 0;
        const bool searches = run.learner.average.searching();
        const double R = run.learner.average.R, A = run.learner.average.A;
        learn(run, row);
        if (had_sums && searches && run.learner.average.R > R) ++searching;
        if (had_sums && !searches && run.learner.average.A < A) ++averaging;
    }
};

std::vector<dense::Row> many_rows(size_t count) {
    return generated::rows({.seed = 3, .rows = count});
}

TEST(OnepassFold, ChangesNoNumber) {
    const auto rows = many_rows(3000);
    for (const double average_start : {0.0, 100.0, 1e6, automatic}) {
        SCOPED_TRACE(average_start);
        LearnerAlone<Onepass> seldom(settings_with(0.01, average_start));
        LearnerAlone<Onepass> often(settings_with(0.01, average_start));
        often.learner.average.largest_alpha = 1.01;
        often.learner.average.smallest_R = 0.95;
        FoldCounter few, many;
        for (const dense::Row& row : rows) {
            few.learn_and_count(seldom, row);
            many.learn_and_count(often, row);
            const std::vector<double> expected = model_of(seldom), found = model_of(often);
            ASSERT_EQ(found.size(), expected.size());
            double largest = 0;
            for (const double number : expected) largest = std::max(largest, std::fabs(number));
            for (size_t j = 0; j < found.size(); ++j)
                ASSERT_NEAR(found[j], expected[j], 1e-12 * largest) << often.learner.schedule.t;
        }
        EXPECT_EQ(often.learner.average.t0, seldom.learner.average.t0);
        EXPECT_LE(few.searching + few.averaging, 1u);
        EXPECT_GE(many.searching, is_automatic(average_start) ? 10u : 0u);
        EXPECT_GE(many.averaging, average_start < 1e6 || is_automatic(average_start) ? 100u : 0u);
    }
}

// theta^ itself, which no model shows.
TEST(OnepassFold, KeepsTheRunningMean) {
    const auto rows = many_rows(1000);
    LearnerAlone<Onepass> seldom(settings_with(0.01, automatic));
    LearnerAlone<Onepass> often(settings_with(0.01, automatic));
    often.learner.average.largest_alpha = 1.1;
    often.learner.average.smallest_R = 0.95;
    for (const dense::Row& row : rows) {
        learn(seldom, row);
        learn(often, row);
        if (!seldom.learner.average.searching()) break;
        const double expected = seldom.learner.average.theta_hat(seldom.learner.bias_cell);
        ASSERT_NEAR(often.learner.average.theta_hat(often.learner.bias_cell), expected, 1e-12 * std::fabs(expected));
        ASSERT_NEAR(often.learner.average.m_hat, seldom.learner.average.m_hat, 1e-12 * seldom.learner.average.m_hat);
    }
    EXPECT_GE(seldom.learner.schedule.t, 100);
}

// Some of the features, in order of index.
std::vector<double> sample(const LearnerAlone<Onepass>& run, int32_t features) {
    std::vector<double> u;
    for (int32_t j = 0; j < features; j += 1000) u.push_back(run.features.find(j)->u);
    return u;
}

// Steps that fold millions of features each. Returns how often one was interrupted with some of them made anew and
// some not.
size_t fold_and_fold(LearnerAlone<Onepass>& run, bool interrupt) {
    constexpr int32_t features = 1 << 22;
    run.learner.average.largest_alpha = 1;
    dense::Row everything, one = {{{5, 1.0f}}, -1, 1};
    for (int32_t j = 0; j < features; ++j) everything.features.emplace_back(j, 0.001f * static_cast<float>(1 + j % 7));
    learn(run, everything);
    size_t in_the_middle = 0;
    for (int step = 0; step < 20; ++step) {
        const std::vector<double> before = sample(run, features);
        std::optional<Timer> timer;
        if (interrupt) timer.emplace();
        for (bool done = false; !done;) {
            try {
                learn(run, one, StopSign(&Timer::raised));
                done = true;
            } catch (const Interrupted&) {
                const std::vector<double> now = sample(run, features);
                size_t same = 0;
                for (size_t j = 0; j < now.size(); ++j) same += now[j] == before[j];
                in_the_middle += same != 0 && same != now.size();
                Timer::raised = 0;
            }
        }
    }
    return in_the_middle;
}

TEST(OnepassFold, InterruptedAndGoneOnGivesTheSameBits) {
    for (const double average_start : {0.0, automatic}) {
        Timer::raised = 0;
        LearnerAlone<Onepass> undisturbed(settings_with(0.01, average_start));
        fold_and_fold(undisturbed, false);
        LearnerAlone<Onepass> disturbed(settings_with(0.01, average_start));
        EXPECT_GT(fold_and_fold(disturbed, true), 0u);
        EXPECT_TRUE(bits_of(disturbed) == bits_of(undisturbed));
    }
}

FoldCounter count_folds(const Settings& settings, size_t steps) {
    const auto rows = many_rows(1000);
    LearnerAlone<Onepass> learner(settings);
    FoldCounter folds;
    for (size_t t = 0; t < steps; ++t) folds.learn_and_count(learner, rows[t % rows.size()]);
    return folds;
}

// alpha is exp(sum of lambda gamma_t), about exp(4 (1 + lambda gamma0 t)^(1/4)); a search folds when .99^t is below
// 1e-200.
TEST(OnepassFold, IsRare) {
    constexpr size_t steps = 1000000;
    EXPECT_EQ(count_folds(settings_with(1e-5, 0), steps).averaging, 0u);
    EXPECT_EQ(count_folds(settings_with(0.01, 0), steps).averaging, 3u);
    Settings never_better = settings_with(1e-5, automatic);
    never_better.gamma0 = 1e-9;
    EXPECT_EQ(count_folds(never_better, steps).searching, steps / 45821);
}

}  // namespace
