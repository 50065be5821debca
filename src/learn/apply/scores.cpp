#include "apply/scores.h"

#include <cmath>

namespace sparselin {

Scores::~Scores() {
    for (ScoreChunk& chunk : in_memory_) let_go(chunk);
}

void Scores::load(ScoreChunk& chunk, size_t bytes) {
    chunk.room = static_cast<uint32_t>(bytes / score_size(chunk.stack));
    chunk.data = static_cast<char*>(memory_->allocate(chunk.room * score_size(chunk.stack), 8));
    bytes_ += chunk.room * score_size(chunk.stack);
}

void Scores::let_go(ScoreChunk& chunk) {
    if (chunk.data == nullptr) return;
    const size_t size = chunk.room * score_size(chunk.stack);
    memory_->deallocate(chunk.data, size, 8);
    chunk.data = nullptr;
    bytes_ -= size;
}

// Many small chunks take long to merge; large ones leave no memory for the others.
size_t Scores::next_size(Stack stack, size_t memory_limit) const {
    const size_t largest = std::clamp(memory_limit / 16, smallest_spilled, largest_chunk);
    return std::clamp(size_t{2} * filling(stack).size, smallest_chunk, largest);
}

void Scores::make_room(Stack stack, size_t bytes) {
    Filling& filled = filling(stack);
    ScoreChunk larger;
    larger.stack = stack;
    load(larger, bytes);
    if (filled.chunk != none && bytes > filled.size) {
        ScoreChunk& chunk = in_memory_[filled.chunk];
        larger.count = chunk.count;
        memcpy(larger.data, chunk.data, chunk.bytes());
        let_go(chunk);
        chunk = larger;
    } else {
        filled.chunk = static_cast<uint32_t>(in_memory_.size());
        in_memory_.push_back(larger);
    }
    filled.size = static_cast<uint32_t>(bytes);
}

void Scores::sort(StopSign stop) {
    for (ScoreChunk& chunk : in_memory_) {
        if (chunk.sorted) continue;
        stop.poll();
        if (chunk.stack == Stack::weighted) {
            auto* const first = reinterpret_cast<WeightedScore*>(chunk.data);
            std::sort(first, first + chunk.count);
        } else {
            auto* const first = reinterpret_cast<uint64_t*>(chunk.data);
            std::sort(first, first + chunk.count);
        }
        chunk.sorted = true;
    }
}

void Scores::written(size_t number, int64_t position) {
    ScoreChunk& chunk = in_memory_[number];
    in_file_.push_back(chunk);
    in_file_.back().data = nullptr;
    in_file_.back().position = chunk.position = position;
    let_go(chunk);
}

void Scores::forget_written() {
    for (Filling& filled : filling_)
        if (filled.chunk != none && in_memory_[filled.chunk].data == nullptr) filled.chunk = none;
    uint32_t kept = 0;
    for (uint32_t number = 0; number < in_memory_.size(); ++number) {
        if (in_memory_[number].data == nullptr) continue;
        for (Filling& filled : filling_)
            if (filled.chunk == number) filled.chunk = kept;
        in_memory_[kept++] = in_memory_[number];
    }
    in_memory_.resize(kept);
}

int64_t Scores::count() const {
    int64_t count = 0;
    for (const auto* chunks : {&in_memory_, &in_file_})
        for (const ScoreChunk& chunk : *chunks) count += chunk.count;
    return count;
}

// The words of a score are all eight bytes.
void scores_to_little_endian(std::span<char> scores) {
    if constexpr (std::endian::native != std::endian::little) {
        for (size_t at = 0; at < scores.size(); at += 8) std::reverse(scores.data() + at, scores.data() + at + 8);
    }
}

static bool is_order_of_number(uint64_t order) {
    return order > order_of(-HUGE_VAL) && order < order_of(HUGE_VAL);
}

static bool is_right(uint64_t order) {
    return is_order_of_number(order);
}

static bool is_right(const WeightedScore& score) {
    return is_order_of_number(score.order) && std::isfinite(score.weight) && score.weight != 0;
}

template <typename Score>
static bool all_right(std::span<const char> data) {
    const auto* const score = reinterpret_cast<const Score*>(data.data());
    for (size_t i = 0; i < data.size() / sizeof(Score); ++i)
        if (!is_right(score[i]) || (i > 0 && score[i] < score[i - 1])) return false;
    return true;
}

void Scores::adopt(Stack stack, std::span<const char> travelled) {
    const size_t size = travelled.size();
    bool right = size > 0 && size <= largest_chunk && size % score_size(stack) == 0;
    if (right) {
        ScoreChunk chunk;
        chunk.stack = stack;
        load(chunk, size);
        memcpy(chunk.data, travelled.data(), size);
        scores_to_little_endian({chunk.data, size});
        chunk.count = chunk.room;
        chunk.sorted = true;
        in_memory_.push_back(chunk);
        const std::span<const char> data(chunk.data, size);
        right = stack == Stack::weighted ? all_right<WeightedScore>(data) : all_right<uint64_t>(data);
    }
    if (right) return;
    throw Error(Fault::bad_binary, "invalid binary state of sparselin_evaluate: the scores are damaged")
        .hint("The value was damaged on its way; take it from its source again.");
}

}  // namespace sparselin
