// From a feature's index to its cell of numbers: a plain array where features lie densely, a hash table elsewhere.
//
// Invariants:
//   - features below array_.size(), a power of two, are in the array, all others in the hash table;
//   - at least a quarter of the array was in use when it was made, so memory follows the distinct features seen and
//     never the largest index;
//   - a cell nobody has touched is all zeros.
// Cost: O(1) a feature; a row that lies in the array costs what a plain array costs.
#pragma once

#include "slab.h"
#include "sort.h"
#include "sparse.h"

#include <array>
#include <bit>

namespace sparselin {

template <typename Cell>
class FeatureTable {
public:
    explicit FeatureTable(Memory memory) : memory_(memory), array_(memory), slots_(memory), located_(memory) {}

    // Calls work(cell) with cell(i) the cell of the row's i-th feature; new features get a cell of zeros.
    // Interrupted is thrown only before `work` runs.
    template <typename Work>
    auto with_cells(const SparseRow& row, StopSign stop, Work&& work) {
        if (row.last() < static_cast<int64_t>(array_.size())) {
            Cell* const array = array_.data();
            const int32_t* const index = row.index;
            return work([array, index](int32_t i) -> Cell& { return array[index[i]]; });
        }
        locate(row, stop);
        Cell** const located = located_.data();
        return work([located](int32_t i) -> Cell& { return *located[i]; });
    }

    // The cell of a feature, made if it is not there. References last until the next call.
    Cell& at(int32_t index, StopSign stop) {
        if (Cell* cell = look_up(index)) return *cell;
        reserve(1, stop);
        return obtain(index);
    }

    // nullptr when the feature has no cell.
    const Cell* find(int32_t index) const { return const_cast<FeatureTable*>(this)->look_up(index); }

    // Calls visit(index, cell) for every cell that is not all zeros, in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        for (size_t i = 0; i < array_.size(); ++i) {
            stop.poll_every_so_often(i);
            if (!is_zero(array_[i])) visit(static_cast<int32_t>(i), array_[i]);
        }
        Vector<uint64_t> order(memory_);
        order.reserve(used_);
        for (size_t i = 0; i < slots_.size(); ++i) {
            stop.poll_every_so_often(i);
            if (slots_[i].key != 0) order.push_back(static_cast<uint64_t>(slots_[i].key) << 32 | i);
        }
        sort_by_upper_half(order, stop);
        for (size_t i = 0; i < order.size(); ++i) {
            stop.poll_every_so_often(i);
            const Slot& slot = slots_[order[i] & 0xffffffff];
            if (!is_zero(slot.cell)) visit(slot.index(), slot.cell);
        }
    }

private:
    struct Slot {
        uint32_t key;  // index + 1; 0: free
        Cell cell;
        int32_t index() const { return static_cast<int32_t>(key - 1); }
    };

    static unsigned width_of(int32_t index) {
        return static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(index)));
    }

    static bool is_zero(const Cell& cell) {
        static constexpr Cell zero{};
        return memcmp(&cell, &zero, sizeof cell) == 0;
    }

    // The slot where the key is, or the free one where it would go.
    Slot& probe(uint32_t key) {
        const size_t mask = slots_.size() - 1;
        size_t i = (key * uint64_t{0x9e3779b97f4a7c15}) >> shift_;
        while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask;
        return slots_[i];
    }

    Cell* look_up(int32_t index) {
        if (static_cast<size_t>(index) < array_.size()) return &array_[static_cast<size_t>(index)];
        if (used_ == 0) return nullptr;
        Slot& slot = probe(static_cast<uint32_t>(index) + 1);
        return slot.key != 0 ? &slot.cell : nullptr;
    }

    // Like find, but makes the cell; room has been reserved.
    Cell& obtain(int32_t index) {
        if (static_cast<size_t>(index) < array_.size()) return array_[static_cast<size_t>(index)];
        Slot& slot = probe(static_cast<uint32_t>(index) + 1);
        if (slot.key == 0) {
            slot.key = static_cast<uint32_t>(index) + 1;
            ++used_;
            ++of_width_[width_of(index)];
        }
        return slot.cell;
    }

    void locate(const SparseRow& row, StopSign stop) {
        const size_t nnz = static_cast<size_t>(row.nnz);
        if (located_.size() < nnz) located_.resize(std::bit_ceil(nnz));
        size_t missing = 0;
        for (size_t i = 0; i < nnz; ++i) {
            located_[i] = look_up(row.index[i]);
            missing += located_[i] == nullptr;
        }
        if (missing == 0 && used_ < next_look_) return;
        reserve(missing, stop);
        for (size_t i = 0; i < nnz; ++i) {
            stop.poll_every_so_often(i);
            located_[i] = &obtain(row.index[i]);
        }
    }

    static constexpr size_t most_used(size_t slots) { return slots - slots / 3; }

    // Room for `more` features, so that cells stay where they are while these are made.
    void reserve(size_t more, StopSign stop) {
        const bool grows = used_ >= next_look_ && array_pays();
        if (used_ >= next_look_) next_look_ = next_look();
        if (grows || used_ + more > most_used(slots_.size())) rebuild(more, stop);
    }

    // Moving a few features into an array is not worth moving all the others.
    bool array_pays() const { return moved_below(best_array_size()) * 16 >= used_; }

    // Whether an array pays is asked again when there are an eighth more features.
    size_t next_look() const { return used_ + used_ / 8 + 4; }

    // The largest power of two of which a quarter is in use, if the array should grow to it.
    size_t best_array_size() const {
        uint64_t below = used_in_array_;
        size_t best = array_.size();
        for (unsigned w = 0; w < of_width_.size(); ++w) {
            below += of_width_[w];
            const uint64_t size = uint64_t{1} << w;
            if (size > best && size >= 16 && below * 4 >= size) best = size;
        }
        return best;
    }

    // Moves what the array should hold into it, and the rest to a hash table of the right size. Changes nothing
    // before all memory is there and filled.
    void rebuild(size_t more, StopSign stop) {
        count_array(stop);
        const size_t array_size = best_array_size();
        const bool grows = array_size > array_.size();
        Slab<Cell> array = grows ? Slab<Cell>(memory_, array_size, array_, stop) : Slab<Cell>(memory_);

        size_t stay = 0;
        for (size_t i = 0; i < slots_.size(); ++i) {
            stop.poll_every_so_often(i);
            stay += slots_[i].key > array_size;
        }
        size_t slot_count = 8;
        while (most_used(slot_count) < stay + more) slot_count *= 2;
        FeatureTable other(memory_);
        other.slots_ = Slab<Slot>(memory_, slot_count, stop);
        other.shift_ = 64 - static_cast<unsigned>(std::countr_zero(slot_count));
        for (size_t i = 0; i < slots_.size(); ++i) {
            stop.poll_every_so_often(i);
            const Slot& slot = slots_[i];
            if (slot.key == 0) continue;
            if (slot.key <= array_size) {
                array[slot.key - 1] = slot.cell;
            } else {
                other.probe(slot.key) = slot;
            }
        }

        if (grows) array_ = std::move(array);
        slots_ = std::move(other.slots_);
        shift_ = other.shift_;
        used_ = stay;
        used_in_array_ += moved_below(array_size);
        for (unsigned w = 0; w < of_width_.size() && uint64_t{1} << w <= array_size; ++w) of_width_[w] = 0;
        next_look_ = next_look();
    }

    uint64_t moved_below(size_t array_size) const {
        uint64_t moved = 0;
        for (unsigned w = 0; w < of_width_.size() && uint64_t{1} << w <= array_size; ++w) moved += of_width_[w];
        return moved;
    }

    // Cells of the array come into use without being counted; so they are counted now and then.
    void count_array(StopSign stop) {
        uint64_t used = 0;
        for (size_t i = 0; i < array_.size(); ++i) {
            stop.poll_every_so_often(i);
            used += !is_zero(array_[i]);
        }
        used_in_array_ = used;
    }

    Memory memory_;
    Slab<Cell> array_;
    Slab<Slot> slots_;
    unsigned shift_ = 64;
    size_t next_look_ = 4;                 // the number of slots in use at which to ask whether an array pays
    size_t used_ = 0;                      // slots in use
    uint64_t used_in_array_ = 0;           // at the last count
    std::array<uint32_t, 32> of_width_{};  // features of the hash table by the bit width of their index
    Vector<Cell*> located_;
};

}  // namespace sparselin
