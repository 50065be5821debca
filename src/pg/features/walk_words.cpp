// Walks of tsvector and text[].
#include "features/sources.h"

namespace sparselin {

template <typename Take>
static void each_lexeme(TSVector source, Take&& take) {
    const WordEntry* const entry = ARRPTR(source);
    const char* const text = STRPTR(source);
    for (int32 i = 0; i < source->size; ++i) {
        const int positions = POSDATALEN(source, entry + i);
        take(std::string_view(text + entry[i].pos, entry[i].len), static_cast<float4>(Max(positions, 1)));
    }
}

void walk_tsvector(FeatureSink& sink, TSVector source) {
    each_lexeme(source, [&sink](std::string_view lexeme, float4 count) { sink.take(lexeme, count); });
}

void walk_named_tsvector(FeatureSink& sink, TSVector source) {
    each_lexeme(source, [&sink](std::string_view lexeme, float4 count) { sink.take_category(lexeme, count); });
}

void walk_text_array(FeatureSink& sink, ArrayType* source) {
    ArrayMetaState element{};
    element.element_type = TEXTOID;
    element.typlen = -1;
    element.typbyval = false;
    element.typalign = TYPALIGN_INT;
    ArrayIterator elements = array_create_iterator(source, 0, &element);
    Datum value;
    bool is_null;
    while (array_iterate(elements, &value, &is_null)) {
        if (is_null) continue;
        text* const name = DatumGetTextPP(value);
        sink.take(text_view(name), 1);
        if (PointerGetDatum(name) != value) pfree(name);
    }
    array_free_iterator(elements);
}

}  // namespace sparselin
