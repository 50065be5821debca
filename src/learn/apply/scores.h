// Scores of rows whose class is known, kept to be put in order.
//
// A row takes 8 bytes: a number that is larger where the score is, in a stack for the positive rows or one for the
// others. A row of weight other than 1 takes 16, in a third stack: with its weight, below zero for the negative class.
// A stack lies in chunks, blocks that are sorted before they are read or written. Chunks that continue each other are
// one sorted run.
#pragma once

#include "base/block_store.h"
#include "base/codec.h"

#include <bit>

namespace sparselin {

enum class Stack : uint8_t { positive, negative, weighted };
constexpr Stack every_stack[] = {Stack::positive, Stack::negative, Stack::weighted};

struct WeightedScore {
    uint64_t order;
    double weight;

    bool operator<(const WeightedScore& other) const {
        return order != other.order ? order < other.order : weight < other.weight;
    }
};

constexpr size_t score_size(Stack stack) {
    return stack == Stack::weighted ? sizeof(WeightedScore) : sizeof(uint64_t);
}

// Ascends with the score; both zeros are one.
inline uint64_t order_of(double score) {
    const auto bits = std::bit_cast<uint64_t>(score + 0.0);
    constexpr uint64_t sign = uint64_t{1} << 63;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Its inverse.
inline double score_of(uint64_t order) {
    constexpr uint64_t sign = uint64_t{1} << 63;
    return std::bit_cast<double>((order & sign) != 0 ? order & ~sign : ~order);
}

// As scores come out of their order: whether the row is a positive one.
inline bool is_positive(Stack stack, double weight) {
    return stack == Stack::positive || (stack == Stack::weighted && weight > 0);
}

struct ScoreChunk : Block {
    Stack stack = Stack::positive;
    bool sorted = false;
    bool continues = false;  // the run of the chunk before it

    size_t count() const { return used / score_size(stack); }
};

class Scores : public BlockStore<ScoreChunk> {
public:
    static constexpr size_t smallest_chunk = 64;
    static constexpr size_t largest_chunk = size_t{512} << 10;  // quick to sort: a few milliseconds

    explicit Scores(Memory memory) : BlockStore(memory) {}

    static Stack stack_for(double weight, bool positive) {
        return weight != 1 ? Stack::weighted : positive ? Stack::positive : Stack::negative;
    }

    // False when its stack has no room; then make_room() comes first.
    bool add(double score, bool positive, double weight) {
        const Stack stack = stack_for(weight, positive);
        const uint32_t number = filling(stack).chunk;
        if (number == none) return false;
        ScoreChunk& chunk = blocks_[number];
        if (chunk.used == chunk.room) return false;
        const WeightedScore added{order_of(score), positive ? weight : -weight};
        memcpy(chunk.data + chunk.used, &added, score_size(stack));
        chunk.used += static_cast<uint32_t>(score_size(stack));
        chunk.sorted = false;
        return true;
    }

    // How much memory the stack takes next: a chunk grows to twice its size, within bounds, before another one begins.
    size_t next_size(Stack stack, size_t memory_limit) const;
    void make_room(Stack stack, size_t bytes);

    // Sorts what is in memory and not sorted yet. More rows may come after it.
    void sort(StopSign stop);

    // Whether the stack's chunk is large enough for the file; smaller ones are left to grow.
    bool worth_spilling(Stack stack) const { return filling(stack).size >= smallest_spilled; }

    // The chunk lies in the file now, and its memory goes.
    void written(size_t number, int64_t position);

    int64_t count() const {
        size_t count = 0;
        for (const ScoreChunk& chunk : blocks_) count += chunk.count();
        return static_cast<int64_t>(count);
    }

    // Other chunks with the same scores as those in the file.
    void replace_written(const Vector<ScoreChunk>& chunks);

    // A sorted chunk as it travels: little-endian. An Error when it is damaged.
    void adopt(Stack stack, std::span<const char> travelled);

private:
    static constexpr uint32_t none = UINT32_MAX;

    // What there is of a stack besides its full chunks.
    struct Filling {
        uint32_t chunk = none;  // its number
        uint32_t size = 0;      // of it, or of the last one there was
    };

    Filling& filling(Stack stack) { return filling_[static_cast<size_t>(stack)]; }
    const Filling& filling(Stack stack) const { return filling_[static_cast<size_t>(stack)]; }

    Filling filling_[3];
};

// Scores as they travel, and back, in place.
void scores_to_little_endian(std::span<char> scores);

}  // namespace sparselin
