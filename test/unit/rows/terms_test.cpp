// Grams of neighbouring words against all choices of words, tried one by one.
#include "rows/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

struct Placed {
    uint32_t position, word;
};

using Counted = std::map<std::vector<uint32_t>, uint32_t>;

Counted runs(const std::vector<Placed>& text, int n) {
    std::vector<uint64_t> placed;
    for (const Placed& its : text) placed.push_back(place_word(its.position, its.word));
    Counted counted;
    for (const Gram& gram : grams_of(placed, n, heap, go)) {
        if (gram.length != static_cast<size_t>(n)) continue;
        const bool is_new = counted.insert({{gram.words.begin(), gram.words.begin() + n}, gram.count}).second;
        EXPECT_TRUE(is_new) << "twice";
    }
    return counted;
}

// Those of all lengths are those of each.
Counted up_to(const std::vector<Placed>& text, int longest) {
    std::vector<uint64_t> placed;
    for (const Placed& its : text) placed.push_back(place_word(its.position, its.word));
    Counted counted;
    for (const Gram& gram : grams_of(placed, longest, heap, go))
        counted[{gram.words.begin(), gram.words.begin() + gram.length}] = gram.count;
    return counted;
}

// Every choice of n words of the text, in every order: a run where each lies one position behind the one before.
void choose(const std::vector<Placed>& text, size_t n, std::vector<Placed>& chosen, Counted& counted) {
    if (chosen.size() == n) {
        std::vector<uint32_t> words;
        for (size_t i = 0; i < n; ++i) {
            if (i > 0 && chosen[i].position != chosen[i - 1].position + 1) return;
            words.push_back(chosen[i].word);
        }
        ++counted[words];
        return;
    }
    for (const Placed& its : text) {
        chosen.push_back(its);
        choose(text, n, chosen, counted);
        chosen.pop_back();
    }
}

}  // namespace

TEST(Terms, RunsAreAllChoicesOfNeighbouringWords) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const unsigned size = random() % 12, positions = 1 + random() % 12, words = 1 + random() % 5;
        std::set<std::pair<uint32_t, uint32_t>> different;
        for (unsigned i = 0; i < size; ++i) different.insert({random() % positions, random() % words});
        std::vector<Placed> text;
        for (const auto& [position, word] : different) text.push_back({position, word});
        std::ranges::shuffle(text, random);
        Counted all;
        for (int n = 2; n <= most_run_words; ++n) {
            Counted expected;
            std::vector<Placed> chosen;
            choose(text, static_cast<size_t>(n), chosen, expected);
            EXPECT_EQ(runs(text, n), expected) << "round " << round << ", " << n << " words";
            all.merge(expected);
            EXPECT_EQ(up_to(text, n), all) << "round " << round << ", up to " << n << " words";
        }
    }
}

TEST(Terms, NoRunGoesOverAGap) {
    EXPECT_EQ(runs({{1, 10}, {2, 20}, {4, 30}, {5, 40}}, 2), (Counted{{{10, 20}, 1}, {{30, 40}, 1}}));
    EXPECT_EQ(runs({{1, 10}, {2, 20}, {4, 30}, {5, 40}}, 3), Counted());
    EXPECT_EQ(runs({{1, 7}, {2, 7}, {3, 7}}, 2), (Counted{{{7, 7}, 2}}));
    EXPECT_EQ(runs({}, 2), Counted());
    EXPECT_EQ(runs({{4294967295u, 1}, {0, 2}}, 2), Counted());
}

TEST(Terms, ALongTextHasItsRuns) {
    std::vector<Placed> text;
    for (uint32_t i = 0; i < 20000; ++i) text.push_back({i, i % 3});
    EXPECT_EQ(runs(text, 2), (Counted{{{0, 1}, 6667}, {{1, 2}, 6666}, {{2, 0}, 6666}}));
}

TEST(Terms, TooManyWordsOfOnePositionAreAnError) {
    std::vector<uint64_t> placed;
    for (uint32_t i = 0; i < 2002; ++i) placed.push_back(place_word(i % 2, i));
    try {
        grams_of(placed, 2, heap, go);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::too_large);
        EXPECT_STREQ(error.message(), "more than 1000000 runs of 2 neighbouring words");
    }
    std::erase_if(placed, [](uint64_t its) { return static_cast<uint32_t>(its) >= 2000; });
    EXPECT_EQ(grams_of(placed, 2, heap, go).size(), 1000000u);
}

TEST(Terms, CanBeStopped) {
    std::vector<uint64_t> placed;
    for (uint32_t i = 0; i < 1000; ++i) placed.push_back(place_word(i % 2, i));
    const volatile std::sig_atomic_t raised = 1;
    EXPECT_THROW(grams_of(placed, 2, heap, StopSign(&raised)), Interrupted);
}

TEST(Terms, CountsAreWorthWhatTheNameSays) {
    EXPECT_EQ(term_value(TermFrequency::count, 7), 7.0f);
    EXPECT_EQ(term_value(TermFrequency::log, 1), 1.0f);
    EXPECT_EQ(term_value(TermFrequency::log, 7), static_cast<float>(1 + std::log(7.0)));
    EXPECT_EQ(term_value(TermFrequency::binary, 7), 1.0f);
    EXPECT_EQ(term_frequency_by_name("count"), TermFrequency::count);
    EXPECT_EQ(term_frequency_by_name("log"), TermFrequency::log);
    EXPECT_EQ(term_frequency_by_name("binary"), TermFrequency::binary);
    for (const char* const wrong : {"", "Log", "logs", "none"}) EXPECT_THROW(term_frequency_by_name(wrong), Error);
    for (const int words : {-1, 0, 5}) EXPECT_THROW(validate_ngrams(words), Error);
    for (int words = 1; words <= most_run_words; ++words) EXPECT_NO_THROW(validate_ngrams(words));
}
