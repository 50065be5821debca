// truncated_train and elasticnet_train for long: 10^8 steps beside the definition, and ten million features.
#include "learners/lazy_memory.h"

#include <cmath>

namespace sparselin {
namespace {

constexpr int64_t steps = 100000000;

// Step t is row t mod 3: feature 0, feature 1, or both, with labels that no model fits; feature 2 comes by in one of
// a million.
struct Rows {
    int32_t index[3] = {0, 1, 2};
    float value[3] = {1, -0.5, 1};
    SparseRow rows[4] = {
        {index, value, 1, 0}, {index + 1, value + 1, 1, 0}, {index, value, 2, 0}, {index + 2, value + 2, 1, 0}};
    double labels[4] = {1, 3, -2, 5};
    static int64_t kind(int64_t t) { return t % 1000000 == 0 ? 3 : t % 3; }
};

// w = (w_0, w_1, w_2) and b, every step in full, squared loss.
struct Dense {
    long double w[3] = {}, b = 0, eta = 0;

    void step(const Settings& settings, int64_t t, const SparseRow& row, double y) {
        eta = settings.power == 0 ? settings.eta0
                                  : settings.eta0 / (settings.power == 1 ? static_cast<long double>(t)
                                                                         : std::sqrt(static_cast<long double>(t)));
        long double g = b - y;
        for (int32_t i = 0; i < row.nnz; ++i) g += w[row.index[i]] * row.value[i];
        for (int32_t i = 0; i < row.nnz; ++i) w[row.index[i]] -= eta * g * row.value[i];
        b -= eta * g;
        for (long double& weight : w) weight = std::copysign(shrunk(settings, t, std::fabs(weight)), weight);
    }

    long double shrunk(const Settings& settings, int64_t t, long double size) const {
        switch (settings.method) {
            case Method::sgd: return std::max((1 - eta * settings.lambda) * size - eta * settings.l1, 0.0L);
            case Method::fobos: return std::max(size - eta * settings.l1, 0.0L) / (1 + eta * settings.lambda);
            case Method::truncate: break;
            case Method::round: return t % settings.truncate_every != 0 || size > settings.threshold ? size : 0;
        }
        if (t % settings.truncate_every != 0 || size > settings.threshold) return size;
        return std::max(size - eta * static_cast<long double>(settings.truncate_every) * settings.gravity, 0.0L);
    }
};

void compare(const Settings& settings) {
    SCOPED_TRACE(std::string(name_of(settings.method)) + " power " + std::to_string(settings.power));
    const Memory memory = std::pmr::get_default_resource();
    const Rows rows;
    Bank bank(settings, memory);
    bank.begin(StopSign());
    Dense dense;
    for (int64_t t = 1; t <= steps; ++t) {
        const int64_t kind = Rows::kind(t);
        bank.learn({rows.rows[kind], rows.labels[kind], 1}, StopSign());
        dense.step(settings, t, rows.rows[kind], rows.labels[kind]);
    }
    Model model(memory);
    bank.write_model(model, StopSign());
    double found[3] = {};
    for (size_t i = 0; i < model.index.size(); ++i) found[model.index[i]] = model.weight[i];
    for (int j = 0; j < 3; ++j) {
        const auto expected = static_cast<double>(dense.w[j]);
        EXPECT_NEAR(found[j], expected, 1e-6 * std::fabs(expected)) << "weight " << j;
    }
    EXPECT_NEAR(model.bias[0], static_cast<double>(dense.b), 1e-6 * std::fabs(static_cast<double>(dense.b)));
}

Settings long_settings(LearnerKind learner, Method method, double power) {
    Settings settings = passing_by::settings_for(learner);
    settings.loss = Loss::squared;
    settings.method = method;
    settings.power = power;
    settings.eta0 = power == 1 ? 0.5 : 0.125;
    return settings;
}

void compare_elasticnet(Method method) {
    for (const double power : {0.0, 0.5, 1.0}) {
        Settings settings = long_settings(LearnerKind::elasticnet, method, power);
        settings.l1 = 1e-3;
        settings.lambda = 1e-2;
        compare(settings);
    }
}

TEST(ElasticNetLong, HundredMillionStepsSgd) {
    compare_elasticnet(Method::sgd);
}
TEST(ElasticNetLong, HundredMillionStepsFobos) {
    compare_elasticnet(Method::fobos);
}

// With l2 = 0 it is the sum of pulls that grows.
TEST(ElasticNetLong, HundredMillionPulls) {
    Settings settings = long_settings(LearnerKind::elasticnet, Method::sgd, 0);
    settings.lambda = 0;
    settings.l1 = 1e-2;
    compare(settings);
}

TEST(TruncatedLong, HundredMillionSteps) {
    for (const double power : {0.0, 0.5, 1.0}) {
        Settings settings = long_settings(LearnerKind::truncated, Method::truncate, power);
        settings.gravity = 1e-3;
        compare(settings);
    }
}

TEST(TruncatedLong, HundredMillionStepsWithAThreshold) {
    for (const Method method : {Method::truncate, Method::round}) {
        Settings settings = long_settings(LearnerKind::truncated, method, 0);
        settings.threshold = 0.7;
        compare(settings);
    }
}

TEST(LazyMemoryLong, TenMillionFeaturesPassBy) {
    for (const auto kind : {LearnerKind::truncated, LearnerKind::elasticnet})
        passing_by::expect_small(kind, 10000000, size_t{1} << 19);
}

}  // namespace
}  // namespace sparselin
