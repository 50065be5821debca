// 10^8 steps: sums that are never rebased neither overflow nor lose what matters.
#include "engine/bank.h"

#include <cmath>

#include <gtest/gtest.h>

namespace sparselin {
namespace {

constexpr int64_t steps = 100000000;

Settings long_settings(LearnerKind learner) {
    Settings settings{};
    settings.learner = learner;
    settings.loss = Loss::squared;
    settings.intercept = true;
    settings.lambda = 0.01;
    settings.step_offset = 400;
    settings.average_power = 2;
    return settings;
}

// Step t is row t mod 3: feature 0, feature 1, or both, with labels that no model fits.
struct Rows {
    int32_t index[2] = {0, 1};
    float value[2] = {1, -0.5};
    SparseRow row[3] = {{index, value, 1, 0}, {index + 1, value + 1, 1, 0}, {index, value, 2, 0}};
    double label[3] = {1, 3, -2};
};

// The iterate and its weighted mean, every step in full: w = (w_0, w_1, b).
struct Dense {
    long double w[3] = {}, sum[3] = {}, Omega = 0;

    void step(int64_t t, const SparseRow& row, double y) {
        long double x[3] = {0, 0, 1};
        for (int32_t i = 0; i < row.nnz; ++i) x[row.index[i]] = row.value[i];
        const long double g = w[0] * x[0] + w[1] * x[1] + w[2] - y;
        const long double after = t + 400.0L, power = static_cast<long double>(t) * t;
        for (int j = 0; j < 3; ++j) {
            w[j] = (after - 1) / after * w[j] - g * x[j] / (0.01L * after);
            sum[j] += power * w[j];
        }
        Omega += power;
    }
};

TEST(DekelLong, HundredMillionSteps) {
    const Memory memory = std::pmr::get_default_resource();
    const Rows rows;
    Bank bank(long_settings(LearnerKind::asgd), memory);
    bank.begin(StopSign());
    Dense dense;
    for (int64_t t = 1; t <= steps; ++t) {
        bank.learn({rows.row[t % 3], rows.label[t % 3], 1}, StopSign());
        dense.step(t, rows.row[t % 3], rows.label[t % 3]);
    }
    Model model(memory);
    bank.write_model(model, StopSign());
    ASSERT_EQ(model.weight.size(), 2u);
    for (size_t j = 0; j < 2; ++j) {
        const double expected = static_cast<double>(dense.sum[j] / dense.Omega);
        EXPECT_NEAR(model.weight[j], expected, 1e-9 * std::fabs(expected));
    }
    const double bias = static_cast<double>(dense.sum[2] / dense.Omega);
    EXPECT_NEAR(model.bias[0], bias, 1e-9 * std::fabs(bias));
}

}  // namespace
}  // namespace sparselin
