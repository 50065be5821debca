// Walks of tsvectors: lexemes, and those that stand side by side.
#include "features/sources.h"
#include "types/model_type.h"

namespace sparselin {

namespace {

std::string_view lexeme_of(TSVector source, uint32 number) {
    const WordEntry& entry = ARRPTR(source)[number];
    return {STRPTR(source) + entry.pos, entry.len};
}

template <typename Take>
void each_lexeme(TSVector source, Take&& take) {
    const WordEntry* const entry = ARRPTR(source);
    const char* const text = STRPTR(source);
    for (int32 i = 0; i < source->size; ++i) {
        const int positions = POSDATALEN(source, entry + i);
        take(std::string_view(text + entry[i].pos, entry[i].len), static_cast<uint32>(Max(positions, 1)));
    }
}

// The last position stands for all behind it too, so that words there have no neighbours.
GrowingArray<uint64_t> placed_words(TSVector source) {
    GrowingArray<uint64_t> placed;
    const WordEntry* const entry = ARRPTR(source);
    for (int32 i = 0; i < source->size; ++i) {
        const int count = POSDATALEN(source, entry + i);
        const WordEntryPos* const positions = count > 0 ? POSDATAPTR(source, entry + i) : nullptr;
        for (int k = 0; k < count; ++k)
            if (WEP_GETPOS(positions[k]) < MAXENTRYPOS - 1)
                placed.push(place_word(WEP_GETPOS(positions[k]), static_cast<uint32>(i)));
    }
    return placed;
}

// Named by their words, with a blank between.
void take_grams(FeatureSink& sink, TSVector source, const TermOptions& options) {
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    const GrowingArray<uint64_t> placed = placed_words(source);
    const auto* const grams = guarded([&] {
        return keep(grams_of({placed.data, placed.count}, options.ngrams, memory, server_stop()), *memory);
    });
    const Size mark = sink.path_size();
    for (const Gram& gram : *grams) {
        for (uint32 i = 0; i < gram.length; ++i) {
            if (i > 0) sink.append(" ");
            sink.append(lexeme_of(source, gram.words[i]));
        }
        sink.take(sink.path(), term_value(options.frequency, gram.count));
        sink.cut(mark);
    }
}

}  // namespace

void walk_tsvector(FeatureSink& sink, TSVector source, const TermOptions& options) {
    if (options.frequency == TermFrequency::count)
        each_lexeme(source,
                    [&sink](std::string_view lexeme, uint32 count) { sink.take(lexeme, static_cast<float4>(count)); });
    else
        each_lexeme(source, [&](std::string_view lexeme, uint32 count) {
            sink.take(lexeme, term_value(options.frequency, count));
        });
    if (options.ngrams > 1) take_grams(sink, source, options);
}

void walk_named_tsvector(FeatureSink& sink, TSVector source) {
    each_lexeme(source, [&sink](std::string_view lexeme, uint32 count) {
        sink.take_category(lexeme, static_cast<float4>(count));
    });
}

}  // namespace sparselin
