#include "rows/feature_set.h"

#include "base/processors.h"
#include "base/sort.h"

namespace sparselin {

bool FeatureSet::insert(std::span<const int32_t> features, StopSign stop) {
    while (!features.empty()) {
        const std::span some = features.first(std::min(features.size(), most_at_a_time));
        if (!make_room_for(some.size(), BitWord::place_of(some.back()), stop)) return false;
        const BitWords words = table();
        for (const int32_t index : some) {
            BitWord& word = words.of(index);
            if (word.has(index)) continue;
            in_use_ += word.key == 0;
            word.key = BitWord::place_of(index) + 1;
            word.bits |= BitWord::bit_of(index);
        }
        stop.give_up();
        features = features.subspan(some.size());
    }
    return true;
}

bool FeatureSet::make_room_for(size_t more, uint32_t last_place, StopSign stop) {
    const uint32_t last = std::max(last_place_, last_place);
    const bool has_room = in_row() ? last < words_.size() : 2 * (in_use_ + more) <= words_.size();
    if (!has_room) {
        const size_t places = size_t{last} + 1, size = room_for(in_use_ + more, places);
        if (size * sizeof(BitWord) > most_bytes_) return false;
        Slab<BitWord> words(memory_, size, stop);
        BitWords larger{words.data(), size};
        if (places > size) {
            larger.factor = 0x9e3779b97f4a7c15;
            larger.shift = 64 - static_cast<unsigned>(std::countr_zero(size));
        }
        each_below(words_.size(), stop, [&](size_t i) {
            if (words_[i].key != 0) larger.of(words_[i].first()) = words_[i];
        });
        words_ = std::move(words);
        factor_ = larger.factor;
        shift_ = larger.shift;
    }
    last_place_ = last;
    return true;
}

Vector<uint64_t> FeatureSet::places(StopSign stop) const {
    Vector<uint64_t> order(memory_);
    order.reserve(in_use_);
    each_below(words_.size(), stop, [&](size_t i) {
        if (words_[i].key != 0) order.push_back(uint64_t{words_[i].key} << 32 | i);
    });
    sort_by_upper_half(order, stop);
    return order;
}

SPARSELIN_FOR_EACH_PROCESSOR
static void number_each(const BitWords& table, std::span<int32_t> features) {
    const BitWords words = table;  // by itself in registers
    for (int32_t& index : features) index = static_cast<int32_t>(words.of(index).number_of(index));
}

void FeatureSet::number_all(std::span<int32_t> features, StopSign stop) const {
    constexpr size_t at_a_time = 4096;
    for (; features.size() > at_a_time; features = features.subspan(at_a_time)) {
        number_each(table(), features.first(at_a_time));
        stop.give_up();
    }
    number_each(table(), features);
}

SPARSELIN_FOR_EACH_PROCESSOR
static void find_numbers(const BitWords& table, std::span<const int32_t> features, uint32_t other, uint32_t* number,
                         const double* numbered) {
    const BitWords words = table;
    for (const int32_t index : features) {
        *number = words.number_of(index, other);
        __builtin_prefetch(numbered + *number++);
    }
}

void FeatureSet::numbers_of(std::span<const int32_t> features, uint32_t other, uint32_t* number,
                            const double* numbered) const {
    find_numbers(table(), features, other, number, numbered);
}

}  // namespace sparselin
