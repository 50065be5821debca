// Ranges against their definition, and what they cost.
#include "survey/first_rows.h"

#include "support/counting_memory.h"
#include "engine/training.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace {

using namespace sparselin;

using Row = std::map<int32_t, float>;

ScaleGap gap_of(const std::vector<Row>& rows) {
    FirstRows first({.scale = true, .telltale = false}, std::pmr::new_delete_resource());
    for (const Row& row : rows) {
        SparseVector x(std::pmr::new_delete_resource());
        for (const auto& [index, value] : row) x.push_back(index, value);
        first.add(x.row(), static_cast<double>(row.size()), StopSign());
    }
    return first.scale_gap();
}

ScaleGap by_definition(const std::vector<Row>& rows) {
    std::map<int32_t, double> ranges;
    for (const Row& row : rows)
        for (const auto& [index, value] : row) ranges[index] = 0;
    ScaleGap gap;
    for (auto& [index, range] : ranges) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < std::min<size_t>(rows.size(), 1000); ++i) {
            const double x = rows[i].contains(index) ? rows[i].at(index) : 0;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        range = high - low;
        if (range == 0) continue;
        if (gap.narrow < 0 || range < gap.least) gap.narrow = index, gap.least = range;
        if (range > gap.most) gap.wide = index, gap.most = range;
    }
    return gap;
}

// Without the features that come when there are 4096.
std::vector<Row> looked_at(const std::vector<Row>& rows) {
    std::set<int32_t> known;
    std::vector<Row> kept(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        for (const auto& [index, value] : rows[i])
            if (known.contains(index) || known.size() < 4096) {
                known.insert(index);
                kept[i].insert({index, value});
            }
    return kept;
}

// One of the first is wide because of the last row, one that came too late would be wider.
TEST(Ranges, AreThoseOfTheFirstFeatures) {
    std::mt19937_64 random(4);
    for (const int32_t stride : {1, 100000}) {
        std::vector<Row> rows(900);
        for (Row& row : rows)
            for (int i = 0; i < 20; ++i)
                row[static_cast<int32_t>(random() % 6000) * stride] = static_cast<float>(random() % 100 + 1);
        const int32_t early = rows.front().begin()->first, late = 6001 * stride;
        for (size_t i = rows.size() - 5; i < rows.size(); ++i) {
            rows[i][early] = 5e5f;
            rows[i][late] = static_cast<float>(i * i * 1000);
        }
        const ScaleGap expected = by_definition(looked_at(rows)), all = by_definition(rows), gap = gap_of(rows);
        EXPECT_EQ(expected.wide, early);
        EXPECT_EQ(all.wide, late);
        EXPECT_EQ(gap.wide, expected.wide);
        EXPECT_EQ(gap.narrow, expected.narrow);
        EXPECT_EQ(gap.most, expected.most);
        EXPECT_EQ(gap.least, expected.least);
    }
}

TEST(Ranges, AreThoseOfTheFirstRows) {
    std::mt19937_64 random(3);
    for (const size_t count : {8, 50, 999, 1000, 1200})
        for (int round = 0; round < 20; ++round) {
            std::vector<Row> rows(count);
            for (Row& row : rows) {
                row[2000000000] = 7;                                       // constant
                row[5] = 100000 + static_cast<float>(random() % 8) / 256;  // narrow, and in every row
                for (int i = 0; i < 5; ++i)
                    row[static_cast<int32_t>(random() % 300 * 7000000)] = static_cast<float>(random() % 2000) - 999.5f;
            }
            if (count > 1000) rows.back()[5] = 1e30f;
            const ScaleGap found = gap_of(rows), expected = by_definition(rows);
            EXPECT_EQ(found.narrow, expected.narrow);
            EXPECT_EQ(found.wide, expected.wide);
            EXPECT_EQ(found.least, expected.least);
            EXPECT_EQ(found.most, expected.most);
            EXPECT_TRUE(found.is_wide());
        }
}

TEST(Ranges, ExtremeValues) {
    const float tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();
    std::vector<Row> rows(10, Row{{0, huge}, {1, tiny}});
    EXPECT_EQ(gap_of(rows).narrow, -1);
    rows[3] = {{0, -huge}};
    const ScaleGap gap = gap_of(rows);
    EXPECT_EQ(gap.wide, 0);
    EXPECT_EQ(gap.most, 2.0 * double{huge});
    EXPECT_EQ(gap.narrow, 1);
    EXPECT_EQ(gap.least, double{tiny});
}

TEST(Ranges, AThousandTimesIsTolerated) {
    std::vector<Row> rows(10);
    rows[0] = {{0, 1}, {1, 1000}};
    EXPECT_FALSE(gap_of(rows).is_wide());
    rows[0][1] = 1001;
    EXPECT_TRUE(gap_of(rows).is_wide());
    rows.resize(7);
    EXPECT_FALSE(gap_of(rows).is_wide());
}

TEST(Ranges, MemoryIsBoundedAndGoes) {
    CountingMemory memory;
    FirstRows first({.scale = true, .telltale = false}, &memory);
    SparseVector x(std::pmr::new_delete_resource());
    for (int32_t i = 0; i < 100000; ++i) x.push_back(i * 20000, 1);
    for (int row = 0; row < 999; ++row) first.add(x.row(), row, StopSign());
    EXPECT_LE(memory.peak(), 512u * 1024);
    first.add(x.row(), 1, StopSign());
    EXPECT_EQ(memory.held(), 0u);
}

// Whether a call of so many rows, where one feature is a million times the other, is told so.
bool is_told(LearnerKind learner, const char* options, int rows, bool wide = true) {
    const auto memory = std::pmr::new_delete_resource();
    Training training(learner, options, false, memory, StopSign());
    const int32_t index[] = {0, 1};
    for (int i = 0; i < rows; ++i) {
        const float value[] = {static_cast<float>(1 + i % 3), static_cast<float>(1 + i % 2) * (wide ? 1e-6f : 1.0f)};
        const SparseRow x = {index, value, 2, 0};
        const double label = i % 2 != 0 ? 1 : -1;
        auto answer = training.accept(x, label, 1, StopSign());
        if (answer == Training::Answer::no_room) {
            training.store().add_block(training.store().next_block_size(x));
            answer = training.accept(x, label, 1, StopSign());
        }
        if (answer == Training::Answer::must_work) training.work(0, StopSign());
    }
    training.end_rows();
    training.work(0, StopSign());
    return training.scale_gap().is_wide();
}

TEST(Ranges, AreWatchedWhereverRowsAreLearnedFrom) {
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        EXPECT_TRUE(is_told(learner, "", 30));
        EXPECT_FALSE(is_told(learner, "", 30, false));
        EXPECT_FALSE(is_told(learner, "scale=none", 30));
        EXPECT_FALSE(is_told(learner, "scale=std", 30));
        EXPECT_TRUE(is_told(learner, "scale=auto", 30));
    }
    for (const int rows : {30, 999, 1000, 1500}) {
        EXPECT_TRUE(is_told(LearnerKind::asgd, "lambda=1 epochs=1 sampling=sequential", rows)) << rows;
        EXPECT_TRUE(is_told(LearnerKind::asgd, "lambda=1 epochs=1 sampling=sequential step_offset=10", rows)) << rows;
    }
}

}  // namespace
