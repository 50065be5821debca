// Numbers features in the order in which they come: 0, 1, 2 and so on.
//
// Invariants:
//   - features below a power of two have their numbers in an array by index, all others in a hash table;
//   - when the array was made it took at most 68 bytes for each feature in it; a slot takes 8, and half of the slots
//     are in use at most, or two thirds of a few, so that most features are found where they are looked for first.
// Cost: O(1) a feature; one place in memory is looked at, which can be asked for ahead.
#pragma once

#include "base/memory.h"
#include "base/sort.h"
#include "rows/sparse.h"

#include <array>
#include <bit>

namespace sparselin {

// How many features have an index of each bit width: what decides how large an array pays. And whether they are known
// to be the first so many of all.
struct FeatureWidths : std::array<uint32_t, 32> {
    bool without_gaps = false;
};
constexpr unsigned width_of(uint32_t index) {
    return static_cast<unsigned>(std::bit_width(index));
}
inline uint64_t count_below(const FeatureWidths& of_width, size_t power_of_two) {
    uint64_t count = 0;
    for (unsigned w = 0; w < of_width.size() && uint64_t{1} << w <= power_of_two; ++w) count += of_width[w];
    return count;
}
inline FeatureWidths not_below(FeatureWidths of_width, size_t power_of_two) {
    for (unsigned w = 0; w < of_width.size() && uint64_t{1} << w <= power_of_two; ++w) of_width[w] = 0;
    return of_width;
}

class FeatureNumbers {
public:
    static constexpr uint32_t none = UINT32_MAX;

    explicit FeatureNumbers(Memory memory) : memory_(memory), by_index_(memory), slots_(memory) {}

    size_t count() const { return count_; }
    FeatureWidths widths() const {
        if (widths_) return *widths_;
        FeatureWidths of_width{};
        for (size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].key != 0) ++of_width[width_of(slots_[i].key - 1)];
        return of_width;
    }
    size_t bytes() const { return by_index_.size() * sizeof(uint32_t) + slots_.size() * sizeof(Slot); }

    uint32_t find(int32_t index) const {
        if (is_in_array(index)) return by_index_[static_cast<size_t>(index)] - 1;
        return in_slots_ == 0 ? none : slots_[place_if_there(key_of(index))].one_more - 1;
    }

    // Where find() looks first.
    const void* likely_place(int32_t index) const {
        if (is_in_array(index)) return &by_index_[static_cast<size_t>(index)];
        return slots_.size() == 0 ? nullptr : &slots_[home_of(key_of(index))];
    }

    bool has_room_for(size_t more) const { return in_slots_ + more <= most_used(slots_.size()); }

    // Room for so many more, which are about as wide as those that are there. Changes nothing before all memory is
    // there and filled.
    void make_room_for(size_t more, StopSign stop) { make_room(widths(), more, stop); }

    // The same for an empty one that is to take known features.
    void begin_for(const FeatureWidths& of_width, size_t features, StopSign stop) {
        make_room(of_width, features, stop);
    }

    // The number of a feature, which it gets if it has none; room has been made.
    uint32_t obtain(int32_t index) {
        uint32_t& one_more = is_in_array(index) ? by_index_[static_cast<size_t>(index)] : one_more_in_slot(index);
        if (one_more == 0) {
            one_more = ++count_;
            if (widths_) ++(*widths_)[width_of(static_cast<uint32_t>(index))];
        }
        return one_more - 1;
    }

    // Calls visit(index, number) for each, in no particular order; what lies at where(number) is asked for ahead.
    template <typename Where, typename Visit>
    void each(StopSign stop, Where&& where, Visit&& visit) const {
        each_in_array(stop, where, visit);
        visit_found(
            slots_.size(), [this](size_t i) { return packed(slots_[i].key - 1, slots_[i].one_more); }, stop, where,
            visit);
    }

    // The same in ascending order of index.
    template <typename Where, typename Visit>
    void ascend(StopSign stop, Where&& where, Visit&& visit) const {
        each_in_array(stop, where, visit);
        Vector<uint64_t> order(memory_);
        order.reserve(in_slots_);
        each_below(slots_.size(), stop, [&](size_t i) {
            if (slots_[i].key != 0) order.push_back(packed(slots_[i].key - 1, slots_[i].one_more));
        });
        sort_by_upper_half(order, stop);
        visit_first(order.size(), order, stop, where, visit);
    }

private:
    struct Slot {
        uint32_t key;       // index + 1; 0: free
        uint32_t one_more;  // than its number
        int32_t index() const { return static_cast<int32_t>(key - 1); }
    };

    static uint32_t key_of(int32_t index) { return static_cast<uint32_t>(index) + 1; }
    static constexpr size_t fewest_slots = 16, few_slots = 64;
    static constexpr size_t most_used(size_t slots) { return slots <= few_slots ? slots - slots / 3 : slots / 2; }

    bool is_in_array(int32_t index) const { return static_cast<size_t>(index) < by_index_.size(); }

    // The upper bits of a product: when there are twice as many slots all stay in order, and old and new ones are gone
    // through side by side.
    size_t home_of(uint32_t key) const { return (key * uint64_t{0x9e3779b97f4a7c15}) >> shift_; }

    // Where the key is, or the free slot where it would go.
    size_t place_of(uint32_t key) const {
        const size_t mask = slots_.size() - 1;
        size_t i = home_of(key);
        while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask;
        return i;
    }

    // Where the key is, or some free slot. Most keys are at home or beside it: which of the two is nothing that a
    // processor could guess, and so no branch.
    size_t place_if_there(uint32_t key) const {
        const size_t mask = slots_.size() - 1, home = home_of(key);
        size_t i = (home + (slots_[home].key != key)) & mask;
        while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask;
        return i;
    }

    uint32_t& one_more_in_slot(int32_t index) {
        Slot& slot = slots_[place_of(key_of(index))];
        if (slot.key == 0) {
            slot.key = key_of(index);
            ++in_slots_;
        }
        return slot.one_more;
    }

    // The largest power of two of which the numbers, by index, are worth an array.
    size_t best_array_size(const FeatureWidths& of_width) const {
        constexpr uint64_t most_of_array_for_each = 68 / sizeof(uint32_t);
        uint64_t below = 0;
        size_t best = by_index_.size();
        for (unsigned w = 0; w < of_width.size(); ++w) {
            below += of_width[w];
            const uint64_t size = uint64_t{1} << w;
            if (of_width[w] > 0 && size > best && size <= below * most_of_array_for_each) best = size;
        }
        return best;
    }

    void make_room(const FeatureWidths& of_width, size_t more, StopSign stop) {
        const size_t size = best_array_size(of_width);
        const bool grows = size > by_index_.size();
        Slab<uint32_t> array = grows ? Slab<uint32_t>(memory_, size, by_index_, stop) : Slab<uint32_t>(memory_);
        FeatureNumbers other(memory_);
        const FeatureWidths known = widths();
        const size_t stay = count_ - count_below(known, size);
        other.make_slots(stay + more, stop);
        const bool many = size > 0 || other.slots_.size() > few_slots;
        Box<FeatureWidths> counted =
            many && !widths_ ? Box<FeatureWidths>::make<FeatureWidths>(memory_, known) : Box<FeatureWidths>();
        each_below(slots_.size(), stop, [&](size_t i) {
            const Slot slot = slots_[i];
            if (slot.key == 0) return;
            if (slot.key <= size) {
                array[slot.key - 1] = slot.one_more;
            } else {
                other.slots_[other.place_of(slot.key)] = slot;
            }
        });
        if (grows) by_index_ = std::move(array);
        if (counted) widths_ = std::move(counted);
        slots_ = std::move(other.slots_);
        shift_ = other.shift_;
        in_slots_ = stay;
    }

    void make_slots(size_t features, StopSign stop) {
        size_t count = fewest_slots;
        while (most_used(count) < features) count *= 2;
        slots_ = Slab<Slot>(memory_, count, stop);
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(count));
    }

    static uint64_t packed(uint64_t index, uint32_t one_more) { return index << 32 | one_more; }

    template <typename Where, typename Visit>
    void each_in_array(StopSign stop, Where&& where, Visit&& visit) const {
        visit_found(
            by_index_.size(), [this](size_t i) { return packed(i, by_index_[i]); }, stop, where, visit);
    }

    static constexpr size_t ahead = 32;

    // Of `places` places those that are taken: found first, without a branch that nobody can foresee, and then visited,
    // but for the last few, which are what the next ones are asked for ahead of.
    template <typename At, typename Where, typename Visit>
    static void visit_found(size_t places, At&& at, StopSign stop, Where&& where, Visit&& visit) {
        constexpr size_t at_a_time = 1024;
        std::array<uint64_t, ahead + at_a_time> found;
        size_t count = 0;
        for (size_t start = 0; start < places; start += at_a_time) {
            stop.poll();
            for (size_t i = start; i < std::min(start + at_a_time, places); ++i) {
                found[count] = at(i);
                count += static_cast<uint32_t>(found[count]) != 0;
            }
            if (count <= ahead) continue;
            const size_t due = count - ahead;
            visit_first(due, {found.data(), count}, stop, where, visit);
            std::copy_n(found.data() + due, ahead, found.data());
            count = ahead;
        }
        visit_first(count, {found.data(), count}, stop, where, visit);
    }

    // The first so many; of those behind them, memory is asked for.
    template <typename Where, typename Visit>
    static void visit_first(size_t due, std::span<const uint64_t> found, StopSign stop, Where&& where, Visit&& visit) {
        const auto number = [&](size_t i) { return static_cast<uint32_t>(found[i]) - 1; };
        for (size_t i = 0; i < due; ++i) {
            stop.poll_every_so_often(i);
            __builtin_prefetch(where(number(std::min(i + ahead, found.size() - 1))));
            visit(static_cast<int32_t>(found[i] >> 32), number(i));
        }
    }

    Memory memory_;
    Slab<uint32_t> by_index_;  // one more than the number; 0: none
    Slab<Slot> slots_;
    unsigned shift_ = 64;
    uint32_t count_ = 0;
    size_t in_slots_ = 0;
    Box<FeatureWidths> widths_;  // where there are many: of a few they are counted when somebody asks
};

}  // namespace sparselin
