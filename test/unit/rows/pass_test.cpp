// Every way through a store visits the right rows, whether its blocks are in memory or have to be fetched.
#include "support/block_file.h"
#include "support/counting_memory.h"
#include "rows/pass.h"

#include <gtest/gtest.h>

#include <map>

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
        const Example example = row->example();
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
};

constexpr size_t count = 20000;
constexpr size_t everything = size_t{1} << 30;
constexpr size_t little = 100000;

std::vector<size_t> in_order(size_t n) {
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    return order;
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
TEST(Passes, InterruptionsChangeNothing) {
    for (int kind = 0; kind < 3; ++kind) {
        Rows rows(count, false);
        const auto make = [&] {
            return kind == 0   ? sequential_pass(rows.store, everything, &rows.memory)
                   : kind == 1 ? shuffled_pass(rows.store, everything, Random(5, 0), &rows.memory)
                               : drawn_pass(rows.store, little, Random(5, 0), &rows.memory);
        };
        const auto expected = rows.visited(make());
        Box<Pass> pass = make();
        volatile std::sig_atomic_t flag = 1;
        std::vector<size_t> order;
        while (!pass->at_end()) {
            flag = !flag;
            try {
                if (!pass->open_window(StopSign(&flag))) continue;
            } catch (const Interrupted&) {
                continue;
            }
            for (const PackedRow* row : pass->window()) order.push_back(static_cast<size_t>(row->y));
        }
        EXPECT_EQ(order, expected);
    }
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
