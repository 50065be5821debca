// Numbers of features against std::map, and cells by number.
#include "support/counting_memory.h"
#include "rows/cell_extents.h"
#include "rows/feature_numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace {

using sparselin::CellExtents;
using sparselin::FeatureNumbers;
using sparselin::FeatureWidths;
using sparselin::StopSign;

uint32_t obtain(FeatureNumbers& numbers, int32_t index) {
    if (!numbers.has_room_for(1)) numbers.make_room_for(1, StopSign());
    return numbers.obtain(index);
}

// Features below 3000 lie densely, others anywhere: so that there is an array and a hash table.
int32_t drawn(std::mt19937_64& random) {
    return static_cast<int32_t>(random() % 2 == 0 ? random() % 3000 : random() % 2147483647);
}

TEST(FeatureNumbers, AreThoseOfTheOrderInWhichTheyCome) {
    std::mt19937_64 random(1);
    CountingMemory memory;
    {
        FeatureNumbers numbers(&memory);
        std::map<int32_t, uint32_t> known;
        EXPECT_EQ(numbers.find(5), FeatureNumbers::none);
        EXPECT_EQ(numbers.likely_place(5), nullptr);
        for (int i = 0; i < 20000; ++i) {
            const int32_t index = drawn(random), other = drawn(random);
            const uint32_t next = static_cast<uint32_t>(known.size());
            EXPECT_EQ(obtain(numbers, index), known.try_emplace(index, next).first->second);
            EXPECT_EQ(numbers.find(other), known.contains(other) ? known[other] : FeatureNumbers::none);
            EXPECT_EQ(numbers.count(), known.size());
        }
        for (const int32_t extreme : {0, 2147483646}) {
            known[extreme] = obtain(numbers, extreme);
            EXPECT_EQ(numbers.find(extreme), known[extreme]);
        }
        FeatureWidths widths{};
        for (const auto& [index, number] : known) ++widths[sparselin::width_of(static_cast<uint32_t>(index))];
        for (unsigned w = 0; w < 32; ++w) EXPECT_EQ(numbers.widths()[w], widths[w]) << w;
        EXPECT_LE(memory.peak(), 512 + known.size() * (48 + 2 * 8 * 6));
    }
    EXPECT_EQ(memory.held(), 0u);
}

TEST(FeatureNumbers, AreGoneThroughOnce) {
    std::mt19937_64 random(2);
    FeatureNumbers numbers(std::pmr::new_delete_resource());
    std::map<int32_t, uint32_t> known, found, ascending;
    for (int i = 0; i < 9000; ++i) {
        const int32_t index = drawn(random);
        known[index] = obtain(numbers, index);
    }
    const auto nowhere = [](uint32_t) -> const void* { return nullptr; };
    size_t visits = 0;
    int64_t last = -1;
    numbers.each(StopSign(), nowhere, [&](int32_t index, uint32_t number) { found[index] = number, ++visits; });
    EXPECT_EQ(visits, known.size());
    EXPECT_EQ(found, known);
    numbers.ascend(StopSign(), nowhere, [&](int32_t index, uint32_t number) {
        EXPECT_GT(index, last);
        last = index;
        ascending[index] = number;
    });
    EXPECT_EQ(ascending, known);
}

// Where they lie densely there is an array, which takes no more than 68 bytes for each; elsewhere there is none.
TEST(FeatureNumbers, AnArrayPaysForOneInSeventeen) {
    constexpr uint32_t range = 1 << 14, enough = (range + 16) / 17;
    for (const uint32_t features : {enough, enough - 1}) {
        FeatureNumbers numbers(std::pmr::new_delete_resource());
        FeatureWidths of_width{};
        of_width[14] = features;
        numbers.begin_for(of_width, features, StopSign());
        EXPECT_TRUE(numbers.has_room_for(1));
        if (features == enough) {
            EXPECT_GE(numbers.bytes(), range * sizeof(uint32_t));
        } else {
            EXPECT_LT(numbers.bytes(), range * sizeof(uint32_t));
        }
    }
}

// Raised while there is to be more room: nothing has changed, and the call can be made again.
TEST(FeatureNumbers, RoomCanBeInterrupted) {
    std::mt19937_64 random(3);
    volatile std::sig_atomic_t flag = 1;
    FeatureNumbers numbers(std::pmr::new_delete_resource());
    std::map<int32_t, uint32_t> known;
    size_t interrupted = 0;
    for (int i = 0; i < 5000; ++i) {
        const int32_t index = drawn(random);
        if (!numbers.has_room_for(1)) try {
                numbers.make_room_for(1, StopSign(&flag));
            } catch (const sparselin::Interrupted&) {
                ++interrupted;
                for (const auto& [its, number] : known) ASSERT_EQ(numbers.find(its), number);
                numbers.make_room_for(1, StopSign());
            }
        known[index] = numbers.obtain(index);
    }
    EXPECT_GT(interrupted, 5u);
    for (const auto& [index, number] : known) EXPECT_EQ(numbers.find(index), number);
}

// Small cells and large ones, more than an extent holds: each keeps what was written, and stays where it is once there
// is more than one extent.
TEST(CellExtents, KeepCells) {
    for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{70000}, size_t{3000000}}) {
        const size_t cells = count < 4 ? 3000000 : 40;
        CellExtents extents(std::pmr::new_delete_resource(), count);
        const double* first = nullptr;
        bool moves = true;
        for (size_t cell = 0; cell < cells; ++cell) {
            if (!extents.has_room_for(cell + 1)) {
                const size_t before = extents.bytes(count);
                const bool moved = extents.make_room_for(cell + 1, count, StopSign());
                EXPECT_GT(extents.bytes(count), before);
                EXPECT_TRUE(moves || !moved) << "they stay for good";
                if (cell > 0) moves = moved;
                EXPECT_TRUE(moved || cell == 0 || extents.at(0, count) == first);
                first = extents.at(0, count);
            }
            extents.at(cell, count)[0] = extents.at(cell, count)[count - 1] = static_cast<double>(cell) + 0.5;
        }
        EXPECT_FALSE(moves);
        for (size_t cell = 0; cell < cells; ++cell) {
            ASSERT_EQ(extents.at(cell, count)[0], static_cast<double>(cell) + 0.5);
            ASSERT_EQ(extents.at(cell, count)[count - 1], static_cast<double>(cell) + 0.5);
        }
    }
}

}  // namespace
