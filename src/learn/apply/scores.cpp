#include "apply/scores.h"

#include <cmath>

namespace sparselin {

// Many small chunks take long to merge; large ones leave no memory for the others.
size_t Scores::next_size(Stack stack, size_t memory_limit) const {
    const size_t largest = std::clamp(memory_limit / 16, smallest_spilled, largest_chunk);
    return std::clamp(size_t{2} * filling(stack).size, smallest_chunk, largest);
}

void Scores::make_room(Stack stack, size_t bytes) {
    Filling& filled = filling(stack);
    ScoreChunk larger{{}, stack};
    allocate(larger, bytes / score_size(stack) * score_size(stack));
    if (filled.chunk != none && bytes > filled.size) {
        ScoreChunk& chunk = blocks_[filled.chunk];
        larger.used = chunk.used;
        memcpy(larger.data, chunk.data, chunk.used);
        free(chunk);
        chunk = larger;
    } else {
        filled.chunk = static_cast<uint32_t>(blocks_.size());
        blocks_.push_back(larger);
    }
    filled.size = static_cast<uint32_t>(bytes);
}

template <typename Score>
static std::span<Score> scores_of(const ScoreChunk& chunk) {
    return {reinterpret_cast<Score*>(chunk.data), chunk.used / sizeof(Score)};
}

void Scores::sort(StopSign stop) {
    for (ScoreChunk& chunk : blocks_) {
        if (chunk.sorted) continue;
        stop.poll();
        if (chunk.stack == Stack::weighted) {
            std::ranges::sort(scores_of<WeightedScore>(chunk), std::less<>());
        } else {
            std::ranges::sort(scores_of<uint64_t>(chunk));
        }
        chunk.sorted = true;
    }
}

void Scores::written(size_t number, int64_t position) {
    note_written(number, position);
    unload(number);
    Filling& filled = filling(blocks_[number].stack);
    if (filled.chunk == number) filled.chunk = none;
}

void Scores::replace_written(const Vector<ScoreChunk>& chunks) {
    uint32_t kept = 0;
    for (uint32_t number = 0; number < blocks_.size(); ++number) {
        if (blocks_[number].written()) continue;
        for (Filling& filled : filling_)
            if (filled.chunk == number) filled.chunk = kept;
        blocks_[kept++] = blocks_[number];
    }
    blocks_.resize(kept);
    blocks_.insert(blocks_.end(), chunks.begin(), chunks.end());
}

// The words of a score are all eight bytes.
void scores_to_little_endian(std::span<char> scores) {
    if constexpr (std::endian::native != std::endian::little) {
        for (size_t at = 0; at < scores.size(); at += 8) std::reverse(scores.data() + at, scores.data() + at + 8);
    }
}

static bool is_right(uint64_t order) {
    return order > order_of(-HUGE_VAL) && order < order_of(HUGE_VAL);
}

static bool is_right(const WeightedScore& score) {
    return is_right(score.order) && std::isfinite(score.weight) && score.weight != 0;
}

template <typename Score>
static bool all_right(const ScoreChunk& chunk) {
    const std::span<const Score> scores = scores_of<Score>(chunk);
    for (size_t i = 0; i < scores.size(); ++i)
        if (!is_right(scores[i]) || (i > 0 && scores[i] < scores[i - 1])) return false;
    return true;
}

void Scores::adopt(Stack stack, std::span<const char> travelled) {
    const size_t size = travelled.size();
    if (size > 0 && size <= largest_chunk && size % score_size(stack) == 0) {
        ScoreChunk chunk{{}, stack, true};
        allocate(chunk, size);
        memcpy(chunk.data, travelled.data(), size);
        scores_to_little_endian({chunk.data, size});
        chunk.used = chunk.room;
        blocks_.push_back(chunk);
        if (stack == Stack::weighted ? all_right<WeightedScore>(chunk) : all_right<uint64_t>(chunk)) return;
    }
    throw Error(Fault::bad_binary, "invalid binary state of sparselin_evaluate: the scores are damaged")
        .hint("The value was damaged on its way; take it from its source again.");
}

}  // namespace sparselin
