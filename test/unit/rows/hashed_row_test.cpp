// Hashed rows against plain sums, interactions against two loops, and both interrupted.
#include "rows/hashed_row.h"
#include "rows/feature_hash.h"
#include "rows/sparse_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

std::map<int32_t, float> entries_of(const SparseRow& row) {
    std::map<int32_t, float> entries;
    for (int32_t i = 0; i < row.nnz; ++i) entries[row.index[i] + 1] = row.value[i];
    return entries;
}

SparseVector row_of(std::initializer_list<std::pair<int32_t, float>> entries, int32_t dim = 0) {
    SparseVector row(heap, dim);
    for (const auto& [index, value] : entries) row.push_back(index - 1, value);
    return row;
}

}  // namespace

TEST(HashedRow, AddsUpWhatIsTheSameFeature) {
    for (const size_t count : {0, 1, 100, 2047, 2048, 50000}) {
        std::mt19937 random(static_cast<unsigned>(count));
        std::map<int32_t, float> expected;
        std::vector<uint64_t> words;
        for (size_t i = 0; i < count; ++i) {
            const auto feature = static_cast<int32_t>(random() % 1000 + 1);
            const auto value = static_cast<float>(static_cast<int>(random() % 19) - 9);
            words.push_back(pack_feature(feature, value));
            expected[feature] += value;
        }
        std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
        const SparseVector row = hashed_row(words, 1024, heap, go);
        EXPECT_NO_THROW(validate(row.row(), StopSign()));
        EXPECT_EQ(row.dim, 1024);
        EXPECT_EQ(entries_of(row.row()), expected);
    }
}

TEST(HashedRow, HasTheEdgesOfTheRange) {
    std::vector<uint64_t> words = {pack_feature(1 << 30, 1e-45f), pack_feature(1, -3.4e38f), pack_feature(1, 3.4e38f)};
    const SparseVector row = hashed_row(words, 1 << 30, heap, go);
    EXPECT_EQ(entries_of(row.row()), (std::map<int32_t, float>{{1 << 30, 1e-45f}}));
    std::vector<uint64_t> large = {pack_feature(7, 3e38f), pack_feature(7, 3e38f)};
    try {
        hashed_row(large, 16, heap, go);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_range);
        EXPECT_NE(std::string(error.message()).find("index 7"), std::string::npos) << error.message();
    }
}

TEST(HashedRow, GoesOnAfterAnInterrupt) {
    std::vector<uint64_t> words;
    for (uint64_t i = 0; i < 200000; ++i) words.push_back(pack_feature(int32_t(i * 7919 % 65536) + 1, 1));
    std::vector<uint64_t> again = words;
    volatile std::sig_atomic_t flag = 1;
    EXPECT_THROW(hashed_row(words, 65536, heap, StopSign(&flag)), Interrupted);
    EXPECT_EQ(hashed_row(words, 65536, heap, go).row(), hashed_row(again, 65536, heap, go).row());
}

TEST(HashedRow, KnowsTheBitsOfADimension) {
    for (int bits = min_feature_bits; bits <= max_feature_bits; ++bits) {
        EXPECT_NO_THROW(validate_feature_bits(bits));
        EXPECT_EQ(bits_of_dimension(int32_t{1} << bits), bits);
    }
    for (const int32_t dim : {0, -1, 8, 15, 17, 1000, INT32_MAX, INT32_MIN})
        EXPECT_EQ(bits_of_dimension(dim), 0) << dim;
    for (const int bits : {3, 31, 0, -1, INT32_MAX, INT32_MIN}) EXPECT_THROW(validate_feature_bits(bits), Error);
}

TEST(Interact, IsAllProducts) {
    const SparseVector a = row_of({{1, 2}, {5, 0.5f}, {2147483647, 1}}), b = row_of({{1, 3}, {2, -1}}, 4);
    std::map<int32_t, float> expected;
    for (const auto& [i, x] : entries_of(a.row()))
        for (const auto& [j, y] : entries_of(b.row()))
            expected[feature_of(pair_hash(static_cast<uint32_t>(i), static_cast<uint32_t>(j)), 12)] += x * y;
    const SparseVector products = interact(a.row(), b.row(), 12, 100, heap, go);
    EXPECT_EQ(products.dim, 4096);
    EXPECT_EQ(entries_of(products.row()), expected);
    EXPECT_EQ(interact(a.row(), SparseVector(heap).row(), 12, 100, heap, go).row().nnz, 0);
}

TEST(Interact, RefusesWhatDoesNotFit) {
    const SparseVector large = row_of({{1, 3e38f}}), small = row_of({{1, 1e-45f}}), two = row_of({{1, 1}, {2, 1}});
    EXPECT_THROW(interact(large.row(), large.row(), 12, 100, heap, go), Error);
    EXPECT_THROW(interact(small.row(), small.row(), 12, 100, heap, go), Error);
    EXPECT_THROW(interact(two.row(), two.row(), 12, 3, heap, go), Error);
    EXPECT_NO_THROW(interact(two.row(), two.row(), 12, 4, heap, go));
    EXPECT_THROW(interact(two.row(), two.row(), 31, 100, heap, go), Error);
}

TEST(Multiply, KeepsWhatBothHave) {
    SparseVector many(heap, 100000);
    for (int32_t i = 0; i < 100000; i += 3) many.push_back(i, 0.5f);
    const SparseVector few = row_of({{1, 2}, {2, 7}, {4, -8}, {100000, 3}}, 100000);
    const std::map<int32_t, float> expected = {{1, 1}, {4, -4}, {100000, 1.5f}};
    EXPECT_EQ(entries_of(multiply(few.row(), many.row(), heap, go).row()), expected);
    EXPECT_EQ(multiply(many.row(), few.row(), heap, go).row(), multiply(few.row(), many.row(), heap, go).row());
    EXPECT_THROW(multiply(few.row(), row_of({{1, 1}}, 7).row(), heap, go), Error);
    EXPECT_THROW(multiply(row_of({{1, 1e-30f}}).row(), row_of({{1, 1e-30f}}).row(), heap, go), Error);
    EXPECT_THROW(multiply(row_of({{1, 1e30f}}).row(), row_of({{1, 1e30f}}).row(), heap, go), Error);
}
