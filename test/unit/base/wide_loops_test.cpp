// The loops over the runs of a row's features against the same for each run, one after the other: to the bit, for each
// number of runs and rows of each length that a loop can leave a rest of.
#include "base/wide_loops.h"
#include "rows/sparse.h"

#include <gtest/gtest.h>

#include <random>

namespace sparselin {
namespace {

constexpr size_t most_runs = 40;
constexpr size_t features_of_row[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 11, 32, 37};
constexpr double untouched = -77;

// Cells of features that are in no order, of which the runs' numbers are a part that begins anywhere.
struct Row {
    Row(std::mt19937_64& random, size_t runs, size_t at, size_t features) : at(at), x(features) {
        const size_t size = at + runs + 1;
        numbers.assign(features * size, untouched);
        for (size_t i = 0; i < features; ++i) {
            places.push_back(&numbers[(i * 7 + 3) % features * size]);  // no two the same: no length is a multiple of 7
            for (size_t run = 0; run < runs; ++run) places[i][at + run] = any(random);
            x[i] = any(random);
        }
    }

    static double any(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random()), -60) - 8; }

    size_t at;
    std::vector<double> numbers;
    std::vector<double*> places;
    std::vector<double> x;
};

uint64_t bits(double number) {
    return std::bit_cast<uint64_t>(number);
}

void check_sum(std::mt19937_64& random, size_t runs, size_t features, CellsAhead& ahead) {
    const Row row(random, runs, features % 5, features);
    WideSum sum(runs);
    // In two parts, the first of which is a multiple of four.
    const size_t first = features / 8 * 4;
    sum.add({row.places.data(), row.at, row.x.data(), first}, ahead);
    sum.add({row.places.data() + first, row.at, row.x.data() + first, features - first}, ahead);
    const Wide found = sum.total();
    for (size_t run = 0; run < runs; ++run) {
        const double expected = sum_over(static_cast<int32_t>(features), StopSign(), [&](int32_t i) {
            const auto place = static_cast<size_t>(i);
            return row.places[place][row.at + run] * row.x[place];
        });
        EXPECT_EQ(bits(found[run]), bits(expected)) << run;
    }
}

void check_multiples(std::mt19937_64& random, size_t runs, size_t features, CellsAhead& ahead) {
    Row row(random, runs, features % 5, features);
    std::vector<double> its(runs), expected = row.numbers;
    for (double& number : its) number = row.any(random);
    for (size_t i = 0; i < features; ++i) {
        double* const place = &expected[static_cast<size_t>(row.places[i] - row.numbers.data())];
        for (size_t run = 0; run < runs; ++run) place[row.at + run] += its[run] * row.x[i];
    }
    add_multiples(its.data(), runs, {row.places.data(), row.at, row.x.data(), features}, ahead);
    for (size_t n = 0; n < expected.size(); ++n) EXPECT_EQ(bits(row.numbers[n]), bits(expected[n])) << n;
}

// Once with cells that are asked for in the meantime, more of them or fewer than the loop takes steps.
template <typename Check>
void each_size(Check&& check) {
    std::mt19937_64 random(1);
    const Row others(random, 20, 0, 9);
    for (size_t runs = 1; runs <= Wide::most; runs += runs < most_runs ? 1 : 6) {
        for (const size_t features : features_of_row) {
            SCOPED_TRACE(std::to_string(runs) + " runs, " + std::to_string(features) + " features");
            CellsAhead none, some(others.places.data(), features % 10, 20);
            EXPECT_FALSE(none.any());
            EXPECT_EQ(some.any(), features % 10 > 0);
            check(random, runs, features, none);
            check(random, runs, features, some);
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(WideLoops, SumARowAsEachRunDoes) {
    each_size(check_sum);
}

TEST(WideLoops, AddMultiplesAsEachRunDoes) {
    each_size(check_multiples);
}

// Each line of a cell takes a step, and the end of one that lies across lines goes with its first.
TEST(WideLoops, AsksForTheCellsOneAfterTheOther) {
    const std::vector<double> numbers(100);
    const double* const cells[] = {&numbers[0], &numbers[50], &numbers[20]};
    CellsAhead ahead(cells, 3, 17);
    for (size_t line = 0; line < 3 * 3; ++line) {
        EXPECT_TRUE(ahead.any()) << line;
        ahead.ask();
    }
    EXPECT_FALSE(ahead.any());
    ahead.ask();
    EXPECT_FALSE(ahead.any());
}

}  // namespace
}  // namespace sparselin
