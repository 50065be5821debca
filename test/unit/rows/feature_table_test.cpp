// The feature table against std::map, and how much memory it takes.
#include "support/counting_memory.h"
#include "rows/feature_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>

namespace {

using sparselin::FeatureTable;
using sparselin::Interrupted;
using sparselin::SparseRow;
using sparselin::StopSign;

struct Cell {
    double v, u;
    bool operator==(const Cell&) const = default;
};

struct WideCell {
    double v, u, mu;
};

using Map = std::map<int32_t, Cell>;

// A row of these features, all values 1.
class Features {
public:
    explicit Features(const std::set<int32_t>& indices)
        : index_(indices.begin(), indices.end()), value_(index_.size(), 1) {}
    SparseRow row() const { return {index_.data(), value_.data(), static_cast<int32_t>(index_.size()), 0}; }

private:
    std::vector<int32_t> index_;
    std::vector<float> value_;
};

// What a learner does with a row, in the table and in the map.
void add(FeatureTable<Cell>& table, Map& map, const std::set<int32_t>& indices, double number) {
    const Features features(indices);
    const SparseRow row = features.row();
    table.with_cells(row, StopSign(), [&](auto&& cell) {
        for (int32_t i = 0; i < row.nnz; ++i) {
            EXPECT_EQ(cell(i), map[row.index[i]]) << row.index[i];
            cell(i).v += number;
            cell(i).u -= 2 * number;
        }
    });
    for (const int32_t index : indices) {
        map[index].v += number;
        map[index].u -= 2 * number;
    }
}

Map walked(const FeatureTable<Cell>& table) {
    Map found;
    int64_t last = -1;
    table.walk(StopSign(), [&](int32_t index, const Cell& cell) {
        EXPECT_GT(index, last) << "ascending";
        last = index;
        found[index] = cell;
    });
    return found;
}

void expect_same(const FeatureTable<Cell>& table, const Map& map) {
    Map used = map;
    std::erase_if(used, [](const auto& entry) { return entry.second == Cell{}; });
    EXPECT_EQ(walked(table), used);
    for (const auto& [index, cell] : used) {
        const Cell* found = table.find(index);
        ASSERT_NE(found, nullptr) << index;
        EXPECT_EQ(*found, cell) << index;
    }
}

// How features lie: each draws one index.
struct Pattern {
    const char* name;
    int32_t (*draw)(std::mt19937_64&);
};

int32_t skewed(std::mt19937_64& random) {
    return static_cast<int32_t>((random() & 0x7fffffff) >> (random() % 31)) % 2147483647;
}

const Pattern patterns[] = {
    {"few", [](std::mt19937_64& random) { return static_cast<int32_t>(random() % 10); }},
    {"dense", [](std::mt19937_64& random) { return static_cast<int32_t>(random() % 3000); }},
    {"scattered", [](std::mt19937_64& random) { return static_cast<int32_t>(random() % 2147483647); }},
    {"skewed", skewed},
    {"strided", [](std::mt19937_64& random) { return static_cast<int32_t>(random() % 2048 << 20); }},
    {"high", [](std::mt19937_64& random) { return static_cast<int32_t>(2147483646 - random() % 1000); }},
    {"half",
     [](std::mt19937_64& random) {
         return random() % 2 == 0 ? static_cast<int32_t>(random() % 5000) : static_cast<int32_t>(random() % 2147483647);
     }},
};

class FeatureTablePattern : public ::testing::TestWithParam<Pattern> {};

TEST_P(FeatureTablePattern, BehavesLikeAMap) {
    std::mt19937_64 random(7);
    CountingMemory memory;
    {
        FeatureTable<Cell> table(&memory);
        Map map;
        for (int round = 0; round < 600; ++round) {
            std::set<int32_t> indices;
            for (size_t n = random() % 20; n > 0; --n) indices.insert(GetParam().draw(random));
            add(table, map, indices, round % 7 == 0 ? 0 : static_cast<double>(round));
            if (round % 50 == 0) expect_same(table, map);
            const int32_t single = GetParam().draw(random);
            EXPECT_EQ(table.at(single, StopSign()), map[single]);
            table.at(single, StopSign()).u += 0.5;
            map[single].u += 0.5;
            const Cell* maybe = table.find(GetParam().draw(random));
            EXPECT_TRUE(maybe == nullptr || std::isfinite(maybe->v));
        }
        expect_same(table, map);
    }
    EXPECT_EQ(memory.held(), 0u);
}

TEST_P(FeatureTablePattern, MemoryFollowsTheFeaturesSeen) {
    std::mt19937_64 random(11);
    CountingMemory memory;
    FeatureTable<Cell> table(&memory);
    std::set<int32_t> seen;
    for (int round = 0; round < 20000; ++round) {
        const int32_t index = GetParam().draw(random);
        table.at(index, StopSign()).v = 1;
        seen.insert(index);
    }
    // The array four times what cells and indices take, a third of the slots in use, and old and new side by side
    // while they grow.
    EXPECT_LE(memory.peak(), 512 + seen.size() * 2 * (4 + 3) * (sizeof(Cell) + 8));
    EXPECT_LE(memory.allocations(), 100u);
}

INSTANTIATE_TEST_SUITE_P(All, FeatureTablePattern, ::testing::ValuesIn(patterns),
                         [](const auto& info) { return std::string(info.param.name); });

// Rows of dense data bring all features at once, and never a new one after that.
TEST(FeatureTable, ADenseRangeSeenInOneRowBecomesAnArray) {
    std::set<int32_t> indices;
    for (int32_t index = 0; index < 1000; ++index) indices.insert(index);
    const Features features(indices);
    const SparseRow row = features.row();
    FeatureTable<Cell> table(std::pmr::get_default_resource());
    for (int round = 1; round <= 2; ++round) {
        table.with_cells(row, StopSign(), [&](auto&& cell) {
            for (int32_t i = 0; i < row.nnz; ++i) {
                cell(i).v += i;
                EXPECT_EQ(cell(i).v, round * i);
                if (i > 0 && round == 2) {
                    EXPECT_EQ(&cell(i), &cell(i - 1) + 1);
                }
            }
        });
    }
}

TEST(FeatureTable, AnArrayPaysWhereHalfOfItIsUsed) {
    for (const size_t numbers : {size_t{1}, size_t{2}, size_t{3}, size_t{15}}) {
        constexpr uint32_t range = 1 << 12;
        for (const uint32_t features : {range / 2, range / 2 - 1}) {
            FeatureTable<sparselin::Numbers> table(std::pmr::new_delete_resource(), {numbers});
            FeatureTable<sparselin::Numbers>::Widths of_width{};
            of_width[12] = features;
            table.begin_for(of_width, StopSign());
            EXPECT_EQ(table.array_size(), features == range / 2 ? range : 0u) << numbers;
        }
    }
}

TEST(FeatureTable, AQuarterIsEnoughWhereNoOthersCome) {
    for (const int32_t stride : {3, 4, 5}) {
        FeatureTable<Cell> table(std::pmr::new_delete_resource());
        Map map;
        for (int32_t i = 0; i < 4096; i += stride) add(table, map, {i, 2000000000 + i}, i + 1);
        EXPECT_EQ(table.array_size(), 0u);
        table.prefer_array(StopSign());
        EXPECT_EQ(table.array_size(), stride < 5 ? 4096u : 0u) << stride;
        expect_same(table, map);
    }
}

// Nobody counts the cells of an array that come into use; they count when it is to grow.
TEST(FeatureTable, AnArrayThatFillsUpGrows) {
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    table.begin_with(1024, StopSign());
    for (int32_t i = 0; i < 1024; ++i) table.at(i, StopSign()).v = 1;
    // Half of the larger array they are together with those of the smaller one alone.
    for (int32_t i = 0; i < 1500; ++i) table.at(4095 - i, StopSign()).v = 1;
    EXPECT_EQ(table.array_size(), 4096u);
}

TEST(FeatureTable, SaysWhereTheCellsOfARowAre) {
    for (const size_t numbers : {size_t{1}, size_t{7}}) {
        FeatureTable<sparselin::Numbers> table(std::pmr::new_delete_resource(), {numbers});
        table.begin_with(16, StopSign());
        for (const std::set<int32_t>& indices : {std::set<int32_t>{}, {3, 15}, {0, 15, 16}, {2, 70000, 2000000000}}) {
            const Features features(indices);
            double* const* const cells = table.cells_of(features.row(), StopSign());
            for (size_t i = 0; const int32_t index : indices) {
                EXPECT_EQ(cells[i][numbers - 1], index % 16 == 15 && indices.size() == 3 ? 15 : 0);
                EXPECT_EQ(table.find(index), cells[i]);
                cells[i++][numbers - 1] = index;
            }
        }
        EXPECT_GE(table.bytes(), (16 + 3) * numbers * sizeof(double));
    }
}

// In the array it is there, elsewhere it is known where its number is likely to be.
TEST(FeatureTable, SaysWhereItWillLookFirst) {
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    EXPECT_EQ(table.likely_place(17), nullptr);
    table.begin_with(16, StopSign());
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
        const auto index = static_cast<int32_t>(i < 16 ? i : random() % 2000000000);
        table.at(index, StopSign()).v = 1;
        if (i < 16) {
            EXPECT_EQ(static_cast<const Cell*>(table.likely_place(index)), table.find(index));
        }
        EXPECT_NE(table.likely_place(index), nullptr);
    }
}

// With the room that they want, and no less and no more than when they had come one by one.
TEST(FeatureTable, BeginsForFeaturesThatAreKnown) {
    std::mt19937_64 random(5);
    std::set<int32_t> indices;
    for (int32_t i = 0; i < 5000; ++i) indices.insert(static_cast<int32_t>(i < 2000 ? i : random() % 2000000000));
    FeatureTable<Cell>::Widths of_width{};
    for (const int32_t index : indices) FeatureTable<Cell>::count(of_width, index);
    CountingMemory memory;
    FeatureTable<Cell> grown(std::pmr::new_delete_resource()), begun(&memory);
    begun.begin_for(of_width, StopSign());
    const size_t allocations = memory.allocations();
    for (FeatureTable<Cell>* const table : {&grown, &begun})
        for (const int32_t index : indices) table->at(index, StopSign()).v = index;
    EXPECT_EQ(memory.allocations(), allocations) << "it has grown after all";
    EXPECT_EQ(begun.array_size(), grown.array_size());
    EXPECT_EQ(begun.bytes(), grown.bytes());
    EXPECT_EQ(walked(begun), walked(grown));
    begun.begin_for(of_width, StopSign());
    EXPECT_EQ(walked(begun), walked(grown)) << "one that has features stays as it is";
}

TEST(FeatureTable, NothingThereAtFirst) {
    CountingMemory memory;
    FeatureTable<Cell> table(&memory);
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_EQ(table.find(2147483646), nullptr);
    EXPECT_TRUE(walked(table).empty());
    EXPECT_EQ(memory.held(), 0u);
}

TEST(FeatureTable, OnlyAnEmptyOneBeginsAnew) {
    FeatureTable<Cell> sparse(std::pmr::new_delete_resource()), dense(std::pmr::new_delete_resource());
    Map in_sparse, in_dense;
    add(sparse, in_sparse, {3, 29, 100000}, 1);
    for (int32_t index = 0; index < 40; ++index) add(dense, in_dense, {index}, 1);
    ASSERT_EQ(sparse.array_size(), 0);
    ASSERT_GT(dense.array_size(), 0);
    for (const size_t size : {16, 64, 1024}) {
        sparse.begin_with(size, StopSign());
        dense.begin_with(size, StopSign());
        EXPECT_EQ(walked(sparse), in_sparse) << size;
        EXPECT_EQ(walked(dense), in_dense) << size;
    }
    add(sparse, in_sparse, {0, 29, 500}, 2);
    add(dense, in_dense, {0, 29, 500}, 2);
    EXPECT_EQ(walked(sparse), in_sparse);
    EXPECT_EQ(walked(dense), in_dense);
}

TEST(FeatureTable, EmptyRow) {
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    bool called = false;
    table.with_cells(SparseRow{}, StopSign(), [&](auto&&) { called = true; });
    EXPECT_TRUE(called);
    EXPECT_TRUE(walked(table).empty());
}

TEST(FeatureTable, LowestAndHighestIndex) {
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    Map map;
    add(table, map, {0, 2147483646}, 3);
    add(table, map, {0, 1, 2147483645, 2147483646}, 4);
    expect_same(table, map);
}

TEST(FeatureTable, CellsBackAtZeroAreNotWalked) {
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    Map map;
    add(table, map, {3, 5, 1000000}, 1);
    add(table, map, {3, 1000000}, -1);
    const Map only = {{5, {1, -2}}};
    EXPECT_EQ(walked(table), only);
}

// Features that come in ascending order end up in the array, however many there are.
TEST(FeatureTable, AscendingArrival) {
    CountingMemory memory;
    FeatureTable<Cell> table(&memory);
    Map map;
    for (int32_t i = 0; i < 47000; ++i) {
        table.at(i, StopSign()).v = i + 1;
        map[i].v = i + 1;
    }
    expect_same(table, map);
    EXPECT_LE(memory.allocations(), 160u) << "about ten each time that the array doubles";
}

template <typename AnyCell>
size_t scattered_peak(size_t features_per_row) {
    std::mt19937_64 random(3);
    std::set<int32_t> indices;
    while (indices.size() < 100000) indices.insert(static_cast<int32_t>(random() % 2147483647));
    std::vector<int32_t> arrival(indices.begin(), indices.end());
    std::shuffle(arrival.begin(), arrival.end(), random);
    CountingMemory memory;
    FeatureTable<AnyCell> table(&memory);
    for (size_t start = 0; start < arrival.size(); start += features_per_row) {
        const Features features(
            {arrival.begin() + static_cast<ptrdiff_t>(start),
             arrival.begin() + static_cast<ptrdiff_t>(std::min(start + features_per_row, arrival.size()))});
        const SparseRow row = features.row();
        table.with_cells(row, StopSign(), [&](auto&& cell) {
            for (int32_t i = 0; i < row.nnz; ++i) cell(i).v += 1;
        });
    }
    size_t count = 0;
    table.walk(StopSign(), [&](int32_t, const AnyCell&) { ++count; });
    EXPECT_EQ(count, indices.size());
    return memory.peak();
}

// 16 MB, growing and walking included.
TEST(FeatureTable, HundredThousandScatteredFeaturesFit) {
    EXPECT_LE(scattered_peak<Cell>(50), size_t{16} << 20);
    EXPECT_LE(scattered_peak<WideCell>(50), size_t{16} << 20);
    EXPECT_LE(scattered_peak<WideCell>(100000), size_t{16} << 20);
}

TEST(FeatureTable, TenFeaturesAreSmall) {
    for (const auto& pattern : patterns) {
        std::mt19937_64 random(5);
        std::set<int32_t> indices;
        while (indices.size() < 10) indices.insert(pattern.draw(random));
        CountingMemory memory;
        FeatureTable<WideCell> table(&memory);
        const Features features(indices);
        table.with_cells(features.row(), StopSign(), [&](auto&& cell) { cell(0).v = 1; });
        EXPECT_LE(memory.held(), 1024u) << pattern.name;
        EXPECT_LE(memory.peak(), 1536u) << pattern.name;
    }
}

// A call that is interrupted has changed nothing that can be seen, and can simply be made again.
TEST(FeatureTable, InterruptedCallsCanBeRepeated) {
    std::mt19937_64 random(13);
    volatile std::sig_atomic_t flag = 0;
    const StopSign stop(&flag);
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    Map map;
    size_t interrupted = 0;
    for (int round = 0; round < 400; ++round) {
        std::set<int32_t> indices;
        for (int i = 0; i < 10; ++i) indices.insert(skewed(random));
        const Features features(indices);
        flag = 1;
        bool ran = false;
        const auto work = [&](auto&& cell) {
            ran = true;
            for (int32_t i = 0; i < features.row().nnz; ++i) cell(i).v += round + 1;
        };
        try {
            table.with_cells(features.row(), stop, work);
        } catch (const Interrupted&) {
            ++interrupted;
            EXPECT_FALSE(ran);
            flag = 0;
            if (round % 20 == 0) expect_same(table, map);
            table.with_cells(features.row(), stop, work);
        }
        flag = 0;
        for (const int32_t index : indices) map[index].v += round + 1;
    }
    EXPECT_GT(interrupted, 0u);
    expect_same(table, map);
}

// Raised while cells are changed: the next call goes on behind the last one, and each cell is changed once.
TEST(FeatureTable, AnInterruptedChangeGoesOn) {
    for (const int32_t stride : {1, 9973}) {
        FeatureTable<Cell> table(std::pmr::new_delete_resource());
        for (int32_t i = 0; i < 200000; ++i) table.at(i * stride, StopSign()).v = i + 1;
        volatile std::sig_atomic_t flag = 0;
        size_t calls = 0, interrupted = 0;
        const auto change = [&](Cell& cell) {
            if (++calls % 90000 == 0) flag = 1;
            if (cell.v != 0) cell.u += 1;
        };
        for (bool done = false; !done && interrupted < 20;) try {
                table.change_all(StopSign(&flag), change);
                done = true;
            } catch (const Interrupted&) {
                flag = 0;
                ++interrupted;
            }
        EXPECT_GE(interrupted, 1u);
        EXPECT_LT(interrupted, 5u);
        for (const auto& [index, cell] : walked(table)) ASSERT_EQ(cell, (Cell{index / stride + 1.0, 1})) << index;
        table.change_all(StopSign(), change);
        EXPECT_EQ(table.find(199999 * stride)->u, 2);
    }
}

// Cells that say until when they live: {number, last day}. A dead cell may be gone, as if it had never been there, but
// for as long as it lives not a bit of it changes.
class Mortals {
public:
    void visit(const std::set<int32_t>& indices, double day, double life) {
        const Features features(indices);
        const SparseRow row = features.row();
        const auto work = [&](auto&& cell) {
            for (int32_t i = 0; i < row.nnz; ++i) {
                Cell& known = map_[row.index[i]];
                if (known.u >= day || !(cell(i) == Cell{})) {
                    EXPECT_EQ(cell(i), known) << row.index[i];
                }
                cell(i) = known = {day * 1000 + i, day + life};
            }
            for (int32_t i = 0; i < row.nnz; ++i) EXPECT_EQ(cell(i), map_[row.index[i]]) << "each its own";
        };
        table_.with_cells(row, StopSign(), work, [day](const Cell& cell) { return cell.u >= day; });
    }

    void expect_living(double day) const {
        for (const auto& [index, cell] : map_) {
            if (cell.u < day) continue;
            const Cell* found = table_.find(index);
            ASSERT_NE(found, nullptr) << index;
            EXPECT_EQ(*found, cell) << index;
        }
    }

    const CountingMemory& memory() const { return memory_; }

private:
    CountingMemory memory_;
    FeatureTable<Cell> table_{&memory_};
    Map map_;
};

TEST_P(FeatureTablePattern, DropsOnlyTheDead) {
    for (const double longest : {3.0, 100.0, 1e9}) {
        std::mt19937_64 random(11);
        Mortals mortals;
        for (int day = 1; day <= 1500; ++day) {
            std::set<int32_t> indices;
            for (size_t i = random() % 30 + 1; i > 0; --i) indices.insert(GetParam().draw(random));
            mortals.visit(indices, day, static_cast<double>(random() % 1000) * longest / 1000);
        }
        mortals.expect_living(1500);
    }
}

// A row in which known features that are dead and new ones force the table to grow: all of them get their cells.
TEST(FeatureTable, ARowOfDeadFeatures) {
    for (const int32_t stride : {1, 7000}) {
        Mortals mortals;
        std::set<int32_t> before, row;
        for (int32_t i = 0; i < 1000; ++i) before.insert(i * stride * 2);
        for (int32_t i = 0; i < 4000; ++i) row.insert(i * stride);
        mortals.visit(before, 1, 0);
        mortals.visit({5 * stride}, 1, 100);
        mortals.visit(row, 2, 10);
        mortals.expect_living(2);
        // Dead all of them, and no new one.
        mortals.visit(row, 20, 10);
        mortals.expect_living(20);
    }
}

// A million features pass by, each living for ten days: the table stays as large as the few that live at a time want
// it, and is rebuilt once for many new ones.
TEST(FeatureTable, TheDeadCostNothing) {
    struct {
        const char* name;
        int32_t (*index)(int32_t);
    } const arrivals[] = {{"ascending", [](int32_t i) { return i; }},
                          {"scattered", [](int32_t i) { return static_cast<int32_t>(i * 2654435761u >> 1); }},
                          {"descending", [](int32_t i) { return 2000000000 - i; }}};
    constexpr int32_t all = 1000000, a_row = 10;
    for (const auto& arrival : arrivals) {
        CountingMemory memory;
        FeatureTable<Cell> table(&memory);
        const auto index = arrival.index;
        for (int32_t day = 1; day <= all / a_row; ++day) {
            std::set<int32_t> indices = {1000000000 + day % 7};
            for (int32_t i = 0; i < a_row; ++i) indices.insert(index(day * a_row + i));
            const Features features(indices);
            const auto work = [&](auto&& cell) {
                for (int32_t i = 0; i < features.row().nnz; ++i) cell(i) = {1, day + 10.0};
            };
            table.with_cells(features.row(), StopSign(), work, [day](const Cell& cell) { return cell.u >= day; });
        }
        EXPECT_LE(memory.peak(), 48u << 10) << arrival.name;
        EXPECT_LE(memory.allocations(), static_cast<size_t>(all) / 50) << arrival.name;
        for (int32_t i = 0; i < 7; ++i) EXPECT_NE(table.find(1000000000 + i), nullptr) << arrival.name;
    }
}

// Near the most that are allowed the living are counted; but not for every feature that comes.
TEST(FeatureTable, TheLivingAreCountedNowAndThen) {
    using sparselin::Numbers;
    constexpr size_t most = 1000;
    constexpr int32_t living = 700, dead = 20000;
    FeatureTable<Numbers> table(std::pmr::new_delete_resource(), {2, most, [](const auto&) { FAIL() << "refused"; }});
    size_t looks = 0;
    const auto touch = [&](int32_t index, double until) {
        const Features features({index});
        const auto work = [&](auto&& cell) { cell(0)[0] = until; };
        table.with_cells(features.row(), StopSign(), work,
                         [&looks](const double* cell) { return ++looks, cell[0] > 0; });
    };
    for (int32_t i = 0; i < living; ++i) touch(i * 2999999 + 7, 1);
    for (int32_t i = 1; i <= dead; ++i) touch(2100000000 - 5 * i, -1);
    EXPECT_LE(looks, size_t{60} * dead);
}

// However close to full the living make it: where little was dropped, the next rebuild is not soon.
TEST(FeatureTable, NoThrashing) {
    for (int32_t living = 600; living < 700; living += 3) {
        CountingMemory memory;
        FeatureTable<Cell> table(&memory);
        const auto touch = [&](int32_t index, double day, double until) {
            const Features features({index});
            const auto work = [&](auto&& cell) { cell(0) = {1, until}; };
            table.with_cells(features.row(), StopSign(), work, [day](const Cell& cell) { return cell.u >= day; });
        };
        for (int32_t i = 0; i < living; ++i) touch(i * 2999999 + 7, 0, 1e9);
        for (int32_t day = 1; day <= 5000; ++day) touch(2100000000 - 5 * day, day, day);
        EXPECT_LE(memory.allocations(), 80u) << living;
    }
}

TEST(FeatureTable, AWalkCanBeInterrupted) {
    volatile std::sig_atomic_t flag = 0;
    FeatureTable<Cell> table(std::pmr::new_delete_resource());
    for (int32_t i = 0; i < 1000; ++i) table.at(i * 2000000, StopSign()).v = 1;
    flag = 1;
    EXPECT_THROW(table.walk(StopSign(&flag), [](int32_t, const Cell&) {}), Interrupted);
}

TEST(SortByUpperHalf, SortsAndKeepsTheLowerHalf) {
    std::mt19937_64 random(17);
    for (const uint64_t mask : {uint64_t{0xff}, uint64_t{0xff00}, uint64_t{0xffffffff}}) {
        sparselin::Vector<uint64_t> words(std::pmr::new_delete_resource());
        for (uint64_t i = 0; i < 5000; ++i) words.push_back((random() & mask) << 32 | i);
        std::vector<uint64_t> expected(words.begin(), words.end());
        std::stable_sort(expected.begin(), expected.end(), [](uint64_t a, uint64_t b) { return a >> 32 < b >> 32; });
        sparselin::sort_by_upper_half(words, StopSign());
        EXPECT_TRUE(std::ranges::equal(words, expected));
    }
}

}  // namespace
