// The walk of text[], and calls of functions that take any source.
#include "features/sources.h"

#include <cstring>

#include "wall/aggregate.h"

namespace sparselin {

static void walk_text_array(FeatureSink& sink, ArrayType* source) {
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

SourceCache* source_cache(FunctionCallInfo fcinfo) {
    auto* const cache = kept_at_place<SourceCache>(fcinfo);
    cache->context = fcinfo->flinfo->fn_mcxt;
    cache->function = fcinfo->flinfo->fn_oid;
    return cache;
}

// ngrams, and tf in the argument behind it; NULL is the default.
static TermOptions fetch_term_options(FunctionCallInfo fcinfo, int argument) {
    TermOptions options;
    if (!PG_ARGISNULL(argument)) options.ngrams = PG_GETARG_INT32(argument);
    std::string_view tf = "count";
    if (!PG_ARGISNULL(argument + 1)) tf = text_view(PG_GETARG_TEXT_PP(argument + 1));
    if (options.ngrams == 1 && tf == "count") return options;  // as quick as without any
    guarded([&] {
        validate_ngrams(options.ngrams);
        options.frequency = term_frequency_by_name(tf);
    });
    return options;
}

// At the top level lexemes, or elements, are the names.
void walk_source(FunctionCallInfo fcinfo, SourceKind kind, FeatureSink& sink, int argument, int further) {
    SourceCache* const cache = source_cache(fcinfo);
    switch (kind) {
        case SourceKind::tsvector:
            return walk_tsvector(sink, PG_GETARG_TSVECTOR(argument), fetch_term_options(fcinfo, further));
        case SourceKind::text_array: return walk_text_array(sink, PG_GETARG_ARRAYTYPE_P(argument));
        case SourceKind::jsonb: return walk_jsonb(sink, PG_GETARG_JSONB_P(argument));
        case SourceKind::row:
            return walk_row(sink, PG_GETARG_HEAPTUPLEHEADER(argument), PG_GETARG_ARRAYTYPE_P(further), &cache->plan,
                            cache->context, cache->function);
    }
}

static const SparseArray* fetch_once(Datum idf, SourceCache* cache) {
    auto* const stored = reinterpret_cast<varlena*>(DatumGetPointer(idf));
    if (!VARATT_IS_EXTERNAL_ONDISK(stored)) return fetch_sparsearray(idf);
    varatt_external key;
    memcpy(&key, VARDATA_EXTERNAL(stored), sizeof key);
    if (cache->idf != nullptr && memcmp(&key, &cache->idf_key, sizeof key) == 0) return cache->idf;
    if (cache->idf != nullptr) pfree(cache->idf);
    cache->idf = nullptr;
    cache->idf = const_cast<SparseArray*>(in_context(cache->context, [=] { return fetch_sparsearray(idf); }));
    cache->idf_key = key;
    return cache->idf;
}

SparseRow fetch_idf(Datum idf, int bits, SourceCache* cache) {
    const SparseRow row = fetch_once(idf, cache)->row();
    if (row.dim != 0 && row.dim != int32{1} << bits)
        ereport(ERROR, errcode(ERRCODE_DATA_EXCEPTION),
                errmsg("idf has the dimension %d, features of %d bits have %d", row.dim, bits, int32{1} << bits),
                errhint("Give the bits that the features were made with that went into sparselin_idf."));
    return row;
}

}  // namespace sparselin
