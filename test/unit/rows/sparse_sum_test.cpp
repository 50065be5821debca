// Sums of sparse rows: against plain sums, through bytes, and interrupted.
#include "rows/sparse_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

std::map<int64_t, double> entries_of(const SparseVector& row) {
    std::map<int64_t, double> entries;
    for (size_t i = 0; i < row.index.size(); ++i) entries[row.index[i] + 1] = row.value[i];
    return entries;
}

// Small whole numbers: every order of addition gives the same sum.
SparseSum random_sum(unsigned seed, int count, std::map<int64_t, double>& expected) {
    std::mt19937 random(seed);
    SparseSum sum(heap);
    for (int i = 0; i < count; ++i) {
        const int64_t index = i % 3 == 0 ? random() % 2147483647 + 1 : random() % 500 + 1;
        const double value = static_cast<double>(random() % 19) - 9;
        sum.add(index, value, go);
        expected[index] += value;
    }
    return sum;
}

}  // namespace

TEST(SparseSum, IsThePlainSum) {
    std::map<int64_t, double> expected;
    const SparseSum sum = random_sum(1, 20000, expected);
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    EXPECT_EQ(entries_of(sum.total(heap, go)), expected);
}

TEST(SparseSum, RowsHaveAMeanAndOneDimension) {
    SparseVector a(heap), b(heap, 9), c(heap, 8);
    a.push_back(0, 1);
    b.push_back(0, 2);
    b.push_back(8, 4);
    SparseSum sum(heap);
    sum.add(a.row(), go);
    sum.add(b.row(), go);
    EXPECT_THROW(sum.add(c.row(), go), Error);
    const SparseVector mean = sum.mean(heap, go);
    EXPECT_EQ(entries_of(mean), (std::map<int64_t, double>{{1, 1.5}, {9, 2}}));
    EXPECT_EQ(mean.dim, 9);

    SparseSum other(heap);
    other.add(c.row(), go);
    EXPECT_THROW(sum.add(other, go), Error);
}

TEST(SparseSum, BytesReadBackAndPartsAddUp) {
    std::map<int64_t, double> expected;
    const SparseSum left = random_sum(2, 5000, expected), right = random_sum(3, 4000, expected);
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    SparseSum both(heap);
    for (const SparseSum* const part : {&left, &right})
        both.add(SparseSum::decode(part->encode(heap, go), heap, go), go);
    EXPECT_EQ(entries_of(both.total(heap, go)), expected);
    for (auto& [index, value] : expected) value = static_cast<float>(value / 9000);
    EXPECT_EQ(entries_of(both.mean(heap, go)), expected);
}

TEST(SparseSum, DamagedBytesAreRefused) {
    std::map<int64_t, double> expected;
    const Vector<char> bytes = random_sum(4, 40, expected).encode(heap, go);
    for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(SparseSum::decode(std::span(bytes).first(size), heap, go), Error) << size;
    Vector<char> longer(bytes, heap);
    longer.push_back(0);
    EXPECT_THROW(SparseSum::decode(longer, heap, go), Error);
    constexpr size_t head = 21, entry = 12;
    Vector<char> swapped(bytes, heap);
    std::swap_ranges(&swapped[head], &swapped[head + entry], &swapped[head + entry]);
    EXPECT_THROW(SparseSum::decode(swapped, heap, go), Error);
    for (size_t at = 0; at < bytes.size(); ++at) {
        Vector<char> flipped(bytes, heap);
        flipped[at] = static_cast<char>(flipped[at] ^ 0x80);
        try {
            SparseSum::decode(flipped, heap, go);
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::bad_binary);
        }
    }
}

TEST(SparseSum, BadEntriesAreRefused) {
    SparseSum sum(heap);
    for (const int64_t index : {int64_t{0}, int64_t{-1}, int64_t{2147483648}, INT64_MIN, INT64_MAX})
        EXPECT_THROW(sum.add(index, 1, go), Error) << index;
    for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-60, -1e-60})
        EXPECT_THROW(sum.add(1, value, go), Error) << value;
    sum.add(1, 1e39, go);
    EXPECT_THROW(sum.total(heap, go), Error);
    sum.add(1, -1e39, go);
    EXPECT_TRUE(sum.total(heap, go).index.empty());
}

TEST(SparseSum, EntriesOfADimension) {
    SparseSum sum(heap), other(heap), open(heap);
    sum.add(3, 1, 7, go);
    sum.add(7, 2, 0, go);
    sum.add(3, -1, 7, go);
    EXPECT_EQ(sum.total(heap, go).dim, 7);
    EXPECT_EQ(entries_of(sum.total(heap, go)), (std::map<int64_t, double>{{7, 2}}));
    EXPECT_THROW(sum.add(8, 0, 7, go), Error);
    EXPECT_THROW(sum.add(8, 0, 0, go), Error);
    EXPECT_THROW(sum.add(1, 0, 8, go), Error);
    EXPECT_THROW(sum.add(1, 0, -1, go), Error);
    for (const int64_t index : {int64_t{0}, int64_t{2147483648}, INT64_MIN, INT64_MAX})
        EXPECT_THROW(open.add(index, 1, 0, go), Error) << index;
    other.add(1, 1, 8, go);
    EXPECT_THROW(sum.add(other, go), Error);
    open.add(9, 1, 0, go);
    sum.add(open, go);
    EXPECT_THROW(sum.total(heap, go), Error);
}

TEST(SparseSum, AnInterruptedStepCanBeMadeAgain) {
    const volatile std::sig_atomic_t raised = 1;
    const StopSign stop(&raised);
    SparseSum sum(heap);
    for (int64_t index = 1; index <= 5000; ++index) {
        try {
            sum.add(index * 1000, 1, stop);
        } catch (const Interrupted&) {
            sum.add(index * 1000, 1, go);
        }
    }
    const SparseVector total = sum.total(heap, go);
    EXPECT_EQ(total.index.size(), 5000u);
    for (const float value : total.value) EXPECT_EQ(value, 1);
    EXPECT_THROW(sum.total(heap, stop), Interrupted);
}

TEST(SparseSum, CountsRowsForTheInverseDocumentFrequency) {
    SparseVector a(heap), b(heap, 9), none(heap);
    a.push_back(0, -5);
    b.push_back(0, 2);
    b.push_back(8, 0.5f);
    SparseSum sum(heap), half(heap);
    sum.count(a.row(), go);
    half.count(b.row(), go);
    half.count(none.row(), go);
    sum.add(SparseSum::decode(half.encode(heap, go), heap, go), go);
    const SparseVector idf = sum.idf(heap, go);
    EXPECT_EQ(idf.dim, 9);
    EXPECT_EQ(idf.index, (Vector<int32_t>{0, 8}));
    EXPECT_FLOAT_EQ(idf.value[0], static_cast<float>(std::log(4.0 / 3) + 1));
    EXPECT_FLOAT_EQ(idf.value[1], static_cast<float>(std::log(4.0 / 2) + 1));
}
