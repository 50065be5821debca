// A set of features that numbers them: by ascending index, from 0, without gaps. A word of bits for every 64 indices of
// which one is in the set, with the number of the first of them.
//
// Invariant: words lie by their place in a row where they come densely, elsewhere in a hash table that is half full at
// most. So memory follows the words in use, at 64 bytes for each, and never the largest index.
// Cost: O(1) a feature; one place in memory is looked at, and none has to wait for another's.
#pragma once

#include "base/memory.h"
#include "base/sort.h"
#include "rows/sparse.h"

#include <array>
#include <bit>

namespace sparselin {

class FeatureSet {
public:
    explicit FeatureSet(Memory memory) : memory_(memory), words_(memory), order_(memory) {}

    void insert(int32_t index) { insert({&index, 1}, StopSign()); }

    // Ascending ones.
    void insert(std::span<const int32_t> features, StopSign stop);

    // To be called when all are in, before those that follow.
    void number(StopSign stop);

    // `other` where it is not in the set; any number may be asked for.
    uint32_t number_of(int32_t index, uint32_t other) const { return table().number_of(index, other); }
    // What lies at numbered + its number is asked for as each is found.
    void numbers_of(std::span<const int32_t> features, uint32_t other, uint32_t* number, const double* numbered) const;

    // Puts their numbers in the place of features, all of which are in the set.
    void number_all(std::span<int32_t> features, StopSign stop) const;

    // In ascending order.
    template <typename Visit>
    void each(StopSign stop, Visit&& visit) const {
        each_word(stop, [&visit](const Word& word) {
            for (uint64_t bits = word.bits; bits != 0; bits &= bits - 1) visit(first_of(word) + std::countr_zero(bits));
        });
    }

    // At any time.
    size_t count(StopSign stop) const {
        size_t count = 0;
        each_below(words_.size(), stop, [&](size_t i) { count += ones_in(words_[i].bits); });
        return count;
    }

    size_t bytes() const { return words_.size() * sizeof(Word); }

    // What so many features below an end take at most.
    static size_t most_bytes(size_t features, size_t end) {
        const size_t places = end / 64 + 1;
        return room_for(std::min(features, places + most_at_a_time), places) * sizeof(Word);
    }

private:
    struct Word {
        uint64_t bits;
        uint32_t key;     // its place + 1; 0: free
        uint32_t before;  // the number of its first feature
    };

    // How words are found. In a row each is at its place, which is multiplied by 1 and not shifted.
    struct Hashing {
        uint64_t factor = 1;
        unsigned shift = 0;

        bool is_none() const { return shift == 0; }
        size_t home_of(int32_t index) const { return (place_of(index) * factor) >> shift; }
    };

    // The words and how to find them, for a loop to have at hand.
    template <typename AnyWord>
    struct Table {
        AnyWord* words;
        size_t size;
        Hashing hashing;

        // That of the feature, or the free one where it would go.
        AnyWord& word_of(int32_t index) const {
            const uint32_t key = place_of(index) + 1;
            size_t i = hashing.home_of(index);
            while (words[i].key != key && words[i].key != 0) i = (i + 1) & (size - 1);
            return words[i];
        }
        uint32_t number_of(int32_t index) const {
            const Word& word = word_of(index);
            return word.before + ones_in(word.bits & (bit_of(index) - 1));
        }
        uint32_t number_of(int32_t index, uint32_t other) const {
            if (hashing.home_of(index) >= size) return other;
            const Word& word = word_of(index);
            return (word.bits & bit_of(index)) != 0 ? word.before + ones_in(word.bits & (bit_of(index) - 1)) : other;
        }
    };

    Table<const Word> table() const { return {words_.data(), words_.size(), hashing_}; }
    Table<Word> table() { return {words_.data(), words_.size(), hashing_}; }

    static void number_each(const Table<const Word>& table, std::span<int32_t> features);
    static void find_numbers(const Table<const Word>& table, std::span<const int32_t> features, uint32_t other,
                             uint32_t* number, const double* numbered);

    static constexpr size_t most_at_a_time = 32;  // features, for which room is made together

    static int32_t first_of(const Word& word) { return static_cast<int32_t>((word.key - 1) * 64); }
    static uint32_t place_of(int32_t index) { return static_cast<uint32_t>(index) / 64; }
    static uint64_t bit_of(int32_t index) { return uint64_t{1} << (static_cast<uint32_t>(index) % 64); }

    // How many words there are to be when so many are in use, of so many places: where there is one for each place they
    // lie in a row, with a few more for places to come; elsewhere they are a power of two.
    static size_t room_for(size_t in_use, size_t places) {
        constexpr size_t few = 256;
        const size_t hashed = std::bit_ceil(2 * in_use), most_in_row = std::max(hashed, few);
        return places <= most_in_row ? std::min(places + places / 8 + 1, most_in_row) : hashed;
    }
    void make_room_for(size_t more, uint32_t last_place, StopSign stop);
    void put_in_order(StopSign stop);

    // Those in use, by their places. Constness ends at the set itself.
    template <typename Visit>
    void each_word(StopSign stop, Visit&& visit) const {
        const bool ordered = !hashing_.is_none();
        each_below(ordered ? order_.size() : words_.size(), stop, [&](size_t i) {
            Word& word = const_cast<Word&>(words_[ordered ? static_cast<uint32_t>(order_[i]) : i]);
            if (word.key != 0) visit(word);
        });
    }

    // std::popcount is a call where not all machines have an instruction for it; this is known to the compiler, which
    // takes the instruction where it may.
    static uint32_t ones_in(uint64_t bits) {
        bits -= bits >> 1 & 0x5555555555555555;
        bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
        return static_cast<uint32_t>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
    }

    Memory memory_;
    Slab<Word> words_;
    Hashing hashing_;
    size_t in_use_ = 0;
    uint32_t last_place_ = 0;
    Vector<uint64_t> order_;  // of words in a hash table: the key of each, and where it is
};

}  // namespace sparselin
