// All scores of some sorted runs in one order, for the area under the ROC curve: one by one, from the lowest to the
// highest; of those that are equal the positive ones come first, then the negative ones, then those with weights by
// their weight. So what is added up on the way comes out the same, bit for bit, however the rows were spread over the
// runs.
//
// Cost: O(log runs) a score. Of a run that lies in a file one window is in memory at a time.
#pragma once

#include "apply/scores.h"

namespace sparselin {

// Chunks that continue each other; none of them is empty.
using ScoreRun = std::span<const ScoreChunk>;

// Those of a stack.
Vector<ScoreRun> runs_of(const Vector<ScoreChunk>& chunks, Stack stack, Memory memory);

class OrderedScores {
public:
    // Windows of at least 16 bytes.
    OrderedScores(size_t window_bytes, Memory memory);
    OrderedScores(const OrderedScores&) = delete;
    ~OrderedScores();

    // All runs come before the first score; their chunks stay where they are until the last one.
    void add(ScoreRun run);

    // Calls take(stack, order, weight) for one score after another, until it says no; it is offered that score again
    // when it is called again. False: it did, or something is wanted() first. Interrupted is thrown between two scores.
    template <typename Take>
    bool give(Take&& take, StopSign stop) {
        if (!begin()) return false;
        for (size_t round = 1; !heap_.empty(); ++round) {
            stop.poll_every_so_often(round);
            Source& source = sources_[heap_.front().source];
            if (!take(source.stack, heap_.front().order, source.weight())) return false;
            source.at += score_size(source.stack);
            if (source.at != source.window_end) {
                heap_.front().order = source.order();
            } else if (!next_window(source)) {
                heap_.front() = heap_.back();
                heap_.pop_back();
            } else if (waits_) {
                return false;
            } else {
                heap_.front().order = source.order();
            }
            sift_down();
        }
        return true;
    }

    // These bytes have to be read before give() goes on: so many, from so far beyond a position in the file.
    struct Wanted {
        int64_t position;
        size_t beyond, size;
        char* target;
    };
    bool is_waiting() const { return waits_; }
    const Wanted& wanted() const { return wanted_; }

private:
    struct Source {
        ScoreRun rest;  // what has not been in a window yet, but for
        size_t read;    // so many bytes of the first chunk
        const char *at, *window_end;
        char* window;  // nullptr: the run is in memory
        Stack stack;

        uint64_t order() const { return *reinterpret_cast<const uint64_t*>(at); }
        double weight() const {
            return stack == Stack::weighted ? reinterpret_cast<const WeightedScore*>(at)->weight : 1;
        }
    };
    struct Place {
        uint64_t order;  // the source's
        uint32_t source;
    };

    bool begin();
    bool next_window(Source& source);
    bool comes_after(const Place& a, const Place& b) const;
    void sift_down();

    size_t window_bytes_;
    Memory memory_;
    Vector<Source> sources_;
    Vector<Place> heap_;  // the lowest first
    size_t begun_ = 0;    // sources
    bool waits_ = false;
    Wanted wanted_{};
};

// Takes scores in their order, for the file.
class ScoreWriter {
public:
    ScoreWriter(size_t bytes, Memory memory) : bytes_(bytes), data_(memory) { data_.reserve(bytes); }

    bool take(Stack stack, uint64_t order, double weight) {
        const size_t size = score_size(stack);
        if (data_.size() + size > bytes_) return false;
        const WeightedScore score{order, weight};
        const char* const bytes = reinterpret_cast<const char*>(&score);
        data_.insert(data_.end(), bytes, bytes + size);
        stack_ = stack;
        return true;
    }

    std::span<const char> data() const { return data_; }

    // The chunk that the data makes, now that it lies in the file; it is for the next one then.
    ScoreChunk written(int64_t position, bool continues) {
        const ScoreChunk chunk{{nullptr, position, static_cast<uint32_t>(data_.size())}, stack_, true, continues};
        data_.clear();
        return chunk;
    }

private:
    size_t bytes_;
    Vector<char> data_;
    Stack stack_ = Stack::positive;
};

}  // namespace sparselin
