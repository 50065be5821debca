// Rows of a store, gone through pass after pass: each is shown to somebody, in the order that the pass has.
#pragma once

#include "engine/intake.h"
#include "rows/batch.h"
#include "rows/pass.h"

#include <array>
#include <limits>
#include <utility>

namespace sparselin {

class Walk {
public:
    // `weights`: what classes weigh beside the rows' own weights; it may be filled in until the first pass.
    Walk(RowStore& store, Side side, const ClassWeights& weights, Memory memory)
        : store_(store),
          side_(side),
          rows_(store.rows_on(side)),
          weights_(weights),
          memory_(memory),
          indices_(memory) {}

    int64_t rows() const { return rows_; }
    bool reads_file() const { return store_.spilled(); }
    bool in_pass() const { return in_pass_; }

    // Begins a pass. Rows that are all in memory make one window.
    void begin(Sampling sampling, Random random, size_t window_bytes);

    // The same in arrival order, block by block: without a list of all rows.
    void begin_block_by_block();

    // Forgets the list of rows that passes share.
    void forget_rows() { pass_ = {}; }

    // Shows the rows of the pass as visit(batch), which says how many of them it has taken: true at its end. False when
    // missing() blocks have to be brought in first. Interrupted is thrown between rows, and the next call goes on from
    // there; what a row takes begins anew.
    template <typename Visit>
    bool go_on(StopSign stop, Visit&& visit) {
        std::array<Example, Batch::most + Batch::most_ahead> rows;
        for (;;) {
            const auto& window = pass_->window();
            while (at_ < window.size()) {
                stop.poll();
                const size_t known = take_out(window, rows);
                at_ += visit(Batch(rows.data(), std::min(known, Batch::most), known));
            }
            if (at_ != no_window) before_window_ += static_cast<int64_t>(window.size());
            at_ = no_window;
            if (!pass_->open_window(stop.for_cancels())) return pass_->at_end();
            at_ = 0;
        }
    }

    // When all is done that the end of the pass calls for; until then go_on() says once more that it is there.
    void end() { in_pass_ = false; }
    const Vector<size_t>& missing() const { return pass_->missing(); }

    // After a pass: brings blocks back that it has let go; false when they are missing().
    bool has_all_rows() { return pass_->have_all(); }

    // Rows: in this pass so far, or in the one that has just ended; and in those before it.
    int64_t in_this() const { return before_window_ + (at_ == no_window ? 0 : static_cast<int64_t>(at_)); }
    int64_t before_this() const { return before_pass_; }

private:
    void begin_pass();

    // The rows that come next: how many there are, or there is room for the indices of. Shuffled ones lie anywhere:
    // those behind them are asked for, their lengths first.
    size_t take_out(const Vector<const PackedRow*>& window, std::span<Example> rows) {
        const size_t there = std::min(rows.size(), window.size() - at_);
        const PackedRow* const* const first = window.data() + at_;
        std::span<int32_t> room = indices_.all();
        for (size_t k = 0; k < there; ++k) {
            if (at_ + k + rows.size() < window.size()) __builtin_prefetch(first[k + rows.size()]);
            const size_t indices = first[k]->room_for_indices();
            if (indices > room.size()) {
                if (k > 0) return k;
                room = indices_.at_least(std::max(indices, room_for_some));
            }
            rows[k] = first[k]->example(room.data());
            room = room.subspan(indices);
            if (weighs_classes_) rows[k].omega *= weights_.of(rows[k].y);
        }
        return there;
    }
    static constexpr size_t room_for_some = size_t{1} << 13;

    RowStore& store_;
    const Side side_;
    const int64_t rows_;
    const ClassWeights& weights_;
    bool weighs_classes_ = false;
    Memory memory_;
    IndexRoom indices_;  // of the rows at hand

    Box<Pass> pass_;
    bool in_pass_ = false;
    static constexpr size_t no_window = ~size_t{0};
    size_t at_ = no_window;      // in the pass's window
    int64_t before_window_ = 0;  // rows of the pass
    int64_t before_pass_ = 0;    // rows of the passes that are over
};

inline void Walk::begin(Sampling sampling, Random random, size_t window_bytes) {
    if (!store_.spilled()) window_bytes = std::numeric_limits<size_t>::max();
    begin_pass();
    switch (sampling) {
        case Sampling::shuffle:
            if (!pass_ || !pass_->again(random)) pass_ = shuffled_pass(store_, window_bytes, random, memory_, side_);
            break;
        case Sampling::sequential:
            if (!pass_ || !pass_->again(std::nullopt)) pass_ = sequential_pass(store_, window_bytes, memory_, side_);
            break;
        case Sampling::replacement: pass_ = drawn_pass(store_, window_bytes, random, memory_, side_); break;
    }
}

inline void Walk::begin_block_by_block() {
    begin_pass();
    pass_ = sequential_pass(store_, 0, memory_, side_);
}

inline void Walk::begin_pass() {
    weighs_classes_ = !weights_.are_equal();
    at_ = no_window;
    before_pass_ += std::exchange(before_window_, 0);
    in_pass_ = true;
}

}  // namespace sparselin
