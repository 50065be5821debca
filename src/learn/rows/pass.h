// One way through the rows of a store, a window at a time: a window is as many rows as may be in memory together,
// in the order in which they are to be visited.
//
// When open_window() says false, either the pass is at its end, or blocks are missing() that somebody has to bring
// into memory before it is called again. Blocks that are in a file are let go when their window is over, unless one
// window holds the whole store. open_window() can be repeated after Interrupted. The random numbers of a pass come from
// here as well.
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "rows/row_store.h"

#include <optional>
#include <utility>

namespace sparselin {

// Random numbers that are the same on every machine: SplitMix64, and uniform draws below a bound by Lemire's method.
class Random {
public:
    // Streams with one seed are independent: stream e serves epoch e, counted from 0.
    Random(uint64_t seed, uint64_t stream) : state_(mix(mix(seed) + stream)) {}

    uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

    // Uniform in 0 .. bound-1, exactly.
    uint64_t below(uint64_t bound) {
        Product product = static_cast<Product>(next()) * bound;
        if (static_cast<uint64_t>(product) < bound) {
            const uint64_t biased = -bound % bound;
            while (static_cast<uint64_t>(product) < biased) product = static_cast<Product>(next()) * bound;
        }
        return static_cast<uint64_t>(product >> 64);
    }

    template <typename T>
    void shuffle(std::span<T> items, StopSign stop) {
        for (size_t i = items.size(); i > 1; --i) {
            stop.poll_every_so_often(i);
            std::swap(items[i - 1], items[below(i)]);
        }
    }

private:
    __extension__ using Product = unsigned __int128;

    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

class Pass {
public:
    Pass(RowStore& store, Side side, Memory memory) : store_(store), side_(side), window_(memory), missing_(memory) {}
    virtual ~Pass() = default;

    virtual bool open_window(StopSign stop) = 0;

    // The same rows once more, in a new random order or, without a Random, in arrival order; false when that takes a
    // new pass. Rows that are all in one window need not be looked up again.
    virtual bool again(std::optional<Random>) { return false; }

    // Whether all blocks are in memory at the same time; those that are not are missing().
    bool have_all() {
        missing_.clear();
        for (size_t block = 0; block < store_.blocks().size(); ++block)
            if (store_.blocks()[block].used > 0) have(block);
        return missing_.empty();
    }

    bool at_end() const { return at_end_; }

    const Vector<const PackedRow*>& window() const { return window_; }

    // Block numbers.
    const Vector<size_t>& missing() const { return missing_; }

protected:
    // Notes the block as missing when it is not in memory.
    bool have(size_t block) {
        if (store_.blocks()[block].in_memory()) return true;
        missing_.push_back(block);
        return false;
    }

    // A block that can be read again from the file need not stay.
    void let_go(size_t block) {
        if (store_.blocks()[block].written()) store_.unload(block);
    }

    RowStore& store_;
    const Side side_;
    Vector<const PackedRow*> window_;
    Vector<size_t> missing_;
    bool at_end_ = false;
};

// In arrival order; like the others, of one side's rows, as if there were no more.
Box<Pass> sequential_pass(RowStore& store, size_t window_bytes, Memory memory, Side side = Side::all);

// A new permutation. Where the rows do not fit in one window: blocks in random order, several of them mixed in a
// window, its rows shuffled (CorgiPile), and every window drawn evenly from the whole of the table.
Box<Pass> shuffled_pass(RowStore& store, size_t window_bytes, Random random, Memory memory, Side side = Side::all);

// As many independent uniform draws as there are rows: draw i is Random::below(rows).
Box<Pass> drawn_pass(RowStore& store, size_t window_bytes, Random random, Memory memory, Side side = Side::all);

}  // namespace sparselin
