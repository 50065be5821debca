// Millions of features that pass by once, beside a few that stay: what truncated_train and elasticnet_train make of
// them, and in how much memory.
#pragma once

#include "support/counting_memory.h"
#include "engine/bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace passing_by {

using namespace sparselin;

inline Settings settings_for(LearnerKind learner) {
    Settings settings{};
    settings.learner = learner;
    settings.loss = Loss::logistic;
    settings.intercept = true;
    settings.method = learner == LearnerKind::truncated ? Method::truncate : Method::fobos;
    settings.eta0 = 0.5;
    settings.power = 0.5;
    settings.gravity = settings.l1 = 0.01;
    settings.lambda = learner == LearnerKind::truncated ? 0 : 1e-5;
    settings.truncate_every = 10;
    settings.threshold = settings.clip_max = std::numeric_limits<double>::infinity();
    settings.clip_min = -settings.clip_max;
    return settings;
}

inline constexpr int32_t stay = 5, at_once = 10;

// Five features decide the label, and `passing` are seen once each, ten a row, at larger indices: their weight is 0
// when they predict, and where they stand in a row does not change the order in which it is summed.
inline Model learned(LearnerKind kind, int32_t passing, bool with_them, std::pmr::memory_resource* memory) {
    Bank bank(settings_for(kind), memory);
    bank.begin(StopSign());
    uint64_t bits = 1;
    for (int32_t row = 0; row < passing / at_once; ++row) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        int32_t index[32];
        float value[32];
        int32_t nnz = 0;
        double score = 0.2;
        for (int32_t j = 0; j < stay; ++j) {
            if ((bits >> (40 + j) & 1) == 0) continue;
            index[nnz] = j;
            value[nnz++] = 1;
            score += j % 2 == 0 ? 1 : -1;
        }
        // Scattered, each once: an odd factor is a bijection of 26 bits.
        for (int32_t i = 0; with_them && i < at_once; ++i) {
            const uint32_t number = static_cast<uint32_t>(row * at_once + i) * 2654435761u & 0x3ffffff;
            index[nnz] = static_cast<int32_t>(1000 + number);
            value[nnz++] = 1;
        }
        std::sort(index, index + nnz);
        const double y = (score > 0) == ((bits >> 50 & 15) != 0) ? 1 : -1;
        bank.learn({{index, value, nnz, 0}, y, 1}, StopSign());
    }
    Model model(std::pmr::new_delete_resource());
    bank.write_model(model, StopSign());
    return model;
}

// The five have the same bits as if the others had never come: so nothing that still counted was dropped.
inline void expect_small(LearnerKind kind, int32_t passing, size_t most) {
    CountingMemory memory;
    const Model among_many = learned(kind, passing, true, &memory);
    const Model alone = learned(kind, passing, false, std::pmr::new_delete_resource());
    EXPECT_LE(memory.peak(), most);
    EXPECT_LT(among_many.index.size(), 10000u);
    ASSERT_EQ(alone.index.size(), static_cast<size_t>(stay));
    ASSERT_GE(among_many.index.size(), static_cast<size_t>(stay));
    EXPECT_EQ(among_many.bias, alone.bias);
    for (size_t j = 0; j < stay; ++j) {
        EXPECT_EQ(among_many.index[j], static_cast<int32_t>(j));
        EXPECT_EQ(among_many.weight[j], alone.weight[j]) << j;
    }
}

}  // namespace passing_by
