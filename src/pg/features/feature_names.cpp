// sparselin_names: the features of a source with their names, one row each.
#include "features/source_call.h"

#include "wall/result_rows.h"

namespace sparselin {

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

// (source, bits), for rows (source, bits, exclude).
Datum names(FunctionCallInfo fcinfo, SourceKind kind) {
    const int bits = PG_GETARG_INT32(1);
    check_feature_bits(bits);
    ArrayType* const exclude = kind == SourceKind::row ? PG_GETARG_ARRAYTYPE_P(2) : nullptr;
    NameRows sink(bits, begin_result_rows(fcinfo));
    walk_source(kind, sink, PG_GETARG_DATUM(0), exclude, source_cache(fcinfo));
    return (Datum)0;
}

}  // namespace

SPARSELIN_RETURNS(sparselin_names_tsvector, names(fcinfo, SourceKind::tsvector))
SPARSELIN_RETURNS(sparselin_names_text_array, names(fcinfo, SourceKind::text_array))
SPARSELIN_RETURNS(sparselin_names_jsonb, names(fcinfo, SourceKind::jsonb))
SPARSELIN_RETURNS(sparselin_names_row, names(fcinfo, SourceKind::row))

}  // namespace sparselin
