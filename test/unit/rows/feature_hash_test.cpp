// The numbers of names: the published vectors, and the definition in docs/hashing.md written down byte by byte.
#include "rows/feature_hash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <unordered_set>

using namespace sparselin;

namespace {

struct Vector20 {
    std::string_view name;
    uint64_t hash;
    int32_t feature20;
};

// As docs/hashing.md has them. They never change.
const Vector20 vectors[] = {
    {"", 0x74aa5395f40dcba1, 477862},
    {"a", 0x57c0ae315e9d28ee, 359435},
    {"ab", 0xc3ad4ffa84d6ca40, 801493},
    {"abc", 0x93e394e3800c5665, 605754},
    {"free", 0xf46c865c01a662d2, 1001161},
    {"page=7", 0x4ee1fcce330dad35, 323104},
    {"country", 0x472b74afcb71e61d, 291512},
    {"sparselin", 0xa33416e6a481282f, 668482},
    {"country=de", 0xf4f2a241f04e2e52, 1003307},
    {"Gr\xc3\xb6\xc3\x9f"
     "e",
     0x19917e45cdf49e17, 104728},
    {"0123456789abcdef", 0xc8bcbde6e081b92e, 822220},
    {"the quick brown fox jumps over the lazy dog", 0x1364d7bd6283b054, 79438},
    {"age is null", 0x3d1e06b2c6b86ef8, 250337},
    {"seen", 0xdfb8c0f7443c2d18, 916365},
    {"seen.month=11", 0x170f4e5122ee6f96, 94453},
    {"seen.weekday=3", 0x93bf4ad27b72ff0a, 605173},
    {"seen.hour=9", 0x745b969b07a0f627, 476602},
    {"seen=infinity", 0xb5d39dd6aaf30d12, 744762},
    {"seen=-infinity", 0xcd2f7becbc46560e, 840440},
    {"embedding.1", 0x0929308ce3788bb4, 37524},
    {"new york", 0x973e21b1d7614a76, 619491},
    {"new york city", 0xb8cdc00c3bd75c53, 756957},
};

// Arithmetic on numbers only: nothing here depends on how a machine keeps them.
uint64_t literal_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xcbbb9d5dc1059ed9;
    x ^= x >> 29;
    x *= 0x629a292a367cd507;
    x ^= x >> 32;
    x *= 0x9159015a3070dd17;
    x ^= x >> 31;
    return x;
}

uint64_t literal_hash(std::string_view name) {
    uint64_t hash = 0x67332667ffc00b31;
    for (size_t start = 0; start < name.size(); start += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8 && start + i < name.size(); ++i)
            word += uint64_t{static_cast<unsigned char>(name[start + i])} << (8 * i);
        const uint64_t x = hash ^ (word * 0x9159015a3070dd17);
        hash = (x << 27 | x >> 37) * 0x8eb44a8768581511 + 0x152fecd8f70e5939;
    }
    return literal_mix(hash + name.size() * 0x629a292a367cd507);
}

std::string random_bytes(std::mt19937_64& random, size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

// How far the counts of features are from even, in standard deviations of the chi-squared distribution.
double unevenness(const std::vector<std::string>& names, int bits) {
    std::vector<double> count(size_t{1} << bits);
    for (const std::string& name : names) ++count[static_cast<size_t>(feature_of(feature_hash(name), bits) - 1)];
    const double mean = static_cast<double>(names.size()) / static_cast<double>(count.size());
    double chi_squared = 0;
    for (const double n : count) chi_squared += (n - mean) * (n - mean) / mean;
    const double freedom = static_cast<double>(count.size() - 1);
    return (chi_squared - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST(FeatureHash, HasThePublishedVectors) {
    for (const Vector20& vector : vectors) {
        EXPECT_EQ(feature_hash(vector.name), vector.hash) << vector.name;
        EXPECT_EQ(feature_of(vector.hash, 20), vector.feature20) << vector.name;
    }
    EXPECT_EQ(pair_hash(1, 1), 0x4b292ecadd40ef9b);
    EXPECT_EQ(pair_hash(1, 2), 0x1e7cf5b063ecfd3b);
    EXPECT_EQ(pair_hash(2, 1), 0xfe6d933649db8397);
    EXPECT_EQ(pair_hash(2147483647, 2147483647), 0x922af1c7c4b327d0);
}

TEST(FeatureHash, IsTheDefinitionWhereverTheNameLies) {
    std::mt19937_64 random(1);
    for (size_t size = 0; size < 100; ++size) {
        for (size_t shift = 0; shift < 9; ++shift) {
            const std::string padded = random_bytes(random, shift + size + 9);
            const std::string_view name = std::string_view(padded).substr(shift, size);
            EXPECT_EQ(feature_hash(name), literal_hash(std::string(name))) << size << " bytes";
        }
    }
}

TEST(FeatureHash, TellsZerosAtTheEnd) {
    std::unordered_set<uint64_t> seen;
    for (size_t size = 0; size < 64; ++size) seen.insert(feature_hash(std::string(size, '\0')));
    EXPECT_EQ(seen.size(), 64u);
}

TEST(FeatureHash, SpreadsNamesEvenly) {
    std::vector<std::string> numbers, words, pairs;
    for (int i = 0; i < 200000; ++i) {
        numbers.push_back("user_id=" + std::to_string(i));
        pairs.push_back(std::to_string(10000000 + i % 1000) + std::to_string(10000000 + i / 1000));
        std::string word(4 + static_cast<size_t>(i % 15), 'a');
        for (size_t k = 0, rest = static_cast<size_t>(i); rest > 0; rest /= 26)
            word[k++] = static_cast<char>('a' + rest % 26);
        words.push_back(word);
    }
    for (const int bits : {4, 8, 12, 16}) {
        EXPECT_LT(std::fabs(unevenness(numbers, bits)), 5) << bits;
        EXPECT_LT(std::fabs(unevenness(words, bits)), 5) << bits;
        EXPECT_LT(std::fabs(unevenness(pairs, bits)), 5) << bits;
    }
    std::unordered_set<uint64_t> hashes;
    for (const std::string& name : numbers) hashes.insert(feature_hash(name));
    EXPECT_EQ(hashes.size(), numbers.size());
}

TEST(FeatureHash, NumbersFeaturesFromOneToTheDimension) {
    for (int bits = min_feature_bits; bits <= max_feature_bits; ++bits) {
        EXPECT_EQ(feature_of(0, bits), 1);
        EXPECT_EQ(feature_of(UINT64_MAX, bits), int32_t{1} << bits);
    }
}
