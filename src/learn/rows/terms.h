// The terms of a text: its words, and runs of two to four neighbouring words; and what it counts for that a text has
// one so many times.
//
// Words are numbered, and neighbours by their positions: where a word was left out, as stop words are, there is a gap
// that no run goes over. Several words may share a position; then each of them is a neighbour.
#pragma once

#include "base/error.h"

#include <array>

namespace sparselin {

constexpr int most_run_words = 4;

// An Error unless runs may be of up to so many words.
void validate_ngrams(int words);

// A run of neighbouring words, and how often it is there.
struct Gram {
    uint32_t count;
    uint32_t length;
    std::array<uint32_t, most_run_words> words;  // the first `length` of them
};

constexpr uint64_t place_word(uint32_t position, uint32_t word) {
    return uint64_t{position} << 32 | word;
}

// All runs of 2 to `longest` words, each once: by their length, then in the order of their words. Sorts the words that
// are placed, no word twice at a position. An Error where those of a length are more than a million: many words at a
// position, and many at the next, can make any number of them.
Vector<Gram> grams_of(std::span<uint64_t> placed, int longest, Memory memory, StopSign stop);

enum class TermFrequency : uint8_t { count, log, binary };

TermFrequency term_frequency_by_name(std::string_view name);

// count; 1 + log(count); 1.
float term_value(TermFrequency frequency, uint32_t count);

}  // namespace sparselin
