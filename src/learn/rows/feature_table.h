// From a feature's index to its cell of numbers: a plain array where features lie densely; elsewhere by a number that
// the feature gets when it comes (feature_numbers.h), cells lying in that order, where they stay (cell_extents.h).
//
// Invariants:
//   - features below array_size(), a power of two, 0, or as many as there are, are in the array, all others have
//     numbers;
//   - when the array was made at least half of its cells were those of features seen, or a quarter where they are to be
//     looked up again and again: so memory follows the distinct features seen and never the largest index;
//   - a cell nobody has touched is all zeros.
// A cell is a struct of doubles or, where how many is known at run time alone, Numbers.
// Cost: O(1) a feature; a row that lies in the array costs what a plain array costs.
#pragma once

#include "base/memory.h"
#include "rows/cell_extents.h"
#include "rows/feature_numbers.h"
#include "rows/sparse.h"

namespace sparselin {

// How many doubles a cell has, and how it is seen: as the struct, or as the address of the first.
template <typename Cell>
struct CellShape {
    static_assert(sizeof(Cell) % sizeof(double) == 0);
    using Reference = Cell&;
    using ConstReference = const Cell&;
    using Pointer = Cell*;
    using ConstPointer = const Cell*;
    static constexpr size_t count = sizeof(Cell) / sizeof(double);
    static Reference at(double* numbers) { return *reinterpret_cast<Cell*>(numbers); }
    static ConstReference at(const double* numbers) { return *reinterpret_cast<const Cell*>(numbers); }
    static constexpr size_t most = SIZE_MAX;
    static void check(size_t) {}
    static constexpr bool allows(size_t) { return true; }
};

struct Numbers {};

template <>
struct CellShape<Numbers> {
    using Reference = double*;
    using ConstReference = const double*;
    using Pointer = double*;
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

template <typename Cell>
class FeatureTable {
    struct NotZero {};

public:
    using Shape = CellShape<Cell>;
    using Reference = typename Shape::Reference;
    using ConstReference = typename Shape::ConstReference;
    using Pointer = typename Shape::Pointer;
    using ConstPointer = typename Shape::ConstPointer;

    explicit FeatureTable(Memory memory, Shape shape = {})
        : shape_(shape),
          memory_(memory),
          array_(memory),
          numbers_(memory),
          cells_(memory, shape.count),
          located_(memory) {}

    Shape shape() const { return shape_; }

    // Calls work(cell) with cell(i) the cell of the row's i-th feature; new features get a cell of zeros.
    // Interrupted is thrown only before `work` runs.
    //
    // Where alive(cell) is given, the table drops the cells that are not when it grows: whoever gives it must take a
    // dropped feature for one that was never seen. By default none are dropped.
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

    // Where find() looks first, for who has it brought near; nothing is read to know. The cell is there, or its number.
    const void* likely_place(int32_t index) const {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        return numbers_.likely_place(index);
    }

    size_t bytes() const { return array_.size() * sizeof(double) + numbers_.bytes() + cells_.bytes(shape_.count); }

    using Widths = FeatureWidths;
    static void count(Widths& of_width, int32_t index) { ++of_width[width_of(static_cast<uint32_t>(index))]; }

    // A table that is to take known features can begin as they call for, in place of growing again and again; one that
    // has features already, such as those of a given centre, stays as it is. `most`: of which it takes no more.
    void begin_for(const Widths& of_width, StopSign stop, size_t most = SIZE_MAX) {
        if (!is_empty()) return;
        const size_t features = count_below(of_width, SIZE_MAX);
        if (features > most) return begin_with_numbers({}, most, stop);
        shape_.check(features);
        const size_t size = of_width.without_gaps ? features : best_array_size(of_width, 0, 0);
        if (shape_.allows(size)) begin_with(size, stop);
        if (size == features) return;
        const Widths others = not_below(of_width, array_size_);
        if (count_below(others, SIZE_MAX) > 0) begin_with_numbers(others, count_below(others, SIZE_MAX), stop);
    }

    // Where features lie densely: how large the array is. A table that is to take as many features, or more, can begin
    // with it.
    size_t array_size() const { return array_size_; }
    void begin_with(size_t array_size, StopSign stop) {
        if (!is_empty() || array_size == 0) return;
        array_ = Slab<double>(memory_, array_size * shape_.count, stop);
        array_size_ = array_size;
    }

    // When all features are there, and will be looked up again and again: then an array may be twice as large.
    void prefer_array(StopSign stop) {
        most_of_array_for_each_ = 4;
        if (numbers_.count() == 0) return;
        used_in_array_ = sweep_array(stop, NotZero{});
        if (array_pays()) rebuild(0, stop, NotZero{});
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
        for (; changed_ < array_size_ + numbers_.count(); ++changed_) {
            stop.poll_every_so_often(changed_);
            change(Shape::at(cell_at(changed_)));
        }
        changed_ = 0;
    }

    // nullptr when the feature has no cell.
    ConstPointer find(int32_t index) const { return reinterpret_cast<ConstPointer>(look_up(index)); }
    Pointer find(int32_t index) { return reinterpret_cast<Pointer>(look_up(index)); }

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
        numbers_.ascend(
            stop, [this](uint32_t number) { return numbered(number); },
            [&](int32_t index, uint32_t number) {
                const double* const cell = numbered(number);
                if (!is_zero(cell)) visit(index, Shape::at(cell));
            });
    }

    // How many cells are not all zeros, and alive(cell).
    template <typename Alive = NotZero>
    size_t count_cells(StopSign stop, Alive alive = {}) const {
        size_t count = 0;
        each_below(array_size_ + numbers_.count(), stop, [&](size_t i) {
            const double* const cell = cell_at(i);
            count += !is_zero(cell) && lives(cell, alive);
        });
        return count;
    }

private:
    // Constness ends at the table itself, as it does for a pointer.
    double* in_array(size_t i) const { return const_cast<double*>(array_.data()) + i * shape_.count; }
    double* numbered(uint32_t number) const { return cells_.at(number, shape_.count); }

    // All cells, in no particular order.
    double* cell_at(size_t i) const {
        return i < array_size_ ? in_array(i) : numbered(static_cast<uint32_t>(i - array_size_));
    }

    bool is_empty() const { return array_size_ == 0 && numbers_.count() == 0 && !cells_.has_room_for(1); }

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

    double* look_up(int32_t index) const {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        const uint32_t number = numbers_.find(index);
        return number == FeatureNumbers::none ? nullptr : numbered(number);
    }

    // Like look_up, but makes the cell; room has been made.
    double* obtain(int32_t index) {
        if (static_cast<size_t>(index) < array_size_) return in_array(static_cast<size_t>(index));
        const size_t before = numbers_.count();
        double* const cell = numbered(numbers_.obtain(index));
        if (numbers_.count() > before) std::fill_n(cell, shape_.count, 0.0);
        return cell;
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
            __builtin_prefetch(located_[i], 1);
            missing += located_[i] == nullptr;
        }
        if (missing == 0 && numbers_.count() < next_look_) return;
        const bool moved = reserve(missing, index.size(), stop, alive);
        for (size_t i = 0; i < index.size(); ++i) {
            stop.poll_every_so_often(i);
            if (moved || located_[i] == nullptr) located_[i] = obtain(index[i]);
        }
    }

    // Room for `missing` features, so that cells stay where they are while these are made; says whether those that are
    // there have moved. A rebuild may drop some of these: so it makes room for all the features that are wanted.
    template <typename Alive>
    bool reserve(size_t missing, size_t wanted, StopSign stop, Alive alive) {
        if ((numbers_.count() + array_size_ + wanted) * (shape_.count / 4 + 1) < worth_stopping) stop = StopSign();
        if (wants_rebuild(missing, stop, alive)) {
            rebuild(wanted, stop, alive);
            return true;
        }
        const size_t all = numbers_.count() + missing;
        check_living(missing, stop, alive);
        if (!numbers_.has_room_for(missing)) numbers_.make_room_for(missing, stop);
        return cells_.make_room_for(all, shape_.count, stop);
    }

    // Only living cells count, and to count them takes a look at all: where most are dead, or zeros, every row with a
    // new feature would take one. So the next is due when there are a sixteenth of the most that are allowed more.
    template <typename Alive>
    void check_living(size_t missing, StopSign stop, Alive alive) {
        const size_t all = used_in_array_ + numbers_.count() + missing;
        if (shape_.allows(all) || all < next_check_) return;
        shape_.check(count_cells(stop, alive) + missing);
        next_check_ = all + shape_.most / 16;
    }

    // A table of fewer cells, of four numbers or so, is looked at, and made anew, within some 50 ms. To stop means to
    // begin again: under frequent interrupts that might never end.
    static constexpr size_t worth_stopping = size_t{1} << 21;

    // Where cells die it pays to look for the dead; elsewhere a look is at what is known already. Moving a few features
    // into an array is not worth moving all the others.
    bool wants_rebuild(size_t, StopSign stop, NotZero) {
        const size_t count = numbers_.count();
        if (count < next_look_) return false;
        // First: when interrupts cut this short, there will be another later.
        next_look_ = next_look(count, array_size_, NotZero{});
        if (best_array_size(numbers_.widths(), array_size_, array_size_) == array_size_) return false;
        used_in_array_ = sweep_array(stop, NotZero{});
        return array_pays();
    }
    bool array_pays() const {
        const size_t best = best_array_size(numbers_.widths(), used_in_array_, array_size_);
        return shape_.allows(best) && count_below(numbers_.widths(), best) * 16 >= numbers_.count();
    }
    template <typename Alive>
    bool wants_rebuild(size_t missing, StopSign, const Alive& alive) {
        const size_t count = numbers_.count();
        if (count + missing <= next_look_) return false;
        next_look_ = next_look(count, array_size_, alive);
        return true;
    }

    // Whether an array pays is asked again when there are a quarter more features, or half of those that no cache
    // holds. To look for the dead takes a look at all cells.
    static size_t next_look(size_t used, size_t array_size, NotZero) {
        constexpr size_t near = size_t{1} << 16;
        return used + std::max(used / (used < near ? 4 : 2), array_size / 64) + 4;
    }
    template <typename Alive>
    static size_t next_look(size_t used, size_t array_size, const Alive&) {
        return 2 * used + array_size / 64 + 128;
    }

    // The largest power of two for which an array pays, up to the features there are, if one of size `best` should grow
    // to it, in which `below` cells are used.
    size_t best_array_size(const Widths& of_width, uint64_t below, size_t best) const {
        for (unsigned w = 0; w < of_width.size(); ++w) {
            below += of_width[w];
            const uint64_t size = std::max(uint64_t{1} << w, uint64_t{16});
            if (of_width[w] > 0 && size > best && below * most_of_array_for_each_ >= size) best = size;
        }
        return best;
    }

    // Drops what is not alive, moves what the array should hold into it, and the rest together. Changes nothing before
    // all memory is there and filled, but that dead cells of the array become zeros.
    template <typename Alive>
    void rebuild(size_t more, StopSign stop, Alive alive) {
        used_in_array_ = sweep_array(stop, alive);
        const Widths of_width = widths_of_living(stop, alive);
        const size_t living = count_below(of_width, SIZE_MAX);
        if (!shape_.allows(used_in_array_ + living + more)) shape_.check(count_cells(stop, alive) + more);
        const size_t best = best_array_size(of_width, used_in_array_, array_size_);
        const size_t array_size = shape_.allows(best) ? best : array_size_;
        const size_t moved = count_below(of_width, array_size);
        const bool grows = array_size > array_size_;
        Slab<double> array =
            grows ? Slab<double>(memory_, array_size * shape_.count, array_, stop) : Slab<double>(memory_);

        // With room for those that come before the next look.
        const size_t stay = living - moved, soon = std::max(next_look(stay, array_size, alive), stay + more);
        FeatureTable other(memory_, shape_);
        other.begin_with_numbers(not_below(of_width, array_size), soon, stop);
        each_numbered(stop, [&](int32_t index, const double* cell) {
            if (!stays(cell, alive)) return;
            const bool moves = static_cast<size_t>(index) < array_size;
            double* const to = moves ? array.data() + static_cast<size_t>(index) * shape_.count
                                     : other.numbered(other.numbers_.obtain(index));
            std::copy_n(cell, shape_.count, to);
        });

        if (grows) {
            array_ = std::move(array);
            array_size_ = array_size;
        }
        numbers_ = std::move(other.numbers_);
        cells_ = std::move(other.cells_);
        used_in_array_ += moved;
        next_look_ = next_look(numbers_.count(), array_size_, alive);
        next_check_ = 0;
    }

    // To look for zeros that nobody counts is not worth while.
    bool stays(const double*, NotZero) const { return true; }
    Widths widths_of_living(StopSign, NotZero) const { return numbers_.widths(); }
    template <typename Alive>
    bool stays(const double* cell, const Alive& alive) const {
        return lives(cell, alive);
    }
    template <typename Alive>
    Widths widths_of_living(StopSign stop, const Alive& alive) const {
        Widths of_width{};
        each_numbered(stop, [&](int32_t index, const double* cell) {
            if (lives(cell, alive)) count(of_width, index);
        });
        return of_width;
    }

    template <typename Visit>
    void each_numbered(StopSign stop, Visit&& visit) const {
        numbers_.each(
            stop, [this](uint32_t number) { return numbered(number); },
            [&](int32_t index, uint32_t number) { visit(index, numbered(number)); });
    }

    void begin_with_numbers(const Widths& of_width, size_t features, StopSign stop) {
        numbers_.begin_for(of_width, features, stop);
        cells_.make_room_for(features, shape_.count, stop);
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
    Slab<double> array_;
    size_t array_size_ = 0;
    FeatureNumbers numbers_;
    CellExtents cells_;
    unsigned most_of_array_for_each_ = 2;  // feature seen
    size_t next_look_ = 4;                 // the number of features with numbers at which to ask whether an array pays
    size_t next_check_ = 0;                // how many cells there are when the living are counted again
    uint64_t used_in_array_ = 0;           // at the last count
    size_t changed_ = 0;                   // how far change_all has come
    Slab<double*> located_;
};

}  // namespace sparselin
