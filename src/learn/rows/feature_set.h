// A set of features that numbers them: by ascending index, from 0, without gaps. A bit for each index in pages of 256,
// of which those are there that have a feature, and the number of the first feature of each 64 beside them.
//
// Cost: O(1) a feature; 0.2 bytes for each index of a page, and 4 for each page that there might be up to the last.
#pragma once

#include "base/error.h"
#include "rows/sparse.h"

#include <array>

namespace sparselin {

class FeatureSet {
public:
    explicit FeatureSet(Memory memory) : directory_(memory), pages_(1, Page{}, memory) {}

    void insert(int32_t index) { insert({&index, 1}, StopSign()); }

    // Ascending ones.
    void insert(std::span<const int32_t> features, StopSign stop) {
        if (features.empty()) return;
        const size_t places = place_of(features.back()) + 1;
        if (places > directory_.size()) directory_.resize(places);
        some_at_a_time(features, stop, [this](std::span<const int32_t> some) {
            std::array<uint32_t, most_at_a_time> page;
            for (size_t i = 0; i < some.size(); ++i) {
                page[i] = page_at(place_of(some[i]));
                __builtin_prefetch(&pages_[page[i]], 1);
            }
            for (size_t i = 0; i < some.size(); ++i) pages_[page[i]].bits[word_of(some[i])] |= bit_of(some[i]);
        });
    }

    // To be called when all are in, before number_of() and number_all().
    void number(StopSign stop) {
        uint32_t count = 0;
        each_page(stop, [&](size_t, Page& page) {
            for (size_t word = 0; word < words; ++word) {
                page.before[word] = count;
                count += ones_in(page.bits[word]);
            }
        });
    }

    // `other` where it is not in the set; any number may be asked for.
    uint32_t number_of(int32_t index, uint32_t other) const {
        const size_t place = place_of(index);
        const Page& page = pages_[place < directory_.size() ? directory_[place] : 0];
        return (page.bits[word_of(index)] & bit_of(index)) != 0 ? number_in(page, index) : other;
    }

    // Puts their numbers in the place of features, all of which are in the set.
    void number_all(std::span<int32_t> features, StopSign stop) const {
        some_at_a_time(features, stop, [this](std::span<int32_t> some) {
            std::array<const Page*, most_at_a_time> page;
            for (size_t i = 0; i < some.size(); ++i) {
                page[i] = &pages_[directory_[place_of(some[i])]];
                __builtin_prefetch(page[i]);
            }
            for (size_t i = 0; i < some.size(); ++i) some[i] = static_cast<int32_t>(number_in(*page[i], some[i]));
        });
    }

    // In ascending order.
    template <typename Visit>
    void each(StopSign stop, Visit&& visit) const {
        each_page(stop, [&](size_t place, const Page& page) {
            for (size_t word = 0; word < words; ++word)
                for (uint64_t bits = page.bits[word]; bits != 0; bits &= bits - 1)
                    visit(static_cast<int32_t>((place * words + word) * 64 +
                                               static_cast<size_t>(std::countr_zero(bits))));
        });
    }

    size_t count(StopSign stop) const {
        size_t count = 0;
        each_below(pages_.size(), stop, [&](size_t page) {
            for (const uint64_t bits : pages_[page].bits) count += ones_in(bits);
        });
        return count;
    }

    size_t bytes() const { return bytes_of(directory_.size(), pages_.size()); }

    // What it would take at least with one more feature.
    size_t bytes_with(int32_t index) const {
        return bytes_of(std::max(directory_.size(), static_cast<size_t>(index + 1) / page_size + 1), pages_.size());
    }

    // What so many features below an end take at most.
    static size_t most_bytes(size_t features, size_t end) {
        const size_t pages = end / page_size + 1;
        return bytes_of(pages, std::min(features, pages) + 1);
    }

private:
    static constexpr size_t words = 4, page_size = words * 64;

    struct Page {
        uint64_t bits[words];
        uint32_t before[words];
    };

    // Pages lie anywhere: all that some features take are asked for before the first is looked at.
    static constexpr size_t most_at_a_time = 32;
    template <typename Feature, typename Visit>
    static void some_at_a_time(std::span<Feature> features, StopSign stop, Visit&& visit) {
        for (; features.size() > most_at_a_time; features = features.subspan(most_at_a_time)) {
            visit(features.first(most_at_a_time));
            stop.give_up();
        }
        visit(features);
    }

    uint32_t page_at(size_t place) {
        if (directory_[place] == 0) {
            pages_.emplace_back();
            directory_[place] = static_cast<uint32_t>(pages_.size() - 1);
        }
        return directory_[place];
    }

    static uint32_t number_in(const Page& page, int32_t index) {
        return page.before[word_of(index)] + ones_in(page.bits[word_of(index)] & (bit_of(index) - 1));
    }

    static size_t bytes_of(size_t places, size_t pages) { return places * sizeof(uint32_t) + pages * sizeof(Page); }
    // The pages that there are, by the indices they are for. Constness ends at the set itself.
    template <typename Visit>
    void each_page(StopSign stop, Visit&& visit) const {
        each_below(directory_.size(), stop, [&](size_t place) {
            if (const uint32_t page = directory_[place]; page != 0) visit(place, const_cast<Page&>(pages_[page]));
        });
    }

    static size_t place_of(int32_t index) { return static_cast<uint32_t>(index) / page_size; }
    static size_t word_of(int32_t index) { return static_cast<uint32_t>(index) / 64 % words; }
    static uint64_t bit_of(int32_t index) { return uint64_t{1} << (static_cast<uint32_t>(index) % 64); }

    // std::popcount is a call where not all machines have an instruction for it.
    static uint32_t ones_in(uint64_t bits) {
        bits -= bits >> 1 & 0x5555555555555555;
        bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
        return static_cast<uint32_t>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
    }

    Vector<uint32_t> directory_;  // the page of each 256 indices; 0, which has none: there is none
    Vector<Page> pages_;
};

}  // namespace sparselin
