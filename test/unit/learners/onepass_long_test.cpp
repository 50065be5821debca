// 10^8 steps of onepass_train: sums that are folded now and then neither overflow nor lose what matters.
#include "engine/bank.h"

#include <cmath>

#include <gtest/gtest.h>

namespace sparselin {
namespace {

constexpr int64_t steps = 100000000;
constexpr double lambda = 0.01, decay_rate = 0.01;

Settings long_settings(double gamma0, double average_start) {
    Settings settings{};
    settings.learner = LearnerKind::onepass;
    settings.loss = Loss::squared;
    settings.lambda = lambda;
    settings.gamma0 = gamma0;
    settings.decay = 0.75;
    settings.decay_rate = decay_rate;
    settings.average_start = average_start;
    return settings;
}

// One feature that is always 0.5, with three labels in turn: theta and its mean, every step in full.
struct Scalar {
    long double gamma0, theta = 0, sum = 0;

    void step(int64_t t, double y) {
        const long double root = std::sqrt(1 + static_cast<long double>(decay_rate) * gamma0 * t);
        const long double gamma = gamma0 / (root * std::sqrt(root));
        theta = (1 - static_cast<long double>(lambda) * gamma) * theta - gamma * (theta / 2 - y) / 2;
        sum += theta;
    }
};

// The weight that the learner and the recursion end with.
void compare(double gamma0, double average_start, const double (&label)[3]) {
    const Memory memory = std::pmr::get_default_resource();
    const int32_t index = 7;
    const float value = 0.5;
    Bank bank(long_settings(gamma0, average_start), memory);
    bank.begin(StopSign());
    Scalar scalar{gamma0};
    for (int64_t t = 1; t <= steps; ++t) {
        bank.learn({{&index, &value, 1, 0}, label[t % 3], 1}, StopSign());
        scalar.step(t, label[t % 3]);
    }
    Model model(memory);
    bank.write_model(model, StopSign());
    Options options(memory);
    bank.note_options(0, options);
    const bool averages = !is_automatic(options.average_start);
    EXPECT_EQ(averages, !is_automatic(average_start));
    const double expected = static_cast<double>(averages ? scalar.sum / steps : scalar.theta);
    ASSERT_EQ(model.weight.size(), 1u);
    EXPECT_NEAR(model.weight[0], expected, 1e-6 * std::fabs(expected));
}

TEST(OnepassLong, HundredMillionStepsAveraged) {
    compare(0.5, 0, {1, 3, -2.5});
}

// Steps so small that the running mean lags behind to the end.
TEST(OnepassLong, HundredMillionStepsOfSearching) {
    compare(1e-9, automatic, {1, 1, 1});
}

}  // namespace
}  // namespace sparselin
