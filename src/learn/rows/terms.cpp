#include "rows/terms.h"

#include "base/words.h"
#include "rows/hashed_row.h"

#include <cmath>

namespace sparselin {

namespace {

constexpr size_t most_runs = 1'000'000;

// The words of a run, in their order: compared as two numbers.
struct Key {
    uint64_t front = 0, back = 0;

    void set(size_t i, uint32_t word) {
        uint64_t& half = i < 2 ? front : back;
        half = i % 2 == 0 ? uint64_t{word} << 32 : half | word;
    }
    Gram counted(size_t count, size_t length) const {
        const auto upper = [](uint64_t half) { return static_cast<uint32_t>(half >> 32); };
        const auto lower = [](uint64_t half) { return static_cast<uint32_t>(half); };
        return {static_cast<uint32_t>(count),
                static_cast<uint32_t>(length),
                {upper(front), lower(front), upper(back), lower(back)}};
    }
    auto operator<=>(const Key&) const = default;
};

// A run under way: its words so far, and the place of the last one. With a word that the text has once, it is there
// once.
struct Begun {
    Key words;
    uint32_t place;
    bool once;
};

// Grams are those of a word less, each with each word of the next position behind it.
class Grams {
public:
    Grams(std::span<const uint64_t> placed, Memory memory, StopSign stop)
        : placed_(placed),
          later_(placed.size(), memory),
          once_(placed.size(), memory),
          begun_(memory),
          longer_(memory),
          sorted_(memory),
          stop_(stop) {
        for (size_t i = placed.size(); i-- > 0;) {
            const bool shared = i + 1 < placed.size() && position(i) == position(i + 1);
            later_[i] = shared ? later_[i + 1] : static_cast<uint32_t>(i + 1);
        }
        begun_.reserve(placed.size());
        longer_.reserve(placed.size());
        begin(memory);
    }

    // From `length` words to one more: all of them are counted.
    void go_on(size_t length, Vector<Gram>& counted) {
        longer_.clear();
        sorted_.clear();
        for (const Begun& run : begun_) {
            const size_t first = later_[run.place];
            if (first == placed_.size() || position(first) != position(run.place) + 1) continue;
            for (size_t i = first; i < later_[first]; ++i) add(run, length, i, counted);
        }
        begun_.swap(longer_);
        std::ranges::sort(sorted_);
        for (size_t i = 0, end; i < sorted_.size(); i = end) {
            for (end = i + 1; end < sorted_.size() && sorted_[end] == sorted_[i];) ++end;
            counted.push_back(sorted_[i].counted(end - i, length + 1));
        }
    }

private:
    uint32_t position(size_t place) const { return static_cast<uint32_t>(placed_[place] >> 32); }
    uint32_t word(size_t place) const { return static_cast<uint32_t>(placed_[place]); }

    void begin(Memory memory) {
        uint32_t words = 0;
        for (size_t i = 0; i < placed_.size(); ++i) words = std::max(words, word(i) + 1);
        Vector<uint32_t> count(words, memory);
        for (size_t i = 0; i < placed_.size(); ++i) ++count[word(i)];
        for (size_t i = 0; i < placed_.size(); ++i) {
            once_[i] = count[word(i)] == 1 ? 1 : 0;
            begun_.push_back({{}, static_cast<uint32_t>(i), once_[i] != 0});
            begun_.back().words.set(0, word(i));
        }
    }

    void add(Begun run, size_t length, size_t place, Vector<Gram>& counted) {
        if (longer_.size() == most_runs)
            throw Error(Fault::too_large, "more than %zu runs of %zu neighbouring words", most_runs, length + 1)
                .hint("Too many words share their positions; take fewer ngrams, or the words alone.");
        stop_.poll_every_so_often(longer_.size());
        run.words.set(length, word(place));
        run.once = run.once || once_[place] != 0;
        run.place = static_cast<uint32_t>(place);
        longer_.push_back(run);
        if (run.once)
            counted.push_back(run.words.counted(1, length + 1));
        else
            sorted_.push_back(run.words);
    }

    std::span<const uint64_t> placed_;
    Vector<uint32_t> later_;  // the place of the first word at a later position
    Vector<char> once_;       // whether the text has the word once
    Vector<Begun> begun_, longer_;
    Vector<Key> sorted_;  // those that may be there again
    StopSign stop_;
};

}  // namespace

void validate_ngrams(int words) {
    if (words < 1 || words > most_run_words)
        throw Error(Fault::bad_value, "ngrams is %d", words)
            .hint("It is 1, the words alone, to %d: runs of up to so many neighbouring words.", most_run_words);
}

Vector<Gram> grams_of(std::span<uint64_t> placed, int longest, Memory memory, StopSign stop) {
    sort_features(placed, memory, stop);
    Vector<Gram> found(memory);
    found.reserve(placed.size() * static_cast<size_t>(longest - 1));
    Grams runs(placed, memory, stop);
    for (size_t length = 1; length < static_cast<size_t>(longest); ++length) {
        stop.poll();
        runs.go_on(length, found);
    }
    return found;
}

TermFrequency term_frequency_by_name(std::string_view name) {
    if (name == "count") return TermFrequency::count;
    if (name == "log") return TermFrequency::log;
    if (name == "binary") return TermFrequency::binary;
    throw Error(Fault::bad_value, "unknown tf: \"%s\"", Excerpt(name).c_str())
        .hint("Use 'count', 'log' (1 + log(count)) or 'binary' (1).");
}

float term_value(TermFrequency frequency, uint32_t count) {
    switch (frequency) {
        case TermFrequency::count: return static_cast<float>(count);
        case TermFrequency::log: return static_cast<float>(1 + std::log(static_cast<double>(count)));
        case TermFrequency::binary: break;
    }
    return 1;
}

}  // namespace sparselin
