// sparselin_features: a sparsearray of the names in a tsvector, text[], jsonb or row; sparselin_names: these with their
// names, one row each; and sparsearray_interact.
#include "learn/rows/sparse_math.h"
#include "features/sources.h"
#include "wall/result_rows.h"

using namespace sparselin;

static int bits_argument(FunctionCallInfo fcinfo) {
    const int bits = PG_GETARG_INT32(1);
    guarded([=] { validate_feature_bits(bits); });
    return bits;
}

// Where idf and what only the kind of source has lie among the arguments.
struct Places {
    bool weighted;
    int idf, further;
};

// (source, bits [, idf]), for rows (source, bits, exclude [, idf]), for tsvectors (source, bits [, idf], ngrams, tf).
static Places places_of(FunctionCallInfo fcinfo, SourceKind kind) {
    const int arguments = PG_NARGS();
    switch (kind) {
        case SourceKind::tsvector: return {arguments == 5, 2, arguments == 5 ? 3 : 2};
        case SourceKind::row: return {arguments == 4, 3, 2};
        default: return {arguments == 3, 2, -1};
    }
}

static Datum features(FunctionCallInfo fcinfo, SourceKind kind) {
    const int bits = bits_argument(fcinfo);
    const auto [weighted, idf_argument, further] = places_of(fcinfo, kind);
    FeatureWords sink(bits);
    walk_source(fcinfo, kind, sink, 0, further);
    const SparseRow idf = weighted ? fetch_idf(PG_GETARG_DATUM(idf_argument), bits, source_cache(fcinfo)) : SparseRow{};
    return PointerGetDatum(compute_sparsearray([&, weighted = weighted](Memory memory, StopSign stop) {
        SparseVector row = hashed_row(sink.words(), int32{1} << bits, memory, stop);
        return weighted ? multiply(row.row(), idf, memory, stop) : std::move(row);
    }));
}

SPARSELIN_RETURNS(sparselin_features_tsvector, features(fcinfo, SourceKind::tsvector))
SPARSELIN_RETURNS(sparselin_features_text_array, features(fcinfo, SourceKind::text_array))
SPARSELIN_RETURNS(sparselin_features_jsonb, features(fcinfo, SourceKind::jsonb))
SPARSELIN_RETURNS(sparselin_features_row, features(fcinfo, SourceKind::row))

namespace {

class NameRows final : public FeatureSink {
public:
    NameRows(int bits, ResultRows rows) : FeatureSink(bits), rows_(rows) {}

private:
    void found(std::string_view name, int32 feature, float4 value) override {
        text* const shown = new_text(name);
        Datum values[] = {Int32GetDatum(feature), PointerGetDatum(shown), Float4GetDatum(value)};
        bool nulls[] = {false, false, false};
        rows_.put(values, nulls);
        pfree(shown);
    }

    ResultRows rows_;
};

// (source, bits), for rows (source, bits, exclude), for tsvectors (source, bits, ngrams, tf).
Datum names(FunctionCallInfo fcinfo, SourceKind kind) {
    const int bits = bits_argument(fcinfo);
    NameRows sink(bits, begin_result_rows(fcinfo));
    walk_source(fcinfo, kind, sink, 0, 2);
    return (Datum)0;
}

}  // namespace

SPARSELIN_RETURNS(sparselin_names_tsvector, names(fcinfo, SourceKind::tsvector))
SPARSELIN_RETURNS(sparselin_names_text_array, names(fcinfo, SourceKind::text_array))
SPARSELIN_RETURNS(sparselin_names_jsonb, names(fcinfo, SourceKind::jsonb))
SPARSELIN_RETURNS(sparselin_names_row, names(fcinfo, SourceKind::row))

SPARSELIN_FUNCTION(sparsearray_interact) {
    const SparseRow a = PG_GETARG_SPARSEARRAY(0)->row(), b = PG_GETARG_SPARSEARRAY(1)->row();
    const int bits = PG_GETARG_INT32(2);
    PG_RETURN_POINTER(compute_sparsearray(
        [&](Memory memory, StopSign stop) { return interact(a, b, bits, max_nonzeros, memory, stop); }));
}
