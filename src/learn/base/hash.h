// Hashes that never change: values on disk depend on them.
//
// Bytes are read as little-endian 64-bit words, the last one filled up with zeros, and the length is mixed in at
// the end: the result is the same on every machine. None of this is cryptographic. The constants are the
// fractional parts of the square roots of 23, 29, 31, 37, 41 and 43, made odd.
#pragma once

#include "base/codec.h"

namespace sparselin {

// A bijection of 64 bits in which every bit of the input reaches every bit of the output.
constexpr uint64_t mix64(uint64_t x) {
    x ^= x >> 32;
    x *= 0xcbbb9d5dc1059ed9;
    x ^= x >> 29;
    x *= 0x629a292a367cd507;
    x ^= x >> 32;
    x *= 0x9159015a3070dd17;
    x ^= x >> 31;
    return x;
}

struct Hash128 {
    uint64_t low = 0, high = 0;
    bool operator==(const Hash128&) const = default;
};

// 128 bits of bytes that come in pieces; where the pieces end does not matter.
//
// Four lanes take the words in turn. A step is a bijection of the lane for a given word and of the word for a
// given lane, and so is the end for each lane given the others: a change within one word always changes both halves.
class Hasher128 {
public:
    void add(std::span<const char> bytes, StopSign stop = StopSign()) {
        const char* at = bytes.data();
        const char* const end = at + bytes.size();
        while (at < end && (length_ % 32 != 0 || end - at < 32)) byte(*at++);
        for (size_t round = 0; end - at >= 32; at += 32, ++round) {
            stop.poll_every_so_often(round);
            for (int i = 0; i < 4; ++i) word(i, load_little<uint64_t>(at + 8 * i));
            length_ += 32;
        }
        while (at < end) byte(*at++);
    }

    Hash128 result() const {
        uint64_t lane[4] = {lane_[0], lane_[1], lane_[2], lane_[3]};
        if (length_ % 8 != 0) lane[length_ / 8 % 4] = step(lane[length_ / 8 % 4], partial_);
        uint64_t low = mix64(length_ + 0x152fecd8f70e5939);
        uint64_t high = mix64(length_ + 0x67332667ffc00b31);
        for (int i = 0; i < 4; ++i) {
            low = mix64(low ^ lane[i]) + 0x8eb44a8768581511;
            high = mix64(high + lane[3 - i]) ^ 0xcbbb9d5dc1059ed9;
        }
        return {mix64(low), mix64(high)};
    }

private:
    static constexpr uint64_t step(uint64_t lane, uint64_t word) {
        return std::rotl(lane ^ (word * 0x9159015a3070dd17), 27) * 0x8eb44a8768581511 + 0x152fecd8f70e5939;
    }

    void word(int lane, uint64_t value) { lane_[lane] = step(lane_[lane], value); }

    void byte(char value) {
        partial_ |= static_cast<uint64_t>(static_cast<unsigned char>(value)) << (length_ % 8 * 8);
        if (++length_ % 8 == 0) {
            word(static_cast<int>((length_ - 8) / 8 % 4), partial_);
            partial_ = 0;
        }
    }

    uint64_t lane_[4] = {0xcbbb9d5dc1059ed9, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939};
    uint64_t partial_ = 0;
    uint64_t length_ = 0;
};

}  // namespace sparselin
