// From a feature's index to its cell of numbers: a plain array where features lie densely, a hash table elsewhere.
//
// Invariants:
//   - features below array_size(), a power of two, 0, or as many as there are, are in the array, all others in the hash
//     table;
//   - when the array was made it took at most four times what the cells of its features take, small ones with their
//     indices, so memory follows the distinct features seen and never the largest index;
//   - a cell nobody has touched is all zeros.
// A cell is a struct of doubles or, where how many is known at run time alone, Numbers.
// Cost: O(1) a feature; a row that lies in the array costs what a plain array costs.
#pragma once

#include "base/memory.h"
#include "base/sort.h"
#include "rows/sparse.h"

#include <array>
#include <bit>

namespace sparselin {

// How many doubles a cell has, and how it is seen: as the struct, or as the address of the first.
template <typename Cell>
struct CellShape {
    static_assert(sizeof(Cell) % sizeof(double) == 0);
    using Reference = Cell&;
    using ConstReference = const Cell&;
    using ConstPointer = const Cell*;
    static constexpr size_t count = sizeof(Cell) / sizeof(double);
    static Reference at(double* numbers) { return *reinterpret_cast<Cell*>(numbers); }
    static ConstReference at(const double* numbers) { return *reinterpret_cast<const Cell*>(numbers); }
    static void check(size_t) {}
    static constexpr bool allows(size_t) { return true; }
};

struct Numbers {};

template <>
struct CellShape<Numbers> {
    using Reference = double*;
    using ConstReference = const double*;
    using ConstPointer = const double*;
    size_t count;
    // Cells may be so large that only so many make sense; whoever says so throws the Error where there are more.
    size_t most = SIZE_MAX;
    void (*refuse)(const CellShape&) = nullptr;

    static Reference at(double* numbers) { return numbers; }
    static ConstReference at(const double* numbers) { return numbers; }
    void check(size_t features) const {
        if (features > most) refuse(*this);
    }
    bool allows(size_t features) const { return features <= most; }
};

// How many features have an index of each bit width: what decides how large an array pays. And whether they are known
// to be the first so many of all.
struct FeatureWidths : std::array<uint32_t, 32> {
    bool without_gaps = false;
};
constexpr unsigned width_of(uint32_t index) {
    return static_cast<unsigned>(std::bit_width(index));
}

template <typename Cell>
class FeatureTable {
    struct NotZero {};

public:
    using Shape = CellShape<Cell>;
    using Reference = typename Shape::Reference;
    using ConstReference = typename Shape::ConstReference;
    using ConstPointer = typename Shape::ConstPointer;

    explicit FeatureTable(Memory memory, Shape shape = {})
        : shape_(shape), memory_(memory), array_(memory), slots_(memory), located_(memory) {}

    Shape shape() const { return shape_; }

    // Calls work(cell) with cell(i) the cell of the row's i-th feature; new features get a cell of zeros.
    // Interrupted is thrown only before `work` runs.
    //
    // When the table grows it drops the cells that are not alive(cell): by default those that are all zeros, which say
    // nothing. Whoever drops more must take a dropped feature for one that was never seen.
    template <typename Value, typename Work, typename Alive = NotZero>
    auto with_cells(const RowOf<Value>& row, StopSign stop, Work&& work, Alive alive = {}) {
        if (row.last() < static_cast<int64_t>(array_size_)) {
            double* const array = array_.data();
            const int32_t* const index = row.index;
            return work([array, index, shape = shape_](int32_t i) -> Reference {
                return Shape::at(array + static_cast<ptrdiff_t>(index[i]) * static_cast<ptrdiff_t>(shape.count));
            });
        }
        locate(row.features(), stop, alive);
        double** const located = located_.data();
        return work([located](int32_t i) -> Reference { return Shape::at(located[i]); });
    }

    // The same as the addresses of the cells, which last until the next call.
    template <typename Value, typename Alive = NotZero>
    double* const* cells_of(const RowOf<Value>& row, StopSign stop, Alive alive = {}) {
        const std::span index = row.features();
        if (row.last() < static_cast<int64_t>(array_size_)) {
            make_room_to_locate(index.size(), stop);
            double *const array = array_.data(), **const located = located_.data();
            each_below(index.size(), stop, [=, count = shape_.count](size_t i) {
                located[i] = array + static_cast<size_t>(index[i]) * count;
            });
        } else {
            locate(index, stop, alive);
        }
        return located_.data();
    }

    // Where the cell of a feature most likely is, for who only has it brought near; nothing is read to know.
    const double* likely_place(int32_t index) const {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        return slot_count_ == 0 ? array_.data() : slot_at(home_of(static_cast<uint32_t>(index) + 1)).cell();
    }

    size_t bytes() const { return (array_.size() + slots_.size()) * sizeof(double); }

    using Widths = FeatureWidths;
    static void count(Widths& of_width, int32_t index) { ++of_width[width_of(static_cast<uint32_t>(index))]; }

    // A table that is to take known features can begin as they call for, in place of growing again and again; one that
    // has features already, such as those of a given centre, stays as it is. `most`: of which it takes no more.
    void begin_for(const Widths& of_width, StopSign stop, size_t most = SIZE_MAX) {
        if (!is_empty()) return;
        const size_t features = count_below(of_width, SIZE_MAX);
        if (features > most) return begin_with_slots(most, stop);
        shape_.check(features);
        const size_t size = of_width.without_gaps ? features : best_array_size(of_width, 0, 0);
        if (shape_.allows(size)) begin_with(size, stop);
        if (size == features) return;
        const size_t others = features - count_below(of_width, array_size_);
        if (others > 0) begin_with_slots(others, stop);
    }

    // Where features lie densely: how large the array is. A table that is to take as many features, or more, can begin
    // with it.
    size_t array_size() const { return array_size_; }
    void begin_with(size_t array_size, StopSign stop) {
        if (!is_empty() || array_size == 0) return;
        array_ = Slab<double>(memory_, array_size * shape_.count, stop);
        array_size_ = array_size;
    }

    // The cell of a feature, made if it is not there. References last until the next call.
    Reference at(int32_t index, StopSign stop) {
        if (double* cell = look_up(index)) return Shape::at(cell);
        reserve(1, 1, stop, NotZero{});
        return Shape::at(obtain(index));
    }

    // Calls change(cell) for every cell, in no particular order; a cell of zeros has to stay one. After Interrupted the
    // next call goes on where that one stopped.
    template <typename Change>
    void change_all(StopSign stop, Change&& change) {
        for (; changed_ < array_size_ + slot_count_; ++changed_) {
            stop.poll_every_so_often(changed_);
            if (changed_ < array_size_) {
                change(Shape::at(in_array(changed_)));
            } else if (const Slot slot = slot_at(changed_ - array_size_); slot.key() != 0) {
                change(Shape::at(slot.cell()));
            }
        }
        changed_ = 0;
    }

    // nullptr when the feature has no cell.
    ConstPointer find(int32_t index) const { return reinterpret_cast<ConstPointer>(look_up(index)); }

    // Calls look(found) with found(i) what find() gives for the row's i-th feature.
    template <typename Value, typename Look>
    [[gnu::always_inline]] auto look_at(const RowOf<Value>& row, Look&& look) const {
        const int32_t* const index = row.index;
        if (row.last() < static_cast<int64_t>(array_size_)) {
            return look([array = array_.data(), index, count = shape_.count](int32_t i) {
                return reinterpret_cast<ConstPointer>(array + static_cast<size_t>(index[i]) * count);
            });
        }
        return look([this, index](int32_t i) { return find(index[i]); });
    }

    // Whether the feature has a cell that says something. Not whether it has one: an array has them for all.
    bool has(int32_t index) const {
        const double* const cell = look_up(index);
        return cell != nullptr && !is_zero(cell);
    }

    // Calls visit(index, cell) for every cell that is not all zeros, in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        each_below(array_size_, stop, [&](size_t i) {
            const double* const cell = in_array(i);
            if (!is_zero(cell)) visit(static_cast<int32_t>(i), Shape::at(cell));
        });
        Vector<uint64_t> order(memory_);
        order.reserve(used_);
        each_below(slot_count_, stop, [&](size_t i) {
            if (slot_at(i).key() != 0) order.push_back(uint64_t{slot_at(i).key()} << 32 | i);
        });
        sort_by_upper_half(order, stop);
        each_below(order.size(), stop, [&](size_t i) {
            const Slot slot = slot_at(order[i] & 0xffffffff);
            const double* const cell = slot.cell();
            if (!is_zero(cell)) visit(slot.index(), Shape::at(cell));
        });
    }

private:
    // A key, in the place of a double, and the cell behind it.
    struct Slot {
        using Key = uint32_t __attribute__((may_alias));
        double* place;
        Key& key() const { return reinterpret_cast<Key&>(*place); }  // index + 1; 0: free
        double* cell() const { return place + 1; }
        int32_t index() const { return static_cast<int32_t>(key() - 1); }
    };

    // Constness ends at the table itself, as it does for a pointer.
    Slot slot_at(size_t i) const { return {const_cast<double*>(slots_.data()) + i * (1 + shape_.count)}; }
    double* in_array(size_t i) const { return const_cast<double*>(array_.data()) + i * shape_.count; }

    bool is_empty() const { return used_ == 0 && array_size_ == 0 && slot_count_ == 0; }

    // Bit by bit: -0.0 says something.
    bool is_zero(const double* cell) const {
        for (size_t n = 0; n < shape_.count; ++n)
            if (std::bit_cast<uint64_t>(cell[n]) != 0) return false;
        return true;
    }

    bool lives(const double* cell, NotZero) const { return !is_zero(cell); }
    template <typename Alive>
    bool lives(const double* cell, const Alive& alive) const {
        return alive(Shape::at(cell));
    }

    size_t home_of(uint32_t key) const { return (key * uint64_t{0x9e3779b97f4a7c15}) >> shift_; }

    // The slot where the key is, or the free one where it would go.
    Slot probe(uint32_t key) const {
        const size_t mask = slot_count_ - 1;
        size_t i = home_of(key);
        while (slot_at(i).key() != key && slot_at(i).key() != 0) i = (i + 1) & mask;
        return slot_at(i);
    }

    double* look_up(int32_t index) const {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        if (used_ == 0) return nullptr;
        const Slot slot = probe(static_cast<uint32_t>(index) + 1);
        return slot.key() != 0 ? slot.cell() : nullptr;
    }

    // Like look_up, but makes the cell; room has been reserved.
    double* obtain(int32_t index) {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        const Slot slot = probe(static_cast<uint32_t>(index) + 1);
        if (slot.key() == 0) {
            slot.key() = static_cast<uint32_t>(index) + 1;
            ++used_;
        }
        return slot.cell();
    }

    void make_room_to_locate(size_t features, StopSign stop) {
        if (located_.size() < features) located_ = Slab<double*>(memory_, std::bit_ceil(features), stop);
    }

    template <typename Alive>
    void locate(std::span<const int32_t> index, StopSign stop, Alive alive) {
        make_room_to_locate(index.size(), stop);
        size_t missing = 0;
        for (size_t i = 0; i < index.size(); ++i) {
            stop.poll_every_so_often(i);
            located_[i] = look_up(index[i]);
            missing += located_[i] == nullptr;
        }
        if (missing == 0 && used_ < next_look_) return;
        reserve(missing, index.size(), stop, alive);
        for (size_t i = 0; i < index.size(); ++i) {
            stop.poll_every_so_often(i);
            located_[i] = obtain(index[i]);
        }
    }

    static constexpr size_t most_used(size_t slots) { return slots - slots / 3; }

    // Room for `missing` features, so that cells stay where they are while these are made. A rebuild may drop some that
    // are there now: so it makes room for all the features that are wanted.
    template <typename Alive>
    void reserve(size_t missing, size_t wanted, StopSign stop, Alive alive) {
        if ((slot_count_ + array_size_ + wanted) * (shape_.count / 4 + 1) < worth_stopping) stop = StopSign();
        bool grows = false;
        if (used_ >= next_look_) {
            // First: when interrupts cut this look short, there will be another later.
            next_look_ = next_look(used_);
            grows = array_pays(count_slots(stop, alive));
        }
        if (grows || used_ + missing > most_used(slot_count_)) rebuild(wanted, stop, alive);
    }

    // A table of fewer cells, of four numbers or so, is looked at, and made anew, within some 50 ms. To stop means to
    // begin again: under frequent interrupts that might never end.
    static constexpr size_t worth_stopping = size_t{1} << 21;

    template <typename Alive>
    Widths count_slots(StopSign stop, Alive alive) const {
        Widths of_width{};
        each_below(slot_count_, stop, [&](size_t i) {
            const Slot slot = slot_at(i);
            if (slot.key() != 0 && lives(slot.cell(), alive)) count(of_width, slot.index());
        });
        return of_width;
    }

    static uint64_t count_below(const Widths& of_width, size_t array_size) {
        uint64_t count = 0;
        for (unsigned w = 0; w < of_width.size() && uint64_t{1} << w <= array_size; ++w) count += of_width[w];
        return count;
    }

    // Moving a few features into an array is not worth moving all the others.
    bool array_pays(const Widths& of_width) const {
        return count_below(of_width, best_array_size(of_width, used_in_array_, array_size_)) * 16 >= used_;
    }

    // Whether an array pays is asked again when there are a quarter more features, or half of those that no cache
    // holds: an answer costs a look at all of them, and it may take one at the array.
    size_t next_look(size_t used) const {
        constexpr size_t near = size_t{1} << 16;
        return used + std::max(used / (used < near ? 4 : 2), array_size_ / 64) + 4;
    }

    // The largest power of two for which an array pays, up to the features there are, if one of size `best` should grow
    // to it, in which `below` cells are used. A hash table, of slots that are a third to two thirds in use, takes about
    // as much.
    size_t best_array_size(const Widths& of_width, uint64_t below, size_t best) const {
        const uint64_t cell = shape_.count, slot = cell + (cell < 4 ? 1 : 0);
        for (unsigned w = 0; w < of_width.size(); ++w) {
            below += of_width[w];
            const uint64_t size = std::max(uint64_t{1} << w, uint64_t{16});
            if (of_width[w] > 0 && size > best && below * slot * 4 >= size * cell) best = size;
        }
        return best;
    }

    // Drops what is not alive, moves what the array should hold into it, and the rest to a hash table of the right
    // size. Changes nothing before all memory is there and filled, but that dead cells of the array become zeros.
    template <typename Alive>
    void rebuild(size_t more, StopSign stop, Alive alive) {
        used_in_array_ = sweep_array(stop, alive);
        const Widths of_width = count_slots(stop, alive);
        shape_.check(used_in_array_ + count_below(of_width, SIZE_MAX) + more);
        const size_t best_size = best_array_size(of_width, used_in_array_, array_size_);
        const size_t array_size = shape_.allows(best_size) ? best_size : array_size_;
        const size_t moved = count_below(of_width, array_size);
        const bool grows = array_size > array_size_;
        Slab<double> array =
            grows ? Slab<double>(memory_, array_size * shape_.count, array_, stop) : Slab<double>(memory_);

        const size_t stay = count_below(of_width, SIZE_MAX) - moved;
        FeatureTable other(memory_, shape_);
        other.make_slots(slots_for(stay + more, array_size, stay + moved < used_), stop);
        each_below(slot_count_, stop, [&](size_t i) {
            const Slot slot = slot_at(i);
            if (slot.key() == 0 || !lives(slot.cell(), alive)) return;
            if (slot.key() <= array_size) {
                std::copy_n(slot.cell(), shape_.count, array.data() + (slot.key() - 1) * shape_.count);
            } else {
                std::copy_n(slot.place, 1 + shape_.count, other.probe(slot.key()).place);
            }
        });

        if (grows) {
            array_ = std::move(array);
            array_size_ = array_size;
        }
        slots_ = std::move(other.slots_);
        slot_count_ = other.slot_count_;
        shift_ = other.shift_;
        used_ = stay;
        used_in_array_ += moved;
        next_look_ = next_look(used_);
    }

    // The next rebuild costs a look at everything: where cells were dropped, and where the array is large, there is
    // room for as many new ones as make that worth while.
    static size_t slots_for(size_t features, size_t array_size, bool dropped) {
        size_t count = std::max<size_t>(8, array_size / 64);
        while (most_used(count) < features + (dropped ? features / 2 : 0)) count *= 2;
        return count;
    }

    void begin_with_slots(size_t features, StopSign stop) {
        make_slots(slots_for(features, array_size_, false), stop);
        next_look_ = next_look(features);
    }

    void make_slots(size_t count, StopSign stop) {
        slots_ = Slab<double>(memory_, count * (1 + shape_.count), stop);
        slot_count_ = count;
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(count));
    }

    // Cells of the array come into use, and die, without being counted; so they are counted now and then.
    template <typename Alive>
    uint64_t sweep_array(StopSign stop, Alive alive) {
        uint64_t used = 0;
        each_below(array_size_, stop, [&](size_t i) {
            double* const cell = in_array(i);
            if (lives(cell, alive)) {
                ++used;
            } else if (!is_zero(cell)) {
                std::fill_n(cell, shape_.count, 0.0);
            }
        });
        return used;
    }

    [[no_unique_address]] Shape shape_;
    Memory memory_;
    Slab<double> array_, slots_;
    size_t array_size_ = 0, slot_count_ = 0;
    unsigned shift_ = 64;
    size_t next_look_ = 4;        // the number of slots in use at which to ask whether an array pays
    size_t used_ = 0;             // slots in use
    uint64_t used_in_array_ = 0;  // at the last count
    size_t changed_ = 0;          // how far change_all has come
    Slab<double*> located_;
};

}  // namespace sparselin
