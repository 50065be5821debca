// Cells by number, 0, 1, 2 and so on. There are always more to be had, and those that are there stay where they are;
// but while they are few they lie in one piece, which moves as it grows. Memory of cells that nobody has cleared yet is
// not touched.
#pragma once

#include "base/memory.h"

#include <bit>

namespace sparselin {

class CellExtents {
public:
    CellExtents(Memory memory, size_t numbers_of_cell)
        : memory_(memory), first_(memory), others_(memory), shift_(shift_for(numbers_of_cell)) {}

    // `count`: how many numbers a cell has, as said before.
    double* at(size_t cell, size_t count) const {
        const size_t within = cell & ((size_t{1} << shift_) - 1);
        return const_cast<double*>(extent(cell >> shift_).data()) + within * count;
    }

    bool has_room_for(size_t cells) const { return cells <= room_; }

    // Whether cells have moved.
    bool make_room_for(size_t cells, size_t count, StopSign stop) {
        const size_t largest = size_t{1} << shift_;
        bool moved = false;
        if (cells > room_ && room_ < largest) {
            const size_t size = std::min(largest, std::max(std::bit_ceil(cells), fewest));
            first_ = unset_behind(first_, size * count, stop);
            moved = room_ > 0;
            room_ = size;
        }
        for (; cells > room_; room_ += largest)
            others_.push_back(unset_behind(Slab<double>(memory_), largest * count, stop));
        return moved;
    }

    size_t bytes(size_t count) const { return room_ * count * sizeof(double); }

private:
    const Slab<double>& extent(size_t number) const { return number == 0 ? first_ : others_[number - 1]; }

    Slab<double> unset_behind(const Slab<double>& shorter, size_t size, StopSign stop) const {
        return Slab<double>::unset_behind(shorter, memory_, size, stop);
    }

    // Many large pages.
    static constexpr size_t bytes_of_extent = size_t{16} << 20;
    static constexpr size_t fewest = 16;

    static unsigned shift_for(size_t numbers_of_cell) {
        const size_t cells = std::max<size_t>(bytes_of_extent / (numbers_of_cell * sizeof(double)), 1);
        return static_cast<unsigned>(std::bit_width(cells)) - 1;
    }

    Memory memory_;
    Slab<double> first_;  // the only one there is in thousands of small tables
    Vector<Slab<double>> others_;
    unsigned shift_;
    size_t room_ = 0;
};

}  // namespace sparselin
