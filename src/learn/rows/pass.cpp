#include "rows/pass.h"

#include "base/sort.h"

#include <algorithm>
#include <numeric>

namespace sparselin {

namespace {

// Block after block, each window as many as fit. With a Random each window is a fair sample of the table: it takes one
// block, at random, from each of as many stretches as it has blocks. So rows that came sorted, by label or by time, do
// not lie together again.
class BlockPass final : public Pass {
public:
    BlockPass(RowStore& store, size_t window_bytes, std::optional<Random> random, Memory memory)
        : Pass(store, memory), window_bytes_(window_bytes), random_(random), order_(memory), ends_(memory) {
        if (random_ && store.bytes() > window_bytes) {
            order_by_stretches();
        } else {
            order_by_arrival();
        }
    }

    bool open_window(StopSign stop) override {
        if (!chosen_) choose();
        at_end_ = first_ == end_;
        if (at_end_) return false;
        missing_.clear();
        for (size_t i = first_; i < end_; ++i) have(order_[i]);
        if (!missing_.empty()) return false;
        if (!listed_) list_rows(stop);
        shuffle(stop);
        chosen_ = false;
        return true;
    }

    bool again(std::optional<Random> random) override {
        const bool in_arrival_order = !random_;
        if (!listed_ || ends_.size() > 1 || (!random && !in_arrival_order)) return false;
        random_ = random;
        to_shuffle_ = random ? window_.size() : 0;
        first_ = 0;
        chosen_ = true;
        at_end_ = false;
        return true;
    }

private:
    void order_by_arrival() {
        size_t bytes = 0;
        for (size_t block = 0; block < store_.blocks().size(); ++block) {
            bytes += store_.blocks()[block].used;
            if (block > 0 && bytes > window_bytes_) {
                ends_.push_back(block);
                bytes = store_.blocks()[block].used;
            }
            order_.push_back(block);
        }
        ends_.push_back(order_.size());
    }

    // Stretches are as long as there are windows; the last one is filled up with blocks that are not there. Blocks
    // differ in size, so windows are meant to be an eighth smaller than they may be.
    void order_by_stretches() {
        const size_t count = store_.blocks().size();
        const size_t windows = store_.bytes() / (window_bytes_ - window_bytes_ / 8) + 1;
        Vector<size_t> block((count + windows - 1) / windows * windows, order_.get_allocator());
        std::iota(block.begin(), block.end(), size_t{0});
        for (size_t start = 0; start < block.size(); start += windows) {
            random_->shuffle(std::span(block).subspan(start, windows), StopSign());
        }
        for (size_t window = 0; window < windows; ++window) {
            for (size_t i = window; i < block.size(); i += windows) {
                if (block[i] < count) order_.push_back(block[i]);
            }
            if (order_.size() > (ends_.empty() ? 0 : ends_.back())) ends_.push_back(order_.size());
        }
    }

    // Lets the last window's blocks go and takes the next ones. The one window of a whole store stays.
    void choose() {
        const bool whole_store = end_ - first_ == order_.size();
        for (size_t i = first_; i < end_ && !whole_store; ++i) let_go(order_[i]);
        first_ = end_;
        chosen_ = true;
        if (next_ == ends_.size()) return;
        end_ = ends_[next_++];
        listed_ = false;
    }

    void list_rows(StopSign stop) {
        window_.clear();
        int64_t rows = 0;
        for (size_t i = first_; i < end_; ++i) rows += store_.blocks()[order_[i]].rows;
        window_.reserve(static_cast<size_t>(rows));
        for (size_t i = first_; i < end_; ++i) {
            stop.poll();
            each_row_of(store_.blocks()[order_[i]], [&](const PackedRow* row) { window_.push_back(row); });
        }
        listed_ = true;
        to_shuffle_ = random_ ? window_.size() : 0;
    }

    // Fisher and Yates; goes on where it was interrupted.
    void shuffle(StopSign stop) {
        for (; to_shuffle_ > 1; --to_shuffle_) {
            stop.poll_every_so_often(to_shuffle_);
            std::swap(window_[to_shuffle_ - 1], window_[random_->below(to_shuffle_)]);
        }
    }

    size_t window_bytes_;
    std::optional<Random> random_;
    Vector<size_t> order_;        // of blocks
    Vector<size_t> ends_;         // of windows in it
    size_t next_ = 0;             // in ends_
    size_t first_ = 0, end_ = 0;  // the window's blocks in order_
    bool chosen_ = false;
    bool listed_ = false;    // the window's rows, in arrival order until they are shuffled
    size_t to_shuffle_ = 0;  // of the window's rows
};

constexpr size_t draws_at_a_time = 65536;

// Draws from a store that may be in memory as a whole.
class DrawnPass final : public Pass {
public:
    DrawnPass(RowStore& store, Random random, Memory memory)
        : Pass(store, memory), random_(random), left_(static_cast<size_t>(store.rows())), rows_(memory) {}

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
            each_row_of(block, [&](const PackedRow* row) { rows.push_back(row); });
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
    GatheredPass(RowStore& store, size_t window_bytes, Random random, Memory memory)
        : Pass(store, memory),
          random_(random),
          left_(static_cast<size_t>(store.rows())),
          first_row_(memory),
          row_(memory),
          by_block_(memory),
          rows_of_block_(memory),
          copies_(memory) {
        int64_t rows = 0;
        for (const RowBlock& block : store.blocks()) {
            first_row_.push_back(rows);
            rows += block.rows;
        }
        const size_t mean_row = store.bytes() / static_cast<size_t>(std::max<int64_t>(rows, 1)) + 1;
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
            row[place] = static_cast<int64_t>(random.below(static_cast<uint64_t>(store_.rows())));
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
        each_row_of(store_.blocks()[block], [this](const PackedRow* row) { rows_of_block_.push_back(row); });
        for (; next_ < by_block_.size() && by_block_[next_] >> 32 == block; ++next_) {
            const size_t place = by_block_[next_] & 0xffffffff;
            const Example drawn = rows_of_block_[static_cast<size_t>(row_[place] - first_row_[block])]->example();
            if (!copies_.has_room_for(drawn.x)) copies_.add_block(copies_.next_block_size(drawn.x));
            window_[place] = copies_.append(drawn, stop);
        }
        let_go(block);
    }

    Random random_;
    size_t left_;
    size_t batch_;
    Vector<int64_t> first_row_;  // of each block
    Vector<int64_t> row_;        // drawn, by place in the window
    Vector<uint64_t> by_block_;  // block, place: sorted by block
    Vector<const PackedRow*> rows_of_block_;
    size_t next_ = 0;  // in by_block_
    RowStore copies_;
};

}  // namespace

Box<Pass> sequential_pass(RowStore& store, size_t window_bytes, Memory memory) {
    return Box<Pass>::make<BlockPass>(memory, store, window_bytes, std::nullopt, memory);
}

Box<Pass> shuffled_pass(RowStore& store, size_t window_bytes, Random random, Memory memory) {
    return Box<Pass>::make<BlockPass>(memory, store, window_bytes, random, memory);
}

Box<Pass> drawn_pass(RowStore& store, size_t window_bytes, Random random, Memory memory) {
    if (store.bytes() <= window_bytes) return Box<Pass>::make<DrawnPass>(memory, store, random, memory);
    return Box<Pass>::make<GatheredPass>(memory, store, window_bytes, random, memory);
}

}  // namespace sparselin
