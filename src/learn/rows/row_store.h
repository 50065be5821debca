// Rows kept for later, packed into blocks.
#pragma once

#include "base/block_store.h"
#include "rows/packed_row.h"

#include <algorithm>

namespace sparselin {

// A block's rows, to be written as bytes that travel.
inline void rows_to_little_endian(std::span<char> rows) {
    if constexpr (std::endian::native != std::endian::little)
        for (size_t at = 0, size; at < rows.size(); at += size) {
            auto& row = *reinterpret_cast<PackedRow*>(rows.data() + at);
            size = row.size();
            row.to_little_endian();
        }
}

// Small: thousands of groups have a list of these each.
struct RowBlock : Block {
    uint32_t rows = 0, held_out = 0;

    int64_t rows_on(Side side) const {
        return side == Side::all ? rows : side == Side::held_out ? held_out : rows - held_out;
    }
};

class RowStore : public BlockStore<RowBlock> {
public:
    static constexpr size_t smallest_block = 256;
    static constexpr size_t largest_block = size_t{8} << 20;

    // `in_file`: how rows lie that come when some are in a file already.
    explicit RowStore(Memory memory, Layout in_file = Layout::small) : BlockStore(memory), in_file_(in_file) {}

    int64_t rows() const { return rows_; }
    int64_t rows_on(Side side) const {
        int64_t rows = 0;
        for (const RowBlock& block : blocks()) rows += block.rows_on(side);
        return rows;
    }
    size_t bytes() const { return bytes_; }

    // Whether the row fits in the block that is being filled, however it lies there.
    bool has_room_for(const SparseRow& x) const { return has_room_for(PackedRow::size_of(x.nnz)); }
    bool has_room_for(size_t bytes) const { return filling() && blocks_.back().room - blocks_.back().used >= bytes; }

    // A shuffled pass over a file mixes whole blocks, many of them: so they are to be small beside the memory there is.
    static size_t largest_block_for(size_t memory_limit) {
        return std::clamp(memory_limit / 128, smallest_spilled, largest_block);
    }

    // The size that the next block would have, for a row that did not fit: twice the last while that is small, later a
    // share of all there is, so that little of it lies empty.
    size_t next_block_size(const SparseRow& x, size_t largest = largest_block) const {
        return next_block_size(PackedRow::size_of(x.nnz), largest);
    }
    size_t next_block_size(size_t least, size_t largest = largest_block) const {
        constexpr size_t small = 64 * 1024;
        const size_t last = blocks_.empty() ? 0 : blocks_.back().room;
        const size_t wanted = std::max(std::min(last * 2, small), bytes_ / 8);
        return std::max(least, std::clamp(wanted, smallest_block, largest));
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
        const PackedRow& row = PackedRow::write(block.data + block.used, example, layout(), held_out, stop);
        count(block, row);
        return &row;
    }

    // A copy of a row that lies in another store.
    const PackedRow* append(const PackedRow& row, StopSign stop) {
        RowBlock& block = blocks_.back();
        char* const place = block.data + block.used;
        copy_bytes(place, reinterpret_cast<const char*>(&row), row.size(), stop);
        count(block, row);
        return reinterpret_cast<const PackedRow*>(place);
    }

    // Takes rows that have travelled from another store into a block of their own, as many as `largest` bytes hold, but
    // at least one. Says how many bytes of them it took; 0 when one is damaged, or not good(row).
    template <typename Good>
    size_t adopt(std::span<const char> rows, size_t largest, StopSign stop, Good&& good) {
        const size_t room = std::min(rows.size(), std::max(largest, PackedRow::size_of_first(rows)));
        add_block(room);
        RowBlock& block = blocks_.back();
        while (block.used < rows.size()) {
            const size_t size = PackedRow::size_of_first(rows.subspan(block.used));
            if (size > room - block.used) break;
            if (size == 0) return 0;
            char* row = block.data + block.used;
            copy_bytes(row, rows.data() + block.used, size, stop);
            auto& packed = *reinterpret_cast<PackedRow*>(row);
            packed.from_little_endian();
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
    // What is read from a file costs by the byte; in memory, adding up indices costs more than their bytes do.
    Layout layout() const { return spilled() ? in_file_ : Layout::plain; }

    bool filling() const { return !blocks_.empty() && blocks_.back().in_memory() && !blocks_.back().written(); }

    void count(RowBlock& block, const PackedRow& row) {
        block.used += static_cast<uint32_t>(row.size());
        ++block.rows;
        block.held_out += row.held_out();
        ++rows_;
        bytes_ += row.size();
    }

    Layout in_file_;
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
