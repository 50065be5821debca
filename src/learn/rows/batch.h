// Rows that are gone through one after the other, handed on some at a time: what there is to do around a row is done
// once for all of them. A few that come after them are known, and so are on their way from memory when they are due.
#pragma once

#include "rows/sparse.h"

#include <algorithm>

namespace sparselin {

struct Batch {
    static constexpr size_t most = 32, most_ahead = 4;

    Batch(const Example* rows, size_t count, size_t known) : count(count), rows_(rows), known_(known) {}
    explicit Batch(const Example& row) : Batch(&row, 1, 1) {}

    const Example& operator[](size_t k) const { return rows_[k]; }

    // The row behind that one, where it is known.
    const SparseRow* after(size_t k) const { return k + 1 < known_ ? &rows_[k + 1].x : nullptr; }

    // When row k is due. Inlined by force: GCC takes a function that does nothing else for one without effect.
    [[gnu::always_inline]] void look_ahead(size_t k) const {
        if (k + most_ahead >= known_) return;
        const SparseRow& x = rows_[k + most_ahead].x;
        const char* const numbers = reinterpret_cast<const char*>(x.index);
        const size_t end = std::min<size_t>(static_cast<size_t>(x.nnz) * 8, 2048);
        // As many as most rows have, without a look at how many.
        for (size_t at = 32; at < 3 * 64; at += 64) __builtin_prefetch(numbers + at);
        for (size_t at = 32 + 3 * 64; at < end; at += 64) __builtin_prefetch(numbers + at);
    }

    const size_t count;

private:
    const Example* rows_;
    const size_t known_;  // from the first on
};

// Calls work(k) for each row of a batch, until it says false for one. How many rows that took: work() is to be called
// again for the one that it was Interrupted at, which is thrown on only where that is the first.
template <typename Work>
[[gnu::always_inline]] inline size_t taken_of(const Batch& rows, Work&& work) {
    size_t k = 0;
    try {
        while (k < rows.count) {
            rows.look_ahead(k);
            if (!work(k++)) break;
        }
    } catch (const Interrupted&) {
        if (--k == 0) throw;
    }
    return k;
}

}  // namespace sparselin
