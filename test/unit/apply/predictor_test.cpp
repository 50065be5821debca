#include "support/counting_memory.h"
#include "apply/predictor.h"

#include <gtest/gtest.h>

#include <random>

namespace sparselin {
namespace {

const Memory memory = std::pmr::new_delete_resource();
const StopSign never;

struct Row {
    std::vector<int32_t> index;
    std::vector<float> value;
    int32_t dim = 0;
    SparseRow row() const { return {index.data(), value.data(), static_cast<int32_t>(index.size()), dim}; }
};

Model model_of(std::vector<std::pair<int32_t, double>> weights) {
    Model model(memory);
    model.bias[0] = 0.25;
    for (const auto& [index, weight] : weights) {
        model.index.push_back(index);
        model.weight.push_back(weight);
    }
    return model;
}

TEST(Predictor, AddsUp) {
    const Predictor predictor(model_of({{0, 0.5}, {6, 2}}), memory, never);
    EXPECT_EQ(predictor.score(Row{{}, {}}.row(), StopSign()), 0.25);
    EXPECT_EQ(predictor.score(Row{{0, 5, 6}, {2, 100, -1}}.row(), StopSign()), -0.75);
    EXPECT_EQ(predictor.score(Row{{6, 7, 2147483646}, {1, 9, 9}}.row(), StopSign()), 2.25);
    EXPECT_EQ(predictor.score(Row{{7, 8, 9, 10, 11}, {9, 9, 9, 9, 9}}.row(), StopSign()), 0.25);
    EXPECT_EQ(Predictor(model_of({}), memory, never).score(Row{{0}, {1}}.row(), StopSign()), 0.25);
}

// Features further apart have the same weights by number; one feature far away moves them to the table; of the score
// that moves not a bit.
TEST(Predictor, ArraysAndTableGiveTheSameBits) {
    constexpr int32_t apart = 5;
    std::mt19937_64 random(6);
    std::normal_distribution<double> normal;
    std::vector<std::pair<int32_t, double>> weights;
    for (int32_t i = 0; i < 3000; ++i)
        if (random() % 3 != 0) weights.emplace_back(i, normal(random));
    const Predictor dense(model_of(weights), memory, never);
    std::vector<std::pair<int32_t, double>> further;
    for (const auto& [index, weight] : weights) further.emplace_back(index * apart, weight);
    const Predictor numbered(model_of(further), memory, never);
    weights.emplace_back(2000000000, 1.0);
    const Predictor scattered(model_of(weights), memory, never);
    CountingMemory numbered_takes, table_takes;
    const Predictor by_number(model_of(further), &numbered_takes, never),
        by_hash(model_of(weights), &table_takes, never);
    EXPECT_LT(numbered_takes.held(), further.size() * sizeof(double) * 3 / 2);
    EXPECT_GT(table_takes.held(), weights.size() * sizeof(double) * 2);
    for (int round = 0; round < 500; ++round) {
        Row row;
        double expected = 0.25;
        for (int32_t i = 0; i < 4000; ++i) {
            if (random() % 100 != 0) continue;
            row.index.push_back(i);
            row.value.push_back(static_cast<float>(normal(random)));
            for (const auto& [index, weight] : weights)
                if (index == i) expected += weight * static_cast<double>(row.value.back());
        }
        EXPECT_EQ(dense.score(row.row(), StopSign()), scattered.score(row.row(), StopSign()));
        Row row_further = row;
        for (int32_t& index : row_further.index) index *= apart;
        EXPECT_EQ(dense.score(row.row(), StopSign()), numbered.score(row_further.row(), StopSign()));
        EXPECT_NEAR(dense.score(row.row(), StopSign()), expected, 1e-12);
    }
}

TEST(Predictor, KnownDimensionsMustAgree) {
    Model model = model_of({{2, 1}});
    model.dimension = 5;
    const Predictor predictor(model, memory, never);
    EXPECT_EQ(predictor.score(Row{{2}, {1}, 5}.row(), StopSign()), 1.25);
    EXPECT_EQ(predictor.score(Row{{2, 9}, {1, 1}, 0}.row(), StopSign()), 1.25);
    EXPECT_THROW(predictor.score(Row{{2}, {1}, 6}.row(), StopSign()), Error);
    EXPECT_EQ(Predictor(model_of({{2, 1}}), memory, never).score(Row{{2}, {1}, 6}.row(), StopSign()), 1.25);
}

TEST(Predictor, ScoresAreFinite) {
    const Predictor predictor(model_of({{0, 1e300}, {1, -1e300}}), memory, never);
    EXPECT_THROW(predictor.score(Row{{0}, {1e30f}}.row(), StopSign()), Error);
    EXPECT_THROW(predictor.score(Row{{0, 1}, {1e30f, 1e30f}}.row(), StopSign()), Error);
}

TEST(Predictor, DamagedRowsStayWithinBounds) {
    const Row damaged{{-1, INT32_MIN, 2000000, 5, INT32_MAX}, {1, 1, 1, 1, 1}};
    EXPECT_EQ(Predictor(model_of({{5, 2}}), memory, never).score(damaged.row(), StopSign()), 2.25);
    EXPECT_EQ(Predictor(model_of({{5, 2}, {2000000, 1}}), memory, never).score(damaged.row(), StopSign()), 3.25);
    // By number: every third index up to 30,000.
    std::vector<std::pair<int32_t, double>> weights;
    for (int32_t i = 2; i < 30000; i += 3) weights.emplace_back(i, i == 5 ? 2 : 0.5);
    CountingMemory numbered_takes;
    const Predictor by_number(model_of(weights), &numbered_takes, never);
    EXPECT_LT(numbered_takes.held(), weights.size() * sizeof(double) * 3 / 2);
    EXPECT_EQ(by_number.score(damaged.row(), StopSign()), 2.25);
}

TEST(Predictor, ProbabilitiesAreStable) {
    EXPECT_EQ(sigmoid(0), 0.5);
    EXPECT_EQ(sigmoid(1000), 1);
    EXPECT_EQ(sigmoid(-1000), 0);
    EXPECT_GT(sigmoid(-700), 0);
    EXPECT_NEAR(sigmoid(2), 0.88079707797788243, 1e-15);
    EXPECT_NEAR(sigmoid(-2), 0.11920292202211757, 1e-15);
}

}  // namespace
}  // namespace sparselin
