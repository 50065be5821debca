// A set that numbers features, against a map of them: wherever they lie, and however they come.
#include "rows/feature_set.h"
#include "support/counting_memory.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
constexpr uint64_t all_there_are = max_index;

struct Case {
    size_t features;
    uint64_t range, step;  // anywhere below the one, at multiples of the other
};

std::set<int32_t> drawn(const Case& its) {
    std::mt19937_64 random(its.range + its.features);
    std::set<int32_t> features;
    while (features.size() < its.features) features.insert(static_cast<int32_t>(random() % its.range * its.step));
    return features;
}

// In rows of 100 that ascend, each feature more than once.
void insert_in_rows(const std::set<int32_t>& features, FeatureSet& set) {
    std::vector<int32_t> order(features.begin(), features.end());
    std::mt19937_64 random(order.size());
    for (int time = 0; time < 2; ++time) {
        std::ranges::shuffle(order, random);
        for (size_t from = 0; from < order.size(); from += 100) {
            std::vector<int32_t> row(order.begin() + static_cast<ptrdiff_t>(from),
                                     order.begin() + static_cast<ptrdiff_t>(std::min(from + 100, order.size())));
            std::ranges::sort(row);
            set.insert(row, StopSign());
        }
    }
}

std::vector<int32_t> numbered(FeatureSet& set) {
    std::vector<int32_t> visited;
    set.number(StopSign(), [&](int32_t index) { visited.push_back(index); });
    return visited;
}

void expect_numbers(const std::set<int32_t>& features, FeatureSet& set) {
    const std::vector<int32_t> ascending(features.begin(), features.end());
    EXPECT_EQ(numbered(set), ascending);
    EXPECT_EQ(set.count(StopSign()), ascending.size());

    std::vector<int32_t> numbers = ascending;
    set.number_all(numbers, StopSign());
    for (size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<int32_t>(i)) << ascending[i];

    std::vector<int32_t> asked = {-1, INT32_MIN, INT32_MAX, max_index - 1, 0};
    for (const int32_t index : ascending) asked.insert(asked.end(), {index - 1, index, index + 1});
    std::vector<uint32_t> answers(asked.size(), 77);
    const auto none = static_cast<uint32_t>(ascending.size());
    const std::vector<double> there(ascending.size() + 1);
    set.numbers_of(asked, none, answers.data(), there.data());
    std::map<int32_t, uint32_t> number;
    for (const int32_t index : ascending) number.emplace(index, static_cast<uint32_t>(number.size()));
    for (size_t i = 0; i < asked.size(); ++i) {
        const auto found = number.find(asked[i]);
        ASSERT_EQ(answers[i], found == number.end() ? none : found->second) << asked[i];
        ASSERT_EQ(set.number_of(asked[i], none), answers[i]) << asked[i];
    }
}

constexpr Case cases[] = {{1, 1, 1},
                          {1, all_there_are, 1},
                          {64, 64, 1},
                          {60, 65, 1},
                          {500, 1000, 1},
                          {500, 1000, 64},
                          {500, 1000, 4096},
                          {3000, 200'000, 1},
                          {20'000, 40'000, 1},
                          {20'000, 10'000'000, 1},
                          {10'000, 10'000, 10'000},
                          {50'000, 33'554'431, 64},
                          {30'000, all_there_are, 1}};

TEST(FeatureSet, NumbersFeaturesByAscendingIndex) {
    for (const Case& its : cases) {
        SCOPED_TRACE(testing::Message() << its.features << " of " << its.range << " times " << its.step);
        const std::set<int32_t> features = drawn(its);
        FeatureSet in_rows(heap), at_once(heap), one_by_one(heap);
        insert_in_rows(features, in_rows);
        EXPECT_TRUE(at_once.insert(std::vector<int32_t>(features.begin(), features.end()), StopSign()));
        for (const int32_t index : features) EXPECT_TRUE(one_by_one.insert(index));
        for (FeatureSet* set : {&in_rows, &at_once, &one_by_one}) {
            EXPECT_EQ(set->count(StopSign()), features.size());
            expect_numbers(features, *set);
        }
        EXPECT_EQ(numbered(in_rows).size(), features.size());  // once more
    }
}

// Words lie in a row, in a hash table when far ones come, and in a row again when there are many.
TEST(FeatureSet, NumbersThemWhereverTheyComeNext) {
    std::set<int32_t> features;
    FeatureSet set(heap);
    const auto add = [&](int32_t first, int32_t count, int32_t step) {
        for (int32_t i = 0; i < count; ++i) {
            features.insert(first + i * step);
            set.insert(first + i * step);
        }
    };
    add(0, 3000, 1);
    add(1'000'000, 10, 100'000);
    add(0, 30'000, 64);
    add(64 * 60'000, 1, 1);
    add(max_index - 1, 1, 1);
    expect_numbers(features, set);
}

TEST(FeatureSet, KnowsNoFeatureWhereThereIsNone) {
    FeatureSet set(heap);
    set.insert({}, StopSign());
    EXPECT_EQ(set.bytes(), 0u);
    expect_numbers({}, set);
}

size_t at_most(const std::set<int32_t>& features) {
    std::set<int32_t> words;
    for (const int32_t index : features) words.insert(index / 64);
    return std::max<size_t>((words.size() + 32) * 64, 4096);
}

TEST(FeatureSet, TakesMemoryByTheWordsInUse) {
    std::set<int32_t> clusters;
    for (int32_t i = 0; i < 200; ++i)
        for (int32_t j = 0; j < 64; ++j) clusters.insert(i * 1'000'000 / 64 * 64 + j);
    std::vector<std::set<int32_t>> sets = {clusters, {16'000}, {16'383}, {60'000}, {200'000}};
    for (const Case& its : cases) sets.push_back(drawn(its));
    for (const std::set<int32_t>& features : sets) {
        SCOPED_TRACE(testing::Message() << features.size() << " up to " << *features.rbegin());
        CountingMemory memory;
        FeatureSet set(&memory);
        insert_in_rows(features, set);
        EXPECT_EQ(memory.held(), set.bytes());
        EXPECT_LE(set.bytes(), at_most(features));
        EXPECT_LE(memory.peak(), set.bytes() * 2);

        FeatureSet at_once(heap);
        at_once.insert(std::vector<int32_t>(features.begin(), features.end()), StopSign());
        EXPECT_LE(at_once.bytes(),
                  FeatureSet::most_bytes(features.size(), static_cast<size_t>(*features.rbegin()) + 1));
    }
}

TEST(FeatureSet, TakesNoMoreThanItMay) {
    const std::set<int32_t> features = drawn({10'000, 1'000'000'000, 1});
    CountingMemory memory;
    FeatureSet set(&memory, 90'000);
    EXPECT_FALSE(set.insert(std::vector<int32_t>(features.begin(), features.end()), StopSign()));
    EXPECT_TRUE(set.insert(*features.begin()));
    EXPECT_GE(set.bytes(), 45'000u);
    EXPECT_LE(set.bytes(), 90'000u);
    set.number(StopSign());
    EXPECT_LE(memory.peak(), 180'000u);
}

// What was in before is still there, and nothing is lost when it is put in again; nor when they are numbered again.
TEST(FeatureSet, CanBeInterruptedAsItGrows) {
    const std::set<int32_t> features = drawn({5000, 100'000'000, 1});
    const std::vector<int32_t> ascending(features.begin(), features.end());
    int interrupts = 0;
    for (int allocation = 0; allocation < 16; ++allocation) {
        StoppingMemory memory;
        FeatureSet set(&memory);
        memory.stop_after(allocation);
        memory.until_done([&] {
            set.insert(ascending, memory.stop());
            set.number(memory.stop());
        });
        interrupts += memory.interrupts();
        expect_numbers(features, set);
    }
    EXPECT_GE(interrupts, 8);
}

}  // namespace
}  // namespace sparselin
