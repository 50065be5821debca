#include "apply/ordered_scores.h"

#include <utility>

namespace sparselin {

Vector<ScoreRun> runs_of(const Vector<ScoreChunk>& chunks, Stack stack, Memory memory) {
    Vector<ScoreRun> runs(memory);
    for (const ScoreChunk& chunk : chunks) {
        if (chunk.used == 0 || chunk.stack != stack) continue;
        if (chunk.continues && !runs.empty()) {
            runs.back() = {runs.back().data(), &chunk + 1};
        } else {
            runs.push_back({&chunk, 1});
        }
    }
    return runs;
}

OrderedScores::OrderedScores(size_t window_bytes, Memory memory)
    : window_bytes_(window_bytes / 16 * 16), memory_(memory), sources_(memory), heap_(memory) {}

OrderedScores::~OrderedScores() {
    for (const Source& source : sources_)
        if (source.window != nullptr) memory_->deallocate(source.window, window_bytes_, 8);
}

void OrderedScores::add(ScoreRun run) {
    const ScoreChunk& chunk = run.front();
    sources_.push_back({run, 0, nullptr, nullptr, nullptr, chunk.stack});
    if (!chunk.in_memory()) sources_.back().window = static_cast<char*>(memory_->allocate(window_bytes_, 8));
}

bool OrderedScores::comes_after(const Place& a, const Place& b) const {
    if (a.order != b.order) return a.order > b.order;
    const Source &x = sources_[a.source], &y = sources_[b.source];
    return x.stack != y.stack ? x.stack > y.stack : x.weight() > y.weight();
}

// Makes the source's next window its current one, once what is wanted_ has been read; false at the end of the run.
bool OrderedScores::next_window(Source& source) {
    if (source.rest.empty()) return false;
    const ScoreChunk& chunk = source.rest.front();
    const size_t size = std::min<size_t>(chunk.used - source.read, source.window != nullptr ? window_bytes_ : SIZE_MAX);
    if (source.window != nullptr) {
        wanted_ = {chunk.position, source.read, size, source.window};
        waits_ = true;
    }
    source.at = source.window != nullptr ? source.window : chunk.data;
    source.window_end = source.at + size;
    source.read += size;
    if (source.read == chunk.used) {
        source.rest = source.rest.subspan(1);
        source.read = 0;
    }
    return true;
}

// Puts into its place the source that had to wait, and all that have not begun. False: one of them has to wait.
bool OrderedScores::begin() {
    const bool window_came = std::exchange(waits_, false);
    if (window_came && begun_ == sources_.size()) {
        heap_.front().order = sources_[heap_.front().source].order();
        sift_down();
    }
    heap_.reserve(sources_.size());
    for (bool is_ready = window_came; begun_ < sources_.size(); ++begun_, is_ready = false) {
        if (!is_ready) next_window(sources_[begun_]);
        if (waits_) return false;
        heap_.push_back({sources_[begun_].order(), static_cast<uint32_t>(begun_)});
        std::ranges::push_heap(heap_, [this](const Place& a, const Place& b) { return comes_after(a, b); });
    }
    return true;
}

// The first place in the heap has changed.
void OrderedScores::sift_down() {
    const size_t count = heap_.size();
    if (count < 2) return;
    const Place moved = heap_.front();
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && comes_after(heap_[child], heap_[child + 1])) ++child;
        if (!comes_after(moved, heap_[child])) break;
        heap_[at] = heap_[child];
        at = child;
    }
    heap_[at] = moved;
}

}  // namespace sparselin
