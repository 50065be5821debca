// From the name of a feature to its number: models on disk depend on it, so it never changes.
//
// A name is bytes, read as little-endian 64-bit words of which the last one is filled up with zeros, so that every
// machine gets the same numbers. Two different names of the same length up to 8 never have the same hash, and longer
// ones as seldom as chance has it. Not cryptographic: whoever wants names to collide can find some.
// Cost: six multiplications for a name of up to 8 bytes, two for each further word.
#pragma once

#include "base/hash.h"

namespace sparselin {

// The last 1 to 7 bytes of a name, as one word.
inline uint64_t name_tail(const char* bytes, size_t size) {
    const auto byte = [bytes](size_t i) { return uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i); };
    if (size < 4) return byte(0) | byte(size / 2) | byte(size - 1);
    return load_little<uint32_t>(bytes) | uint64_t{load_little<uint32_t>(bytes + size - 4)} << (8 * (size - 4));
}

constexpr uint64_t absorb_word(uint64_t hash, uint64_t word) {
    return std::rotl(hash ^ (word * 0x9159015a3070dd17), 27) * 0x8eb44a8768581511 + 0x152fecd8f70e5939;
}

inline uint64_t feature_hash(std::string_view name) {
    uint64_t hash = 0x67332667ffc00b31;
    const char* at = name.data();
    size_t left = name.size();
    for (; left >= 8; left -= 8, at += 8) hash = absorb_word(hash, load_little<uint64_t>(at));
    if (left > 0) hash = absorb_word(hash, name_tail(at, left));
    return mix64(hash + name.size() * 0x629a292a367cd507);
}

// For the product of two features, given as users count: no two pairs have the same hash, nor has a pair its reverse.
constexpr uint64_t pair_hash(uint32_t a, uint32_t b) {
    return mix64((uint64_t{a} << 32 | b) + 0x67332667ffc00b31);
}

constexpr int min_feature_bits = 4, max_feature_bits = 30, default_feature_bits = 20;

// 1 to 2^bits: one more than the highest bits of the hash.
constexpr int32_t feature_of(uint64_t hash, int bits) {
    return static_cast<int32_t>(hash >> (64 - bits)) + 1;
}

}  // namespace sparselin
