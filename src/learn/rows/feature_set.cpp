#include "rows/feature_set.h"

#include "base/processors.h"

namespace sparselin {

template <size_t at_a_time, typename Feature, typename Visit>
static void in_pieces_of(std::span<Feature> features, StopSign stop, Visit&& visit) {
    for (; features.size() > at_a_time; features = features.subspan(at_a_time)) {
        visit(features.first(at_a_time));
        stop.give_up();
    }
    if (!features.empty()) visit(features);
}

void FeatureSet::insert(std::span<const int32_t> features, StopSign stop) {
    in_pieces_of<most_at_a_time>(features, stop, [this, stop](std::span<const int32_t> some) {
        make_room_for(some.size(), place_of(some.back()), stop);
        const Table<Word> words = table();
        for (const int32_t index : some) {
            Word& word = words.word_of(index);
            if ((word.bits & bit_of(index)) != 0) continue;
            in_use_ += word.key == 0;
            word.key = place_of(index) + 1;
            word.bits |= bit_of(index);
        }
    });
}

void FeatureSet::make_room_for(size_t more, uint32_t last_place, StopSign stop) {
    last_place_ = std::max(last_place_, last_place);
    if (hashing_.is_none() ? last_place < words_.size() : 2 * (in_use_ + more) <= words_.size()) return;
    const size_t places = size_t{last_place_} + 1, size = room_for(in_use_ + more, places);
    Slab<Word> words(memory_, size, stop);
    const Hashing hashing =
        places <= size ? Hashing() : Hashing{0x9e3779b97f4a7c15, 64 - static_cast<unsigned>(std::countr_zero(size))};
    const Table<Word> larger{words.data(), size, hashing};
    each_below(words_.size(), stop, [&](size_t i) {
        if (words_[i].key != 0) larger.word_of(first_of(words_[i])) = words_[i];
    });
    words_ = std::move(words);
    hashing_ = hashing;
}

void FeatureSet::put_in_order(StopSign stop) {
    if (hashing_.is_none()) return;
    order_.reserve(in_use_);
    each_below(words_.size(), stop, [this](size_t i) {
        if (words_[i].key != 0) order_.push_back(uint64_t{words_[i].key} << 32 | i);
    });
    sort_by_upper_half(order_, stop);
}

void FeatureSet::number(StopSign stop) {
    put_in_order(stop);
    uint32_t count = 0;
    each_word(stop, [&count](Word& word) {
        word.before = count;
        count += ones_in(word.bits);
    });
}

SPARSELIN_FOR_EACH_PROCESSOR
void FeatureSet::number_each(const Table<const Word>& table, std::span<int32_t> features) {
    const Table<const Word> words = table;
    for (int32_t& index : features) index = static_cast<int32_t>(words.number_of(index));
}

void FeatureSet::number_all(std::span<int32_t> features, StopSign stop) const {
    in_pieces_of<most_at_a_time>(features, stop,
                                 [words = table()](std::span<int32_t> some) { number_each(words, some); });
}

SPARSELIN_FOR_EACH_PROCESSOR
void FeatureSet::find_numbers(const Table<const Word>& table, std::span<const int32_t> features, uint32_t other,
                              uint32_t* number, const double* numbered) {
    const Table<const Word> words = table;
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
