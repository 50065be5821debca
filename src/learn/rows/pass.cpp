#include "rows/pass.h"

#include "base/sort.h"

#include <algorithm>
#include <numeric>

namespace sparselin {

namespace {

// Many things taken some at a time, in turns.
class Turns {
public:
    explicit Turns(Memory memory) : order_(memory), ends_(memory) {}

    size_t count() const { return ends_.size(); }
    std::span<const size_t> things_of(size_t turn) const {
        const size_t first = turn == 0 ? 0 : ends_[turn - 1];
        return std::span(order_).subspan(first, ends_[turn] - first);
    }

    // As they come, as many at a time as are within the limit together.
    void in_order(size_t count, size_t limit, auto&& size_of) {
        order_.resize(count);
        std::iota(order_.begin(), order_.end(), size_t{0});
        ends_.clear();
        size_t together = 0;
        for (size_t thing = 0; thing < count; ++thing) {
            together += size_of(thing);
            if (thing == 0 || together <= limit) continue;
            ends_.push_back(thing);
            together = size_of(thing);
        }
        ends_.push_back(count);
    }

    // Each turn a fair sample of all: it takes one thing, at random, from each of as many stretches as it has things.
    // So rows that came sorted, by label or by time, do not lie together again. Stretches are as long as there are
    // turns; the last one is filled up with things that are not there.
    void as_samples(size_t count, size_t turns, Random& random) {
        Vector<size_t> thing((count + turns - 1) / turns * turns, order_.get_allocator());
        std::iota(thing.begin(), thing.end(), size_t{0});
        for (size_t start = 0; start < thing.size(); start += turns)
            random.shuffle(std::span(thing).subspan(start, turns), StopSign());
        order_.clear();
        ends_.clear();
        for (size_t turn = 0; turn < turns; ++turn) {
            for (size_t i = turn; i < thing.size(); i += turns)
                if (thing[i] < count) order_.push_back(thing[i]);
            if (order_.size() > (ends_.empty() ? 0 : ends_.back())) ends_.push_back(order_.size());
        }
    }

    // How many it takes for each to be within the limit, where things differ in size: a turn is meant to be an eighth
    // smaller than it may be.
    static size_t for_all(size_t bytes, size_t limit) { return bytes / (limit - limit / 8) + 1; }

private:
    Vector<size_t> order_;  // of things
    Vector<size_t> ends_;   // of turns in it
};

// Block after block, as many at a time as fit in memory; with a Random each time a fair sample of the table. Rows in
// random order lie anywhere, which takes its time where they are more than a cache holds: then they come in turns once
// more, of stretches of neighbours, which are fetched as they lie before they are shuffled.
class BlockPass final : public Pass {
public:
    BlockPass(RowStore& store, Side side, size_t window_bytes, std::optional<Random> random, Memory memory)
        : Pass(store, side, memory), random_(random), blocks_(memory), rows_(memory), stretches_(memory) {
        const auto& blocks = store.blocks();
        if (random_ && store.bytes() > window_bytes) {
            blocks_.as_samples(blocks.size(), Turns::for_all(store.bytes(), window_bytes), *random_);
        } else {
            blocks_.in_order(blocks.size(), window_bytes, [&blocks](size_t block) { return blocks[block].used; });
        }
    }

    bool open_window(StopSign stop) override {
        if (turn_ == turns_ && !open_blocks(stop)) return false;
        if (!taken_) take_turn();
        shuffle(stop);
        taken_ = false;
        ++turn_;
        return true;
    }

    bool again(std::optional<Random> random) override {
        const bool in_arrival_order = !random_;
        if (!listed_ || blocks_.count() > 1 || (!random && !in_arrival_order)) return false;
        random_ = random;
        at_end_ = false;
        begin_turns();
        return true;
    }

private:
    static constexpr size_t cache = size_t{16} << 20;
    static constexpr size_t stretch = size_t{64} << 10;

    // False at the end, and where blocks are missing.
    bool open_blocks(StopSign stop) {
        if (!chosen_) choose();
        at_end_ = !chosen_;
        if (at_end_) return false;
        missing_.clear();
        for (const size_t block : blocks_.things_of(next_ - 1)) have(block);
        if (!missing_.empty()) return false;
        list_rows(stop);
        begin_turns();
        chosen_ = false;
        return true;
    }

    // Lets the last blocks go and takes the next ones. Those that are the whole store stay.
    void choose() {
        if (next_ > 0 && blocks_.count() > 1)
            for (const size_t block : blocks_.things_of(next_ - 1)) let_go(block);
        chosen_ = next_ < blocks_.count();
        next_ += chosen_;
    }

    void list_rows(StopSign stop) {
        rows_.clear();
        window_.clear();
        bytes_ = 0;
        int64_t rows = 0;
        for (const size_t block : blocks_.things_of(next_ - 1)) rows += store_.blocks()[block].rows_on(side_);
        window_.reserve(static_cast<size_t>(rows));
        for (const size_t block : blocks_.things_of(next_ - 1)) {
            stop.poll();
            each_row_of(store_.blocks()[block], side_, [&](const PackedRow* row) {
                bytes_ += PackedRow::size_of(row->nnz());
                window_.push_back(row);
            });
        }
        listed_ = true;
    }

    void begin_turns() {
        turn_ = 0;
        turns_ = 1;
        if (!random_ || bytes_ <= cache) return;
        if (rows_.empty()) rows_.swap(window_);
        rows_of_stretch_ = std::max<size_t>(stretch * rows_.size() / bytes_, 1);
        const size_t stretches = (rows_.size() + rows_of_stretch_ - 1) / rows_of_stretch_;
        stretches_.as_samples(stretches, Turns::for_all(bytes_, cache), *random_);
        turns_ = stretches_.count();
    }

    void take_turn() {
        if (turns_ > 1) {
            window_.clear();
            for (const size_t its : stretches_.things_of(turn_)) {
                const size_t first = its * rows_of_stretch_, end = std::min(first + rows_of_stretch_, rows_.size());
                window_.insert(window_.end(), rows_.begin() + static_cast<ptrdiff_t>(first),
                               rows_.begin() + static_cast<ptrdiff_t>(end));
                // Their lengths first: all of them, so that none is waited for by itself.
                for (size_t row = first; row < end; ++row) __builtin_prefetch(rows_[row]);
                for (size_t row = first; row < end; ++row) rows_[row]->prefetch();
            }
        }
        to_shuffle_ = random_ ? window_.size() : 0;
        taken_ = true;
    }

    // Fisher and Yates; goes on where it was interrupted.
    void shuffle(StopSign stop) {
        for (; to_shuffle_ > 1; --to_shuffle_) {
            stop.poll_every_so_often(to_shuffle_);
            std::swap(window_[to_shuffle_ - 1], window_[random_->below(to_shuffle_)]);
        }
    }

    std::optional<Random> random_;
    Turns blocks_;
    size_t next_ = 0;      // turn of blocks; the one before it is at hand
    bool chosen_ = false;  // blocks that are not listed yet
    bool listed_ = false;

    // Of the blocks at hand. One turn of all rows is the window itself: in arrival order until it is shuffled. Bytes
    // are counted as if rows could not lie in fewer, so that their order hangs on nothing but themselves.
    size_t bytes_ = 0;
    Vector<const PackedRow*> rows_;  // in arrival order, where there are more turns
    size_t rows_of_stretch_ = 0;
    Turns stretches_;
    size_t turn_ = 0, turns_ = 0;
    bool taken_ = false;     // the rows of the turn, which may not be shuffled yet
    size_t to_shuffle_ = 0;  // of them
};

constexpr size_t draws_at_a_time = 65536;

// Draws from a store that may be in memory as a whole.
class DrawnPass final : public Pass {
public:
    DrawnPass(RowStore& store, Side side, Random random, Memory memory)
        : Pass(store, side, memory), random_(random), left_(static_cast<size_t>(store.rows_on(side))), rows_(memory) {}

    bool open_window(StopSign stop) override {
        if (rows_.empty() && !list_rows(stop)) return false;
        at_end_ = left_ == 0;
        if (at_end_) return false;
        window_.clear();
        window_.reserve(draws_at_a_time);
        for (; left_ > 0 && window_.size() < draws_at_a_time; --left_)
            window_.push_back(rows_[random_.below(rows_.size())]);
        return true;
    }

private:
    bool list_rows(StopSign stop) {
        if (!have_all()) return false;
        Vector<const PackedRow*> rows(rows_.get_allocator());
        rows.reserve(left_);
        for (const Block& block : store_.blocks()) {
            stop.poll();
            each_row_of(block, side_, [&](const PackedRow* row) { rows.push_back(row); });
        }
        rows_.swap(rows);
        return true;
    }

    Random random_;
    size_t left_;
    Vector<const PackedRow*> rows_;  // all of them, in arrival order
};

// Draws in batches from a store that lies in a file: the rows of a batch are copied out of their blocks, block by
// block, and visited in the order they were drawn.
class GatheredPass final : public Pass {
public:
    GatheredPass(RowStore& store, Side side, size_t window_bytes, Random random, Memory memory)
        : Pass(store, side, memory),
          random_(random),
          left_(static_cast<size_t>(store.rows_on(side))),
          first_row_(memory),
          row_(memory),
          by_block_(memory),
          rows_of_block_(memory),
          copies_(memory) {
        for (const RowBlock& block : store.blocks()) {
            first_row_.push_back(rows_);
            rows_ += block.rows_on(side);
        }
        const size_t mean_row = store.bytes() / static_cast<size_t>(std::max<int64_t>(store.rows(), 1)) + 1;
        batch_ = std::max<size_t>(window_bytes / (mean_row + 24), 64);
    }

    bool open_window(StopSign stop) override {
        if (next_ == by_block_.size()) {
            at_end_ = left_ == 0;
            if (at_end_) return false;
            draw(stop);
        }
        missing_.clear();
        while (next_ < by_block_.size()) {
            stop.poll();
            if (!have(by_block_[next_] >> 32)) return false;
            gather(by_block_[next_] >> 32, stop);
        }
        return true;
    }

private:
    // Changes what is drawn only when the whole batch is there.
    void draw(StopSign stop) {
        Random random = random_;
        const size_t count = std::min(batch_, left_);
        Vector<int64_t> row(count, row_.get_allocator());
        Vector<uint64_t> by_block(count, by_block_.get_allocator());
        each_below(count, stop, [&](size_t place) {
            row[place] = static_cast<int64_t>(random.below(static_cast<uint64_t>(rows_)));
            const auto next_block = std::ranges::upper_bound(first_row_, row[place]) - first_row_.begin();
            by_block[place] = static_cast<uint64_t>(next_block - 1) << 32 | place;
        });
        sort_by_upper_half(by_block, stop);
        window_.clear();
        window_.resize(count);
        copies_.clear();
        row_.swap(row);
        by_block_.swap(by_block);
        random_ = random;
        left_ -= count;
        next_ = 0;
    }

    // Puts the drawn rows of one block into their places.
    void gather(size_t block, StopSign stop) {
        rows_of_block_.clear();
        each_row_of(store_.blocks()[block], side_, [this](const PackedRow* row) { rows_of_block_.push_back(row); });
        for (; next_ < by_block_.size() && by_block_[next_] >> 32 == block; ++next_) {
            const size_t place = by_block_[next_] & 0xffffffff;
            const PackedRow& drawn = *rows_of_block_[static_cast<size_t>(row_[place] - first_row_[block])];
            if (!copies_.has_room_for(drawn.size())) copies_.add_block(copies_.next_block_size(drawn.size()));
            window_[place] = copies_.append(drawn, stop);
        }
        let_go(block);
    }

    Random random_;
    size_t left_;
    size_t batch_;
    int64_t rows_ = 0;
    Vector<int64_t> first_row_;  // of each block
    Vector<int64_t> row_;        // drawn, by place in the window
    Vector<uint64_t> by_block_;  // block, place: sorted by block
    Vector<const PackedRow*> rows_of_block_;
    size_t next_ = 0;  // in by_block_
    RowStore copies_;
};

}  // namespace

Box<Pass> sequential_pass(RowStore& store, size_t window_bytes, Memory memory, Side side) {
    return Box<Pass>::make<BlockPass>(memory, store, side, window_bytes, std::nullopt, memory);
}

Box<Pass> shuffled_pass(RowStore& store, size_t window_bytes, Random random, Memory memory, Side side) {
    return Box<Pass>::make<BlockPass>(memory, store, side, window_bytes, random, memory);
}

Box<Pass> drawn_pass(RowStore& store, size_t window_bytes, Random random, Memory memory, Side side) {
    if (store.bytes() <= window_bytes) return Box<Pass>::make<DrawnPass>(memory, store, side, random, memory);
    return Box<Pass>::make<GatheredPass>(memory, store, side, window_bytes, random, memory);
}

}  // namespace sparselin
