// A set that numbers features, against a map of them: wherever they lie, and however they come.
#include "rows/feature_set.h"
#include "support/counting_memory.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
constexpr uint64_t all_there_are = max_index;
constexpr uint32_t none = UINT32_MAX;

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

void expect_numbers(const std::set<int32_t>& features, const FeatureSet& set) {
    const std::vector<int32_t> ascending(features.begin(), features.end());
    std::vector<int32_t> visited, numbered = ascending;
    set.each(StopSign(), [&](int32_t index) { visited.push_back(index); });
    EXPECT_EQ(visited, ascending);
    EXPECT_EQ(set.count(StopSign()), ascending.size());

    set.number_all(numbered, StopSign());
    for (size_t i = 0; i < numbered.size(); ++i) ASSERT_EQ(numbered[i], static_cast<int32_t>(i)) << ascending[i];

    std::vector<int32_t> asked = {-1, INT32_MIN, INT32_MAX, max_index - 1, 0};
    for (const int32_t index : ascending) asked.insert(asked.end(), {index - 1, index, index + 1});
    std::vector<uint32_t> answers(asked.size(), 77);
    const double somewhere[1] = {};
    set.numbers_of(asked, none, answers.data(), somewhere);
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
        at_once.insert(std::vector<int32_t>(features.begin(), features.end()), StopSign());
        for (const int32_t index : features) one_by_one.insert(index);
        for (FeatureSet* set : {&in_rows, &at_once, &one_by_one}) {
            EXPECT_EQ(set->count(StopSign()), features.size());
            set->number(StopSign());
            expect_numbers(features, *set);
        }
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
    set.number(StopSign());
    expect_numbers(features, set);
}

TEST(FeatureSet, KnowsNoFeatureWhereThereIsNone) {
    FeatureSet set(heap);
    set.insert({}, StopSign());
    EXPECT_EQ(set.bytes(), 0u);
    set.number(StopSign());
    expect_numbers({}, set);
}

TEST(FeatureSet, TakesMemoryByTheWordsInUse) {
    for (const Case& its : cases) {
        CountingMemory memory;
        const std::set<int32_t> features = drawn(its);
        std::set<int32_t> words;
        for (const int32_t index : features) words.insert(index / 64);
        FeatureSet set(&memory);
        insert_in_rows(features, set);
        EXPECT_EQ(memory.held(), set.bytes());
        EXPECT_LE(set.bytes(), (words.size() + 32) * 64) << its.range;

        FeatureSet at_once(heap);
        at_once.insert(std::vector<int32_t>(features.begin(), features.end()), StopSign());
        EXPECT_LE(at_once.bytes(), FeatureSet::most_bytes(features.size(), static_cast<size_t>(*features.rbegin())))
            << its.range;
    }
}

// What was in before is still there, and nothing is lost when it is put in again.
TEST(FeatureSet, CanBeInterruptedAsItGrows) {
    const std::set<int32_t> features = drawn({5000, 100'000'000, 1});
    const std::vector<int32_t> ascending(features.begin(), features.end());
    int interrupts = 0;
    for (int allocation = 0; allocation < 12; ++allocation) {
        StoppingMemory memory;
        FeatureSet set(&memory);
        memory.stop_after(allocation);
        memory.until_done([&] { set.insert(ascending, memory.stop()); });
        interrupts += memory.interrupts();
        set.number(StopSign());
        expect_numbers(features, set);
    }
    EXPECT_GE(interrupts, 5);
}

}  // namespace
}  // namespace sparselin
