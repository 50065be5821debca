// One way through the rows of a store, a window at a time: a window is as many rows as may be in memory together,
// in the order in which they are to be visited.
//
// When open_window() says false, either the pass is at its end, or blocks are missing() that somebody has to bring
// into memory before it is called again. Blocks that are in a file are let go when their window is over, unless one
// window holds the whole store. open_window() can be repeated after Interrupted.
#pragma once

#include "base/memory.h"
#include "base/random.h"
#include "rows/row_store.h"

#include <optional>

namespace sparselin {

class Pass {
public:
    Pass(RowStore& store, Memory memory) : store_(store), window_(memory), missing_(memory) {}
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
    Vector<const PackedRow*> window_;
    Vector<size_t> missing_;
    bool at_end_ = false;
};

// In arrival order.
Box<Pass> sequential_pass(RowStore& store, size_t window_bytes, Memory memory);

// A new permutation. Where the rows do not fit in one window: blocks in random order, several of them mixed in a
// window, its rows shuffled (CorgiPile), and every window drawn evenly from the whole of the table.
Box<Pass> shuffled_pass(RowStore& store, size_t window_bytes, Random random, Memory memory);

// As many independent uniform draws as there are rows: draw i is Random::below(rows).
Box<Pass> drawn_pass(RowStore& store, size_t window_bytes, Random random, Memory memory);

}  // namespace sparselin
