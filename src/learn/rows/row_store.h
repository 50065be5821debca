// Rows kept for later, packed into blocks.
#pragma once

#include "base/block_store.h"
#include "base/codec.h"
#include "base/memory.h"
#include "rows/sparse.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sparselin {

// Where some rows are held out, not to be learned from but to judge by: which of them are meant.
enum class Side : uint8_t { all, learned, held_out };

// An example as it lies in a block, followed by its indices and values.
struct PackedRow {
    double y;
    double omega;
    int32_t nnz;
    float mark;  // most_length of the example, negative where the row is held out

    static size_t size_of(int32_t nnz) { return sizeof(PackedRow) + static_cast<size_t>(nnz) * 8; }
    size_t size() const { return size_of(nnz); }
    bool held_out() const { return std::signbit(mark); }
    bool is_on(Side side) const { return side == Side::all || held_out() == (side == Side::held_out); }
    void set_most_length(float length) { mark = std::copysign(length, mark); }

    // Asks for the row ahead of its use; its first cache line should be there already, for its length. Inlined by
    // force: GCC takes a function that does nothing else for one without effect, and drops the call.
    [[gnu::always_inline]] void prefetch() const {
        const size_t end = std::min<size_t>(size(), 2048);
        for (size_t at = 64; at < end; at += 64) __builtin_prefetch(reinterpret_cast<const char*>(this) + at);
    }

    Example example() const {
        const int32_t* index = reinterpret_cast<const int32_t*>(this + 1);
        return {{index, reinterpret_cast<const float*>(index + nnz), nnz, 0}, y, omega, std::fabs(mark)};
    }
};

// Rows travel little-endian, as all else does. These turn a row into that and back, in place.
inline void turn_row([[maybe_unused]] char* row, [[maybe_unused]] size_t size) {
    if constexpr (std::endian::native != std::endian::little) {
        const auto reverse = [row](size_t at, size_t length) { std::reverse(row + at, row + at + length); };
        reverse(offsetof(PackedRow, y), 8);
        reverse(offsetof(PackedRow, omega), 8);
        for (size_t at = offsetof(PackedRow, nnz); at < size; at += 4) reverse(at, 4);
    }
}

// How long the first of some rows is that have travelled; 0 for one that cannot be right.
inline size_t size_of_first(std::span<const char> rows) {
    if (rows.size() < sizeof(PackedRow)) return 0;
    const int32_t nnz = load_little<int32_t>(rows.data() + offsetof(PackedRow, nnz));
    return nnz < 0 || PackedRow::size_of(nnz) > rows.size() ? 0 : PackedRow::size_of(nnz);
}

// A block's rows, to be written as bytes that travel.
inline void rows_to_little_endian(std::span<char> rows) {
    if constexpr (std::endian::native != std::endian::little)
        for (size_t at = 0, size; at < rows.size(); at += size) {
            size = reinterpret_cast<const PackedRow*>(rows.data() + at)->size();
            turn_row(rows.data() + at, size);
        }
}

struct RowBlock : Block {
    int64_t rows = 0, held_out = 0;

    int64_t rows_on(Side side) const {
        return side == Side::all ? rows : side == Side::held_out ? held_out : rows - held_out;
    }
};

class RowStore : public BlockStore<RowBlock> {
public:
    static constexpr size_t smallest_block = 256;
    static constexpr size_t largest_block = size_t{8} << 20;

    explicit RowStore(Memory memory) : BlockStore(memory) {}

    int64_t rows() const { return rows_; }
    int64_t rows_on(Side side) const {
        int64_t rows = 0;
        for (const RowBlock& block : blocks()) rows += block.rows_on(side);
        return rows;
    }
    size_t bytes() const { return bytes_; }

    // Whether the row fits in the block that is being filled.
    bool has_room_for(const SparseRow& x) const {
        return filling() && blocks_.back().room - blocks_.back().used >= PackedRow::size_of(x.nnz);
    }

    // A shuffled pass over a file mixes whole blocks, many of them: so they are to be small beside the memory there is.
    static size_t largest_block_for(size_t memory_limit) {
        return std::clamp(memory_limit / 128, smallest_spilled, largest_block);
    }

    // The size that the next block would have, for a row that did not fit: twice the last while that is small, later a
    // share of all there is, so that little of it lies empty.
    size_t next_block_size(const SparseRow& x, size_t largest = largest_block) const {
        constexpr size_t small = 64 * 1024;
        const size_t last = blocks_.empty() ? 0 : blocks_.back().room;
        const size_t wanted = std::max(std::min(last * 2, small), bytes_ / 8);
        return std::max(PackedRow::size_of(x.nnz), std::clamp(wanted, smallest_block, largest));
    }

    // Whether the block being filled is large enough to be written out; smaller ones are left to grow.
    bool worth_spilling() const {
        return filling() && blocks_.back().room >= smallest_spilled && blocks_.back().used > 0;
    }

    // A block that is still empty gives way to the new one.
    void add_block(size_t size) {
        if (filling() && blocks_.back().used == 0) {
            free(blocks_.back());
        } else {
            blocks_.emplace_back();
        }
        allocate(blocks_.back(), size);
    }

    const PackedRow* append(const Example& example, StopSign stop = StopSign(), bool held_out = false) {
        RowBlock& block = blocks_.back();
        PackedRow* row = reinterpret_cast<PackedRow*>(block.data + block.used);
        const SparseRow& x = example.x;
        *row = {example.y, example.omega, x.nnz, held_out ? -example.most_length : example.most_length};
        if (x.nnz > 0) {
            const size_t half = static_cast<size_t>(x.nnz) * 4;
            char* numbers = reinterpret_cast<char*>(row + 1);
            copy_bytes(numbers, reinterpret_cast<const char*>(x.index), half, stop);
            copy_bytes(numbers + half, reinterpret_cast<const char*>(x.value), half, stop);
        }
        count(block, *row);
        return row;
    }

    // Takes rows that have travelled from another store into a block of their own, as many as `largest` bytes hold, but
    // at least one. Says how many bytes of them it took; 0 when one is damaged, or not good(row).
    template <typename Good>
    size_t adopt(std::span<const char> rows, size_t largest, StopSign stop, Good&& good) {
        const size_t room = std::min(rows.size(), std::max(largest, size_of_first(rows)));
        add_block(room);
        RowBlock& block = blocks_.back();
        while (block.used < rows.size()) {
            const size_t size = size_of_first(rows.subspan(block.used));
            if (size > room - block.used) break;
            if (size == 0) return 0;
            char* row = block.data + block.used;
            copy_bytes(row, rows.data() + block.used, size, stop);
            turn_row(row, size);
            auto& packed = *reinterpret_cast<PackedRow*>(row);
            if (!good(packed)) return 0;
            count(block, packed);
        }
        return block.used;
    }

    // The block lies in the file now. Its memory goes, or serves the block that is filled next.
    void written(size_t number, int64_t position) {
        note_written(number, position);
        const bool last = number + 1 == blocks_.size();
        if (!last || blocks_[number].room > largest_block) return unload(number);
        blocks_.emplace_back();
        blocks_.back().room = blocks_[number].room;
        blocks_.back().data = std::exchange(blocks_[number].data, nullptr);
    }

    // Memory for a block that somebody will read from the file.
    char* make_room(size_t number) {
        if (!blocks_[number].in_memory()) allocate(blocks_[number], blocks_[number].used);
        return blocks_[number].data;
    }

    // Forgets all rows and frees their memory.
    void clear() {
        BlockStore::clear();
        rows_ = 0;
        bytes_ = 0;
    }

private:
    bool filling() const { return !blocks_.empty() && blocks_.back().in_memory() && !blocks_.back().written(); }

    void count(RowBlock& block, const PackedRow& row) {
        block.used += static_cast<uint32_t>(row.size());
        ++block.rows;
        block.held_out += row.held_out();
        ++rows_;
        bytes_ += row.size();
    }

    int64_t rows_ = 0;
    size_t bytes_ = 0;
};

// Calls visit(row) for each row of a block in memory. Where the next one begins is known when this one has come: lest
// each is waited for by itself, memory is asked for as it lies, some way ahead.
template <typename Visit>
void each_row_of(const Block& block, Visit&& visit) {
    constexpr size_t ahead = 4096, most = 2048;
    for (size_t at = 0; at < block.used;) {
        const PackedRow* row = reinterpret_cast<const PackedRow*>(block.data + at);
        const size_t size = row->size(), end = std::min<size_t>(at + ahead + std::min(size, most), block.used);
        for (size_t line = at + ahead; line < end; line += 64) __builtin_prefetch(block.data + line);
        visit(row);
        at += size;
    }
}

template <typename Visit>
void each_row_of(const Block& block, Side side, Visit&& visit) {
    each_row_of(block, [&](const PackedRow* row) {
        if (row->is_on(side)) visit(row);
    });
}

}  // namespace sparselin
