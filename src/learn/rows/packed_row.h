// How a row lies among those that are kept: its numbers as they are, or, where it is to take few bytes, how far each
// index is beyond the one before it, in 16 bits, if all of them fit. Who looks at such a row brings room for its
// indices.
#pragma once

#include "base/codec.h"
#include "base/memory.h"
#include "rows/sparse.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace sparselin {

// Where some rows are held out, not to be learned from but to judge by: which of them are meant.
enum class Side : uint8_t { all, learned, held_out };

// Soonest read, or in the fewest bytes.
enum class Layout : uint8_t { plain, small };

// Followed by the indices and the values; or by the gaps before indices, filled up so that the next row lies as it has
// to, and the values.
struct PackedRow {
    double y;
    double omega;
    uint32_t shape;  // how many non-zeros, and whether they have gaps
    float mark;      // most_length of the example, negative where the row is held out

    // At the most.
    static size_t size_of(int32_t nnz) { return sizeof(PackedRow) + static_cast<size_t>(nnz) * 8; }

    // To a place that has room for it.
    static PackedRow& write(char* place, const Example& example, Layout layout, bool held_out, StopSign stop) {
        auto& row = *reinterpret_cast<PackedRow*>(place);
        const SparseRow& x = example.x;
        const bool small = layout == Layout::small && gaps_fit(x, stop);
        row = {example.y, example.omega, static_cast<uint32_t>(x.nnz) | (small ? has_gaps : 0),
               held_out ? -example.most_length : example.most_length};
        const size_t half = static_cast<size_t>(x.nnz) * 4;
        if (small) {
            row.set_gaps(x.index, stop);
        } else {
            copy_bytes(row.indices(), reinterpret_cast<const char*>(x.index), half, stop);
        }
        copy_bytes(row.values(), reinterpret_cast<const char*>(x.value), half, stop);
        return row;
    }

    int32_t nnz() const { return static_cast<int32_t>(shape & ~has_gaps); }
    size_t size() const { return sizeof(PackedRow) + bytes_of_indices() + static_cast<size_t>(nnz()) * 4; }
    bool held_out() const { return std::signbit(mark); }
    bool is_on(Side side) const { return side == Side::all || held_out() == (side == Side::held_out); }
    void set_most_length(float length) { mark = std::copysign(length, mark); }

    // How many indices there has to be room for: no fewer than are written.
    size_t room_for_indices() const { return is_small() ? static_cast<size_t>(nnz() + 3) & ~size_t{3} : 0; }

    Example example(int32_t* room) const {
        const int32_t* index = reinterpret_cast<const int32_t*>(indices());
        if (is_small()) {
            add_up(reinterpret_cast<const uint16_t*>(indices()), room, nnz());
            index = room;
        }
        return {{index, reinterpret_cast<const float*>(values()), nnz(), 0}, y, omega, std::fabs(mark)};
    }

    // Has change(indices) put others in their place, none of which is further beyond the one before it than it was.
    template <typename Change>
    void change_indices(int32_t* room, StopSign stop, Change&& change) {
        int32_t* const index = const_cast<int32_t*>(example(room).x.index);
        change(std::span(index, static_cast<size_t>(nnz())));
        if (is_small()) set_gaps(index, stop);
    }

    // Asks for the row ahead of its use; its first cache line should be there already, for its length. Inlined by
    // force: GCC takes a function that does nothing else for one without effect, and drops the call.
    [[gnu::always_inline]] void prefetch() const {
        const size_t end = std::min<size_t>(size(), 2048);
        for (size_t at = 64; at < end; at += 64) __builtin_prefetch(reinterpret_cast<const char*>(this) + at);
    }

    // How long the first of some rows is that have travelled; 0 for one that cannot be right.
    static size_t size_of_first(std::span<const char> rows) {
        if (rows.size() < sizeof(PackedRow)) return 0;
        PackedRow first;
        first.shape = load_little<uint32_t>(rows.data() + offsetof(PackedRow, shape));
        return first.size() > rows.size() ? 0 : first.size();
    }

    // Rows travel little-endian, as all else does. These turn one into that and back, in place.
    void to_little_endian() {
        turn_numbers();
        turn_head();
    }
    void from_little_endian() {
        turn_head();
        turn_numbers();
    }

private:
    static constexpr uint32_t has_gaps = uint32_t{1} << 31;

    bool is_small() const { return (shape & has_gaps) != 0; }
    size_t bytes_of_indices() const {
        const auto count = static_cast<size_t>(nnz());
        return is_small() ? (count * 6 + 7) / 8 * 8 - count * 4 : count * 4;
    }
    const char* indices() const { return reinterpret_cast<const char*>(this + 1); }
    char* indices() { return reinterpret_cast<char*>(this + 1); }
    const char* values() const { return indices() + bytes_of_indices(); }
    char* values() { return indices() + bytes_of_indices(); }

    static bool gaps_fit(const SparseRow& x, StopSign stop) {
        uint32_t together = x.nnz > 0 ? static_cast<uint32_t>(x.index[0]) : 0;
        each_of(x.nnz - 1, stop, [&together, index = x.index](int32_t i) {
            together |= static_cast<uint32_t>(index[i + 1]) - static_cast<uint32_t>(index[i]);
        });
        return together >> 16 == 0;
    }

    void set_gaps(const int32_t* index, StopSign stop) {
        auto* const gap = reinterpret_cast<uint16_t*>(indices());
        if (nnz() > 0) gap[0] = static_cast<uint16_t>(index[0]);
        each_of(nnz() - 1, stop, [=](int32_t i) { gap[i + 1] = static_cast<uint16_t>(index[i + 1] - index[i]); });
        std::fill(gap + nnz(), gap + bytes_of_indices() / sizeof *gap, uint16_t{0});
    }

    // Four at a time: behind the last there are values, and more room. Unsigned: of rows that have not been looked at
    // yet they may add up to anything.
    static void add_up(const uint16_t* gap, int32_t* index, int32_t count) {
        typedef uint16_t Gaps __attribute__((vector_size(8), aligned(2), may_alias));
        typedef uint32_t Four __attribute__((vector_size(16)));
        typedef uint32_t Anywhere __attribute__((vector_size(16), aligned(4), may_alias));
        Four before = {};
        for (int32_t i = 0; i < count; i += 4) {
            Four its = __builtin_convertvector(*reinterpret_cast<const Gaps*>(gap + i), Four);
#if __has_builtin(__builtin_shufflevector)
            const Four none = {};
            its += __builtin_shufflevector(none, its, 0, 4, 5, 6);
            its += __builtin_shufflevector(none, its, 0, 1, 4, 5) + before;
            before = __builtin_shufflevector(its, its, 3, 3, 3, 3);
#else
            its += Four{0, its[0], its[1], its[2]};
            its += Four{0, 0, its[0], its[1]} + before;
            before = Four{its[3], its[3], its[3], its[3]};
#endif
            *reinterpret_cast<Anywhere*>(index + i) = its;
        }
    }

    static void turn([[maybe_unused]] char* numbers, [[maybe_unused]] size_t size, [[maybe_unused]] size_t count) {
        if constexpr (std::endian::native != std::endian::little)
            for (size_t at = 0; at < count * size; at += size) std::reverse(numbers + at, numbers + at + size);
    }
    void turn_head() {
        turn(reinterpret_cast<char*>(this), 8, 2);
        turn(reinterpret_cast<char*>(&shape), 4, 2);
    }
    void turn_numbers() {
        turn(indices(), is_small() ? 2 : 4, static_cast<size_t>(nnz()));
        turn(values(), 4, static_cast<size_t>(nnz()));
    }
};

// Room for the indices of rows. To make it is never interrupted: what asks for it may be in the middle of something.
class IndexRoom {
public:
    explicit IndexRoom(Memory memory) : memory_(memory), room_(memory) {}

    // Until it is called again.
    Example unpack(const PackedRow& row) { return row.example(at_least(row.room_for_indices()).data()); }

    std::span<int32_t> all() { return {room_.data(), room_.size()}; }
    std::span<int32_t> at_least(size_t indices) {
        if (room_.size() < indices) {
            const Slab<int32_t> none(memory_);
            room_ = Slab<int32_t>::unset_behind(none, memory_, std::bit_ceil(indices), StopSign());
        }
        return all();
    }

private:
    Memory memory_;
    Slab<int32_t> room_;
};

}  // namespace sparselin
