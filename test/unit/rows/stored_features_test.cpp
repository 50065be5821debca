// The features of stored rows, against a set of them; and rows that call them by number, against a map.
#include "support/counting_memory.h"
#include "rows/stored_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
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

    StoredFeatures features(bool may_number, Memory memory = heap) const {
        StoredFeatures features(memory);
        features.look_at(store, may_number, StopSign());
        return features;
    }
    FeatureWidths counted(Memory memory = heap) const { return features(false, memory).widths(); }

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

TEST(StoredFeatures, IsThatOfASet) {
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

// As much again while the set grows; also where a single row has all there are.
TEST(StoredFeatures, TakesNoMoreThanAShareOfTheRows) {
    const auto expect_a_share = [](const Rows& rows, bool is_seen) {
        CountingMemory memory;
        EXPECT_EQ(rows.counted(&memory), is_seen ? rows.expected() : FeatureWidths{});
        EXPECT_LE(memory.peak(), (rows.store.bytes() / 3 + 4096) * 2);
        EXPECT_EQ(memory.held(), 0u);
    };
    for (const uint64_t range : {uint64_t{1} << 12, uint64_t{1} << 16, uint64_t{1} << 20, uint64_t{2147483646}}) {
        SCOPED_TRACE(range);
        std::mt19937_64 random(range);
        Rows rows, row;
        for (int i = 0; i < 200; ++i) rows.add(draw(random, 50, range));
        expect_a_share(rows, range <= 1 << 16);
        row.add(draw(random, 4000, range));
        expect_a_share(row, range <= 1 << 12);
    }
}

// A feature that comes late is not seen where the others have come often enough.
TEST(StoredFeatures, EndsWhereRowsRepeatThemselves) {
    Rows rows;
    for (int i = 0; i < 2000; ++i) rows.add({1, 3, 60});
    rows.add({5});
    FeatureWidths three{};
    three[1] = three[2] = three[6] = 1;
    EXPECT_EQ(rows.counted(), three);
}

TEST(StoredFeatures, DoesNotReadWhatLiesInAFile) {
    Rows rows;
    rows.add({1, 2, 3});
    rows.store.written(0, 0);
    EXPECT_EQ(rows.counted(), FeatureWidths{});
}

// Less than half of the indices are in use; there is a feature in the last place of a page, and in the first.
TEST(StoredFeatures, AreCalledByNumberInTheOrderOfTheirIndices) {
    for (const uint64_t range : {uint64_t{1} << 15, uint64_t{1} << 16}) {
        std::mt19937_64 random(range);
        Rows rows;
        rows.add({0, 255, 256, 511, 1024, static_cast<int32_t>(range)});
        for (int i = 0; i < 400; ++i) rows.add(draw(random, 30, range));
        rows.add({});
        std::map<int32_t, int32_t> number;
        for (const int32_t index : rows.seen) number.emplace(index, static_cast<int32_t>(number.size()));
        std::vector<std::vector<int32_t>> before;
        IndexRoom room(heap);
        const auto each_row = [&](auto&& visit) {
            for (const RowBlock& block : rows.store.blocks())
                each_row_of(block, [&](const PackedRow* row) { visit(room.unpack(*row).x.features()); });
        };
        each_row([&](auto row) { before.emplace_back(row.begin(), row.end()); });

        const StoredFeatures features = rows.features(true);
        ASSERT_FALSE(features.names().are_indices()) << range;
        EXPECT_TRUE(features.widths().without_gaps);
        FeatureWidths of_width{};
        for (const auto& [index, its] : number) {
            EXPECT_EQ(features.names()(its), index);
            ++of_width[its == 0 ? 0 : static_cast<size_t>(std::log2(its)) + 1];
        }
        EXPECT_EQ(features.names()(-1), -1);
        EXPECT_EQ(features.widths(), of_width);
        size_t row = 0;
        each_row([&](auto numbered) {
            ASSERT_EQ(numbered.size(), before[row].size());
            for (size_t i = 0; i < numbered.size(); ++i) EXPECT_EQ(numbered[i], number.at(before[row][i]));
            ++row;
        });
    }
}

// Where most indices are in use, where there are few rows, and where it is not asked for.
TEST(StoredFeatures, KeepTheirIndicesWhereNumbersGainNothing) {
    struct Case {
        int rows;
        uint64_t range;
        bool may_number;
    };
    for (const Case& its : {Case{400, 60, true}, Case{20, 1 << 16, true}, Case{400, 1 << 16, false}}) {
        std::mt19937_64 random(1);
        Rows rows;
        for (int i = 0; i < its.rows; ++i) rows.add(draw(random, 30, its.range));
        const StoredFeatures features = rows.features(its.may_number);
        EXPECT_TRUE(features.names().are_indices()) << its.range;
        EXPECT_FALSE(features.widths().without_gaps);
        const SparseRow first = reinterpret_cast<const PackedRow*>(rows.store.blocks()[0].data)->example(nullptr).x;
        for (const int32_t index : first.features()) EXPECT_EQ(rows.seen.count(index), 1u);
    }
}

}  // namespace
}  // namespace sparselin
