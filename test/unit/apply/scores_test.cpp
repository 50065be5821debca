// Scores in order, and the area under the ROC curve: against all pairs; spilled, merged in passes and interrupted, the
// same bit for bit.
#include "apply/roc.h"
#include "apply/ordered_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <tuple>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

struct Row {
    double score;
    bool positive;
    double weight = 1;
};

double all_pairs(const std::vector<Row>& rows) {
    double won = 0, pairs = 0;
    for (const Row& a : rows)
        for (const Row& b : rows) {
            if (!a.positive || b.positive) continue;
            pairs += a.weight * b.weight;
            won += a.weight * b.weight * (a.score > b.score ? 1 : a.score == b.score ? 0.5 : 0);
        }
    return won / pairs;
}

// Scores of which parts lie in a "file".
struct Store {
    Scores scores{heap};
    std::vector<char> file;

    void add(const Row& row, size_t limit) {
        const Stack stack = Scores::stack_for(row.weight, row.positive);
        while (!scores.add(row.score, row.positive, row.weight))
            scores.make_room(stack, scores.next_size(stack, limit));
    }

    int64_t append(const char* data, size_t size) {
        file.insert(file.end(), data, data + size);
        return static_cast<int64_t>(file.size() - size);
    }

    void spill(size_t least = 1) {
        scores.sort(go);
        for (size_t i = 0; i < scores.blocks().size(); ++i) {
            const ScoreChunk& chunk = scores.blocks()[i];
            if (chunk.in_memory() && chunk.used >= least) scores.written(i, append(chunk.data, chunk.used));
        }
    }

    template <typename Take>
    bool go_on(OrderedScores& ordered, Take&& take) {
        for (;;) {
            try {
                if (ordered.give(take, stop)) return true;
            } catch (const Interrupted&) {
                ++interrupts;
                if (interrupts % 7 == 0) raised = 0;
                continue;
            }
            if (!ordered.is_waiting()) return false;
            const OrderedScores::Wanted& wanted = ordered.wanted();
            memcpy(wanted.target, file.data() + wanted.position + wanted.beyond, wanted.size);
        }
    }

    void merge_pass(size_t most, size_t window, size_t chunk) {
        Vector<ScoreChunk> merged(heap);
        for (const Stack stack : every_stack) {
            const auto runs = runs_of(scores.blocks(), stack, heap);
            for (size_t first = 0; first < runs.size(); first += most) {
                OrderedScores ordered(window, heap);
                ScoreWriter writer(chunk, heap);
                for (size_t i = first; i < std::min(first + most, runs.size()); ++i) ordered.add(runs[i]);
                bool ended = false;
                for (bool continues = false; !ended; continues = true) {
                    ended = go_on(ordered, [&](auto... score) { return writer.take(score...); });
                    const int64_t position = append(writer.data().data(), writer.data().size());
                    merged.push_back(writer.written(position, continues));
                }
            }
        }
        scores.replace_written(merged);
    }

    // In memory.
    size_t bytes() const {
        size_t bytes = 0;
        for (const ScoreChunk& chunk : scores.blocks()) bytes += chunk.in_memory() ? chunk.room : 0;
        return bytes;
    }

    size_t runs() const {
        size_t count = 0;
        for (const Stack stack : every_stack) count += runs_of(scores.blocks(), stack, heap).size();
        return count;
    }

    double area(size_t window = 64, RocCurve curve = {}) {
        scores.sort(go);
        OrderedScores ordered(window, heap);
        for (const Stack stack : every_stack)
            for (const ScoreRun run : runs_of(scores.blocks(), stack, heap)) ordered.add(run);
        std::tuple<uint64_t, Stack, double> last{};
        bool in_order = true;
        EXPECT_TRUE(go_on(ordered, [&](Stack stack, uint64_t order, double weight) {
            const auto next = std::tuple(order, stack, weight);
            in_order = in_order && last <= next;
            last = next;
            return curve.take(stack, order, weight);
        }));
        EXPECT_TRUE(in_order);
        return curve.area();
    }

    volatile std::sig_atomic_t raised = 0;
    StopSign stop{&raised};
    int interrupts = 0;
};

double area_of(const std::vector<Row>& rows) {
    Store store;
    for (const Row& row : rows) store.add(row, 1 << 20);
    return store.area();
}

// Few different scores, so that there are ties within and between the classes.
std::vector<Row> random_rows(unsigned seed, int count, int scores, int weights) {
    std::mt19937 random(seed);
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
        const double score = (static_cast<int>(random() % scores) - scores / 3) * 0.37;
        const bool positive = random() % 3 == 0;
        const int weight = static_cast<int>(random() % weights);
        rows.push_back({score + (positive ? 0.37 : 0), positive, weight == 0 ? 1 : 0.1 * weight});
    }
    return rows;
}

TEST(Scores, AreOrderedAsNumbers) {
    const double ascending[] = {-1.7976931348623157e308, -1e10, -1, -1e-310, -5e-324, 0, 5e-324, 1e-310, 1, 1.5, 2,
                                1.7976931348623157e308};
    for (size_t i = 1; i < std::size(ascending); ++i) EXPECT_LT(order_of(ascending[i - 1]), order_of(ascending[i]));
    EXPECT_EQ(order_of(-0.0), order_of(0.0));
}

TEST(Auc, IsThatOfAllPairs) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const int scores[] = {1, 2, 5, 40, 1000}, weights[] = {1, 2, 6};
        const auto rows = random_rows(seed, 2 + static_cast<int>(seed), scores[seed % 5], weights[seed % 3]);
        const double expected = all_pairs(rows), area = area_of(rows);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(area));
        } else {
            EXPECT_NEAR(area, expected, 1e-13) << seed;
        }
    }
    EXPECT_EQ(area_of({{1, true}, {0, false}}), 1);
    EXPECT_EQ(area_of({{0, true}, {1, false}}), 0);
    EXPECT_EQ(area_of({{0, true}, {-0.0, false}}), 0.5);
    EXPECT_EQ(area_of({{1, true}, {1, false, 3}, {0, false}}), 0.625);
    EXPECT_TRUE(std::isnan(area_of({{1, true}, {0, true, 7}})));
    EXPECT_TRUE(std::isnan(area_of({{1, false}})));
    EXPECT_TRUE(std::isnan(area_of({})));
}

TEST(Auc, IsTheSameHoweverRowsAreSpread) {
    for (const int weights : {1, 2, 30}) {
        auto rows = random_rows(7, 20000, 3000, weights);
        const double expected = area_of(rows);
        EXPECT_GT(expected, 0.5);
        for (const size_t limit : {size_t{2000}, size_t{70000}}) {
            for (const size_t most : {2, 3, 10}) {
                std::shuffle(rows.begin(), rows.end(), std::mt19937(static_cast<unsigned>(limit + most)));
                Store store;
                for (const Row& row : rows) {
                    store.add(row, limit);
                    if (store.bytes() > limit) store.spill(Scores::smallest_spilled);
                    ASSERT_LT(store.bytes(), limit + 3 * 2048 + limit / 4);
                }
                EXPECT_EQ(store.scores.count(), 20000);
                EXPECT_EQ(store.area(16), expected) << "some in memory, some in the file";
                EXPECT_EQ(store.area(16), expected) << "once more";
                store.spill();
                while (store.runs() > std::max<size_t>(most, 3)) store.merge_pass(most, 48, 1008);
                EXPECT_EQ(store.scores.count(), 20000);
                EXPECT_EQ(store.area(8192), expected) << weights << " " << limit << " " << most;
            }
        }
    }
}

// The flag is up all the time, but for now and then.
TEST(Auc, GoesOnAfterInterrupts) {
    const auto rows = random_rows(9, 300000, 100000, 5);
    const double expected = area_of(rows);
    Store store;
    for (const Row& row : rows) store.add(row, 100000);
    store.raised = 1;
    EXPECT_EQ(store.area(), expected);
    EXPECT_GE(store.interrupts, 4) << "polled every 65536th score";
    store.spill();
    store.raised = 1;
    store.merge_pass(1000, 1 << 20, 1 << 20);
    store.raised = 1;
    EXPECT_EQ(store.area(), expected);
}

TEST(Auc, OfTinyAndHugeWeights) {
    const auto rows = random_rows(5, 500, 40, 3);
    const double expected = area_of(rows);
    for (const double a : {1e-300, 0x1p-1000, 1.0, 1e300}) {
        for (const double b : {1e-300, 0x1p-500, 1e300}) {
            Store store;
            double positives = 0, negatives = 0;
            for (Row row : rows) {
                row.weight *= row.positive ? a : b;
                (row.positive ? positives : negatives) += row.weight;
                store.add(row, 1 << 20);
            }
            EXPECT_NEAR(store.area(64, {positives, negatives}), expected, 1e-14) << a << " " << b;
        }
    }
    Store store;
    double weights[2] = {};
    for (const Row& row : rows) {
        store.add(row, 1 << 20);
        weights[row.positive] += row.weight;
    }
    EXPECT_EQ(store.area(64, {weights[1], weights[0]}), expected) << "the scale costs no bit";
}

TEST(Auc, RowsMayFollow) {
    const auto rows = random_rows(3, 500, 40, 3);
    Store store;
    std::vector<Row> so_far;
    for (const Row& row : rows) {
        store.add(row, 4096);
        so_far.push_back(row);
        if (so_far.size() % 50 == 0) {
            EXPECT_NEAR(store.area(), all_pairs(so_far), 1e-12);
        }
        if (so_far.size() == 333) store.spill();
    }
}

TEST(Scores, TravelAsSortedChunks) {
    const auto rows = random_rows(4, 3000, 500, 4);
    Store from, to;
    for (const Row& row : rows) from.add(row, 1 << 20);
    const double expected = from.area();
    for (const ScoreChunk& chunk : from.scores.blocks()) {
        std::vector<char> bytes(chunk.data, chunk.data + chunk.used);
        scores_to_little_endian(bytes);
        to.scores.adopt(chunk.stack, bytes);
        // Each byte in turn is damaged: it is noticed, or leaves something that is in order.
        for (size_t at = 0; at < bytes.size(); at += 17) {
            Scores damaged(heap);
            std::vector<char> other = bytes;
            other[at] = static_cast<char>(other[at] ^ 0x80);
            try {
                damaged.adopt(chunk.stack, other);
            } catch (const Error&) {
            }
        }
        EXPECT_THROW(Scores(heap).adopt(chunk.stack, std::span(bytes).first(bytes.size() - 1)), Error);
    }
    EXPECT_EQ(to.area(), expected);
    EXPECT_THROW(Scores(heap).adopt(Stack::positive, {}), Error);
    const auto refused = [](Stack stack, std::vector<uint64_t> words) {
        try {
            Scores(heap).adopt(stack, {reinterpret_cast<const char*>(words.data()), words.size() * 8});
        } catch (const Error&) {
            return true;
        }
        return false;
    };
    EXPECT_FALSE(refused(Stack::positive, {order_of(1), order_of(1), order_of(2)}));
    EXPECT_TRUE(refused(Stack::positive, {order_of(2), order_of(1)}));
    EXPECT_TRUE(refused(Stack::negative, {order_of(HUGE_VAL)}));
    EXPECT_TRUE(refused(Stack::negative, {0}));
    EXPECT_FALSE(refused(Stack::weighted, {order_of(1), std::bit_cast<uint64_t>(-2.5)}));
    EXPECT_TRUE(refused(Stack::weighted, {order_of(1), std::bit_cast<uint64_t>(0.0)}));
    EXPECT_TRUE(refused(Stack::weighted, {order_of(1), std::bit_cast<uint64_t>(HUGE_VAL)}));
}

// Thousands of groups of a few rows.
TEST(Scores, StartSmall) {
    EXPECT_LE(sizeof(Scores), 104u);
    Store store;
    store.add({1, true}, 1 << 22);
    EXPECT_LE(store.bytes(), 64u);
    for (int i = 0; i < 100000; ++i) store.add({1.0 * i, true}, 1 << 22);
    EXPECT_LE(store.bytes(), 8 * 100000 * 2u);
}

}  // namespace
}  // namespace sparselin
