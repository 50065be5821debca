// Every way through a store visits the right rows, whether its blocks are in memory or have to be fetched.
#include "support/block_file.h"
#include "support/counting_memory.h"
#include "rows/pass.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace {

using namespace sparselin;

// Rows whose label is their number; row i has i % 5 features. What a file would hold is kept in a map.
class Rows {
public:
    Rows(size_t count, bool spill) : store(&memory) {
        for (size_t i = 0; i < count; ++i) {
            const int32_t nnz = static_cast<int32_t>(i % 5);
            const int32_t index[] = {0, 7, 9, 100, 2000};
            const float value[] = {static_cast<float>(i), 1, 2, 3, 4};
            const SparseRow x = {index, value, nnz, 0};
            if (!store.has_room_for(x)) {
                if (spill && store.worth_spilling()) file_.write_out(store);
                if (!store.has_room_for(x)) store.add_block(store.next_block_size(x));
            }
            store.append({x, static_cast<double>(i), 1});
        }
    }

    std::vector<size_t> visited(Box<Pass> pass) {
        std::vector<size_t> rows;
        for (;;) {
            while (pass->open_window(StopSign())) {
                for (const PackedRow* row : pass->window()) rows.push_back(check(row));
                most_in_window = std::max(most_in_window, pass->window().size());
            }
            if (pass->at_end()) return rows;
            EXPECT_FALSE(pass->missing().empty());
            file_.bring_in(store, pass->missing());
            most_held = std::max(most_held, memory.held());
        }
    }

    size_t written() const { return file_.written(); }

    CountingMemory memory;
    RowStore store;
    size_t most_in_window = 0, most_held = 0;

private:
    size_t check(const PackedRow* row) {
        const Example example = room_.unpack(*row);
        const size_t number = static_cast<size_t>(example.y);
        EXPECT_EQ(example.x.nnz, static_cast<int32_t>(number % 5));
        if (example.x.nnz > 0) {
            EXPECT_EQ(example.x.value[0], static_cast<float>(number));
        }
        if (example.x.nnz == 4) {
            EXPECT_EQ(example.x.index[3], 100);
        }
        return number;
    }

    BlockFile file_;
    IndexRoom room_{&memory};
};

constexpr size_t count = 20000;
constexpr size_t everything = size_t{1} << 30;
constexpr size_t little = 100000;

std::vector<size_t> in_order(size_t n) {
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    return order;
}

using Windows = std::vector<std::vector<size_t>>;

// The labels of each window's rows, where all blocks are in memory.
Windows windows_of(Pass& pass) {
    Windows windows;
    while (pass.open_window(StopSign())) {
        windows.emplace_back();
        for (const PackedRow* row : pass.window()) windows.back().push_back(static_cast<size_t>(row->y));
    }
    EXPECT_TRUE(pass.at_end());
    return windows;
}

TEST(SequentialPass, KeepsTheOrder) {
    for (const bool spill : {false, true})
        for (const size_t window : {little, everything}) {
            Rows rows(count, spill);
            EXPECT_EQ(rows.written() > 0, spill);
            for (int epoch = 0; epoch < 2; ++epoch)
                EXPECT_EQ(rows.visited(sequential_pass(rows.store, window, &rows.memory)), in_order(count));
        }
}

TEST(ShuffledPass, VisitsEachRowOnce) {
    for (const bool spill : {false, true})
        for (const size_t window : {little, everything}) {
            Rows rows(count, spill);
            std::vector<std::vector<size_t>> epochs;
            for (uint64_t epoch = 0; epoch < 2; ++epoch) {
                epochs.push_back(rows.visited(shuffled_pass(rows.store, window, Random(42, epoch), &rows.memory)));
                EXPECT_NE(epochs.back(), in_order(count));
                std::vector<size_t> sorted = epochs.back();
                std::ranges::sort(sorted);
                EXPECT_EQ(sorted, in_order(count));
            }
            EXPECT_NE(epochs[0], epochs[1]);
            EXPECT_EQ(rows.visited(shuffled_pass(rows.store, window, Random(42, 1), &rows.memory)), epochs[1]);
        }
}

// Rows that a cache holds: the shuffle of Fisher and Yates, which goes on from the last one's order.
TEST(ShuffledPass, OfFewRowsIsAShuffleOfAll) {
    Rows rows(count, false);
    Box<Pass> pass = shuffled_pass(rows.store, everything, Random(42, 0), &rows.memory);
    std::vector<size_t> expected = in_order(count);
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
        if (epoch > 0) {
            EXPECT_TRUE(pass->again(Random(42, epoch)));
        }
        Random(42, epoch).shuffle(std::span(expected), StopSign());
        EXPECT_EQ(windows_of(*pass), Windows{expected});
    }
}

// Rows of 8 KB, 40 MB of them.
class LargeRows {
public:
    static constexpr size_t count = 5000;

    LargeRows() : store(&memory) {
        const std::vector<int32_t> index = [] {
            std::vector<int32_t> all(1000);
            std::iota(all.begin(), all.end(), 1);
            return all;
        }();
        const std::vector<float> value(index.size(), 1);
        for (size_t i = 0; i < count; ++i) {
            const SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
            if (!store.has_room_for(x)) store.add_block(store.next_block_size(x));
            store.append({x, static_cast<double>(i), 1});
        }
    }

    CountingMemory memory;
    RowStore store;
};

// More rows than a cache holds: windows that it holds, each of rows from all over, as the windows of a spilled shuffle.
TEST(ShuffledPass, OfManyRowsGoesByWhatACacheHolds) {
    LargeRows rows;
    Box<Pass> pass = sequential_pass(rows.store, everything, &rows.memory);
    EXPECT_EQ(windows_of(*pass), Windows{in_order(LargeRows::count)});
    Windows before;
    for (uint64_t epoch = 0; epoch < 4; ++epoch) {
        ASSERT_TRUE(pass->again(Random(42, epoch)));
        const auto windows = windows_of(*pass);
        EXPECT_EQ(windows.size(), 3u);
        std::vector<size_t> all;
        for (const auto& window : windows) {
            EXPECT_LE(window.size() * rows.store.bytes() / LargeRows::count, size_t{16} << 20);
            const auto early = [](size_t row) { return row < LargeRows::count / 2; };
            const auto half = static_cast<ptrdiff_t>(window.size() / 2);
            const double first = static_cast<double>(std::count_if(window.begin(), window.begin() + half, early));
            const double second = static_cast<double>(std::count_if(window.begin() + half, window.end(), early));
            EXPECT_NEAR((first + second) / static_cast<double>(window.size()), 0.5, 0.02);
            EXPECT_NEAR(first / static_cast<double>(half), 0.5, 0.07);
            all.insert(all.end(), window.begin(), window.end());
        }
        std::ranges::sort(all);
        EXPECT_EQ(all, in_order(LargeRows::count));
        EXPECT_NE(windows, before);
        before = windows;
    }
    Box<Pass> anew = shuffled_pass(rows.store, everything, Random(42, 3), &rows.memory);
    EXPECT_EQ(windows_of(*anew), before);
}

// A window of a spilled shuffle mixes rows from all over: a table sorted by label must not come in runs of one label.
TEST(ShuffledPass, MixesFarApartRows) {
    Rows rows(count, true);
    const auto order = rows.visited(shuffled_pass(rows.store, 200000, Random(42, 0), &rows.memory));
    size_t run = 0, longest = 0;
    for (size_t i = 1; i < order.size(); ++i) {
        run = (order[i] < count / 2) == (order[i - 1] < count / 2) ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    EXPECT_LT(rows.most_in_window, count / 2);
    EXPECT_LT(longest, rows.most_in_window);
}

// Draw i is Random::below(rows), whether the rows are in memory or not.
TEST(DrawnPass, DrawsAreTheGeneratorsOwn) {
    std::vector<size_t> expected;
    Random random(7, 3);
    for (size_t i = 0; i < count; ++i) expected.push_back(random.below(count));
    for (const bool spill : {false, true})
        for (const size_t window : {little, everything}) {
            Rows rows(count, spill);
            EXPECT_EQ(rows.visited(drawn_pass(rows.store, window, Random(7, 3), &rows.memory)), expected)
                << spill << " " << window;
        }
}

TEST(Passes, StayWithinTheirWindow) {
    Rows rows(count, true);
    rows.visited(sequential_pass(rows.store, little, &rows.memory));
    EXPECT_LE(rows.most_held, 3 * little);
    rows.visited(shuffled_pass(rows.store, little, Random(1, 0), &rows.memory));
    EXPECT_LE(rows.most_held, 3 * little);
    rows.visited(drawn_pass(rows.store, little, Random(1, 0), &rows.memory));
    EXPECT_LE(rows.most_held, 3 * little + 2 * 65536);
}

TEST(Passes, FewRows) {
    for (const size_t n : {size_t{1}, size_t{2}, size_t{9}}) {
        Rows rows(n, true);
        EXPECT_EQ(rows.visited(sequential_pass(rows.store, everything, &rows.memory)), in_order(n));
        EXPECT_EQ(rows.visited(shuffled_pass(rows.store, everything, Random(1, 0), &rows.memory)).size(), n);
        EXPECT_EQ(rows.visited(drawn_pass(rows.store, everything, Random(1, 0), &rows.memory)).size(), n);
    }
}

// Interrupted at every chance: the call made again goes on where it was.
std::vector<size_t> visited_with_interruptions(Pass& pass) {
    volatile std::sig_atomic_t flag = 1;
    std::vector<size_t> order;
    while (!pass.at_end()) {
        flag = !flag;
        try {
            if (!pass.open_window(StopSign(&flag))) continue;
        } catch (const Interrupted&) {
            continue;
        }
        for (const PackedRow* row : pass.window()) order.push_back(static_cast<size_t>(row->y));
    }
    return order;
}

TEST(Passes, InterruptionsChangeNothing) {
    for (int kind = 0; kind < 3; ++kind) {
        Rows rows(count, false);
        const auto make = [&] {
            return kind == 0   ? sequential_pass(rows.store, everything, &rows.memory)
                   : kind == 1 ? shuffled_pass(rows.store, everything, Random(5, 0), &rows.memory)
                               : drawn_pass(rows.store, little, Random(5, 0), &rows.memory);
        };
        const auto expected = rows.visited(make());
        EXPECT_EQ(visited_with_interruptions(*make()), expected);
    }
    LargeRows rows;
    const auto make = [&] { return shuffled_pass(rows.store, everything, Random(5, 0), &rows.memory); };
    std::vector<size_t> expected;
    for (const auto& window : windows_of(*make())) expected.insert(expected.end(), window.begin(), window.end());
    EXPECT_EQ(visited_with_interruptions(*make()), expected);
}

TEST(Random, BelowIsUniform) {
    Random random(1, 2);
    std::map<uint64_t, int> seen;
    for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
    EXPECT_EQ(seen.size(), 7u);
    for (const auto& [number, times] : seen) EXPECT_NEAR(times, 10000, 500) << number;
}

TEST(Random, StreamsDiffer) {
    EXPECT_NE(Random(1, 0).next(), Random(1, 1).next());
    EXPECT_NE(Random(1, 0).next(), Random(2, 0).next());
    EXPECT_NE(Random(0, 1).next(), Random(1, 0).next());
    EXPECT_EQ(Random(9, 9).next(), Random(9, 9).next());
}

}  // namespace
