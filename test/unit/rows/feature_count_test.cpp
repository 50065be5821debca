// How many features stored rows have, against a set of them.
#include "support/counting_memory.h"
#include "rows/feature_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();

struct Rows {
    explicit Rows(Memory memory = heap) : store(memory) {}

    void add(const std::set<int32_t>& features) {
        const std::vector<int32_t> index(features.begin(), features.end());
        const std::vector<float> value(index.size(), 1);
        const SparseRow x{index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        if (!store.has_room_for(x)) store.add_block(store.next_block_size(x));
        store.append({x, 1, 1});
        for (const int32_t its : index) seen.insert(its);
    }

    FeatureWidths counted(Memory memory = heap) const { return count_features(store, memory, StopSign()); }

    // By the binary digits of the index.
    FeatureWidths expected() const {
        FeatureWidths of_width{};
        for (const int32_t index : seen) ++of_width[index == 0 ? 0 : static_cast<size_t>(std::log2(index)) + 1];
        return of_width;
    }

    RowStore store;
    std::set<int32_t> seen;
};

std::set<int32_t> draw(std::mt19937_64& random, size_t count, uint64_t range) {
    std::set<int32_t> features;
    while (features.size() < count) features.insert(static_cast<int32_t>(random() % range));
    return features;
}

TEST(FeatureCount, IsThatOfASet) {
    for (const uint64_t range : {uint64_t{70}, uint64_t{64}, uint64_t{1000}, uint64_t{5000}}) {
        std::mt19937_64 random(range);
        Rows rows;
        rows.add({});
        for (int i = 0; i < 50; ++i) rows.add(draw(random, 20, range));
        rows.add({0, 1, 2, 3, 4, 63});
        EXPECT_EQ(rows.counted(), rows.expected()) << range;
    }
    EXPECT_EQ(Rows().counted(), FeatureWidths{});
}

TEST(FeatureCount, TakesNoMoreThanAShareOfTheRows) {
    for (const uint64_t range : {uint64_t{1} << 12, uint64_t{1} << 16, uint64_t{1} << 20, uint64_t{2147483646}}) {
        std::mt19937_64 random(range);
        Rows rows;
        for (int i = 0; i < 200; ++i) rows.add(draw(random, 50, range));
        CountingMemory memory;
        const FeatureWidths counted = rows.counted(&memory);
        EXPECT_EQ(counted, range <= 1 << 16 ? rows.expected() : FeatureWidths{}) << range;
        EXPECT_LE(memory.peak(), rows.store.bytes() / 4 + 64);
        EXPECT_EQ(memory.held(), 0u);
    }
}

// A feature that comes late is not seen where the others have come often enough.
TEST(FeatureCount, EndsWhereRowsRepeatThemselves) {
    Rows rows;
    for (int i = 0; i < 1000; ++i) rows.add({1, 3, 60});
    rows.add({5});
    FeatureWidths three{};
    three[1] = three[2] = three[6] = 1;
    EXPECT_EQ(rows.counted(), three);
}

TEST(FeatureCount, DoesNotReadWhatLiesInAFile) {
    Rows rows;
    rows.add({1, 2, 3});
    rows.store.written(0, 0);
    EXPECT_EQ(rows.counted(), FeatureWidths{});
}

}  // namespace
}  // namespace sparselin
