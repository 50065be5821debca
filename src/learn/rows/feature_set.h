// A set of features that numbers them: by ascending index, from 0, without gaps. A word of bits for every 64 indices of
// which one is in the set, with the number of the first of them.
//
// Invariant: words lie by their place in a row where they come densely, elsewhere in a hash table that is half full at
// most. So memory follows the words in use, at 64 bytes for each, or 4 kB where these are few, and never the largest
// index; while it grows, as much again at most.
// Cost: O(1) a feature, as long as indices are not chosen to meet; most often one place in memory is looked at.
#pragma once

#include "base/memory.h"
#include "rows/sparse.h"

#include <bit>

namespace sparselin {

struct BitWord {
    uint64_t bits;
    uint32_t key;     // its place + 1; 0: free
    uint32_t before;  // the number of its first feature

    static uint32_t place_of(int32_t index) { return static_cast<uint32_t>(index) / 64; }
    static uint64_t bit_of(int32_t index) { return uint64_t{1} << (static_cast<uint32_t>(index) % 64); }

    int32_t first() const { return static_cast<int32_t>((key - 1) * 64); }
    bool has(int32_t index) const { return (bits & bit_of(index)) != 0; }
    uint32_t number_of(int32_t index) const { return before + ones_in(bits & (bit_of(index) - 1)); }
    uint32_t count() const { return ones_in(bits); }

private:
    // std::popcount is a call where not all machines have an instruction for it; this GCC knows, and takes the
    // instruction where it may.
    static uint32_t ones_in(uint64_t bits) {
        bits -= bits >> 1 & 0x5555555555555555;
        bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
        return static_cast<uint32_t>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
    }
};

// Words and how to find them, for a loop to have at hand. In a row each is at its place, which is multiplied by 1 and
// not shifted.
struct BitWords {
    BitWord* words;
    size_t size;
    uint64_t factor = 1;
    unsigned shift = 0;

    size_t home_of(int32_t index) const { return (BitWord::place_of(index) * factor) >> shift; }

    // That of the feature, or the free one where it would go.
    BitWord& of(int32_t index) const {
        const uint32_t key = BitWord::place_of(index) + 1;
        size_t i = home_of(index);
        while (words[i].key != key && words[i].key != 0) i = (i + 1) & (size - 1);
        return words[i];
    }
    uint32_t number_of(int32_t index, uint32_t other) const {
        if (home_of(index) >= size) return other;
        const BitWord& word = of(index);
        return word.has(index) ? word.number_of(index) : other;
    }
};

class FeatureSet {
public:
    explicit FeatureSet(Memory memory, size_t most_bytes = SIZE_MAX)
        : memory_(memory), most_bytes_(most_bytes), words_(memory) {}

    bool insert(int32_t index) { return insert({&index, 1}, StopSign()); }

    // Ascending ones. False where the set would take more than it may; then some of them are in.
    bool insert(std::span<const int32_t> features, StopSign stop);

    // To be called when all are in, before numbers are asked for; calls visit(index) for each, ascending.
    template <typename Visit>
    void number(StopSign stop, Visit&& visit) {
        const Vector<uint64_t> order = in_row() ? Vector<uint64_t>(memory_) : places(stop);
        uint32_t count = 0;
        each_below(in_row() ? words_.size() : order.size(), stop, [&](size_t i) {
            BitWord& word = words_[in_row() ? i : static_cast<uint32_t>(order[i])];
            word.before = count;
            count += word.count();
            for (uint64_t bits = word.bits; bits != 0; bits &= bits - 1) visit(word.first() + std::countr_zero(bits));
        });
    }
    void number(StopSign stop) {
        number(stop, [](int32_t) {});
    }

    // `other` where it is not in the set; any number may be asked for.
    uint32_t number_of(int32_t index, uint32_t other) const { return table().number_of(index, other); }
    // What lies at numbered + its number is asked for as each is found.
    void numbers_of(std::span<const int32_t> features, uint32_t other, uint32_t* number, const double* numbered) const;

    // Puts their numbers in the place of features, all of which are in the set.
    void number_all(std::span<int32_t> features, StopSign stop) const;

    // At any time.
    size_t count(StopSign stop) const {
        size_t count = 0;
        each_below(words_.size(), stop, [&](size_t i) { count += words_[i].count(); });
        return count;
    }

    size_t bytes() const { return words_.size() * sizeof(BitWord); }

    // What so many features below an end take at most, where they are inserted ascending, and once.
    static size_t most_bytes(size_t features, size_t end) {
        const size_t places = (end + 63) / 64;
        return room_for(std::min(features, places + most_at_a_time), places) * sizeof(BitWord);
    }

private:
    static constexpr size_t most_at_a_time = 32;  // features, for which room is made together

    // Constness ends at the set itself.
    BitWords table() const { return {const_cast<BitWord*>(words_.data()), words_.size(), factor_, shift_}; }
    bool in_row() const { return shift_ == 0; }

    // How many words there are to be when so many are in use, of so many places: where there is one for each place they
    // lie in a row, with a few more for places to come; elsewhere they are a power of two.
    static size_t room_for(size_t in_use, size_t places) {
        constexpr size_t few = 256;
        const size_t hashed = std::bit_ceil(2 * in_use), most_in_row = std::max(hashed, few);
        return places <= most_in_row ? std::min(places + places / 8 + 1, most_in_row) : hashed;
    }
    bool make_room_for(size_t more, uint32_t last_place, StopSign stop);

    // Of those in a hash table, where each is: by what they are for.
    Vector<uint64_t> places(StopSign stop) const;

    Memory memory_;
    const size_t most_bytes_;
    Slab<BitWord> words_;
    uint64_t factor_ = 1;
    unsigned shift_ = 0;
    size_t in_use_ = 0;
    uint32_t last_place_ = 0;
};

}  // namespace sparselin
