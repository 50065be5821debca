// sparselin_explain: what each feature of a row adds to its score, by name where the source is at hand.
#include "learn/apply/explain.h"
#include "learn/rows/sparse_math.h"

#include <algorithm>
#include <cmath>

#include "features/sources.h"
#include "apply/given_model.h"
#include "wall/result_rows.h"

using namespace sparselin;

namespace {

// Keeps the names as well.
class NamedFeatures final : public FeatureWords {
public:
    using FeatureWords::FeatureWords;

    // To be called before names_of.
    void sort() {
        guarded([this] {
            ContextMemory memory(CurrentMemoryContext);
            sort_features({order_.data, order_.count}, &memory, server_stop());
        });
    }

    // All different names of a feature.
    text* names_of(int32 index) const {
        const uint64_t* const end = order_.data + order_.count;
        const uint64_t* const first = std::lower_bound<const uint64_t*>(order_.data, end, uint64_t(index) << 32);
        const uint64_t* const last = std::lower_bound(first, end, (uint64_t(index) + 1) << 32);
        const auto count = static_cast<size_t>(last - first);
        auto* const names = static_cast<std::string_view*>(
            MemoryContextAllocHuge(CurrentMemoryContext, sizeof(std::string_view) * Max(count, size_t{1})));
        for (size_t i = 0; i < count; ++i) names[i] = names_.data[static_cast<uint32>(first[i])].in(bytes_);
        if (count > 1) std::sort(names, names + count);
        ByteBuffer joined;
        for (size_t i = 0; i < count; ++i) {
            if (i > 0 && names[i] == names[i - 1]) continue;
            if (i > 0) joined.append(", ");
            joined.append(names[i]);
        }
        text* const result = new_text(joined.view());
        pfree(names);
        if (joined.data != nullptr) pfree(joined.data);
        return result;
    }

private:
    struct Name {
        Size start, size;
        std::string_view in(const ByteBuffer& bytes) const { return {bytes.data + start, size}; }
    };

    void found(std::string_view name, int32 feature, float4 value) override {
        FeatureWords::found(name, feature, value);
        if (name.size() > MaxAllocSize - bytes_.count)
            ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("the names of the features take too much memory"),
                    errhint("sparselin_explain keeps up to 1 GB of them; sparselin_names() has no such limit."));
        order_.push(uint64_t{static_cast<uint32>(feature - 1)} << 32 | names_.count);
        names_.push({bytes_.count, name.size()});
        bytes_.append(name);
    }

    ByteBuffer bytes_;
    GrowingArray<uint64_t> order_;  // index, and which one it is in names_
    GrowingArray<Name> names_;
};

// The features of a source as the model takes them.
struct Preparation {
    std::optional<SparseRow> idf;
    std::optional<std::string_view> norm;
};

SparseVector prepared(NamedFeatures& sink, const Preparation& how, Memory memory, StopSign stop) {
    SparseVector row = hashed_row(sink.words(), int32_t{1} << sink.bits(), memory, stop);
    if (how.idf) row = multiply(row.row(), *how.idf, memory, stop);
    if (how.norm) row = normalize(row.row(), norm_by_name(*how.norm), memory, stop);
    return row;
}

// What the caller wants to know: arguments 2 and 3.
struct Wish {
    size_t top;
    std::optional<std::string_view> class_name;
};

Wish fetch_wish(FunctionCallInfo fcinfo) {
    Wish wish{most_rows_argument(fcinfo, 2, "features"), {}};
    if (!PG_ARGISNULL(3)) wish.class_name = text_view(PG_GETARG_TEXT_PP(3));
    return wish;
}

const Explanation* explained(const Predictor& predictor, const SparseRow& row, const Wish& wish,
                             ContextMemory& memory) {
    return keep(explain(predictor, row, wish.class_name, wish.top, &memory, server_stop()), memory);
}

int bits_of_model(const Predictor& predictor) {
    const int bits = bits_of_dimension(predictor.dimension());
    if (bits == 0)
        ereport(ERROR, errcode(ERRCODE_DATA_EXCEPTION),
                predictor.dimension() == 0 ? errmsg("the model has no dimension, so that names have no place in it")
                                           : errmsg("the model has the dimension %d, which is not that of hashed names",
                                                    predictor.dimension()),
                errhint("A model of features made by sparselin_features has the dimension 2^bits, 16 to "
                        "1073741824. For other features explain the sparsearray."));
    return bits;
}

void put_row(ResultRows& rows, text* name, const Contribution* feature, double bias) {
    Datum values[5] = {};
    bool nulls[5] = {name == nullptr, feature == nullptr, feature == nullptr, feature == nullptr, false};
    values[0] = PointerGetDatum(name);
    if (feature != nullptr) {
        values[1] = Int32GetDatum(static_cast<int32>(static_cast<uint32>(feature->index) + 1));
        values[2] = Float4GetDatum(feature->value);
        values[3] = Float8GetDatum(feature->weight);
    }
    values[4] = Float8GetDatum(feature != nullptr ? feature->product : bias);
    rows.put(values, nulls);
}

// The bias has its place among the features, by its size.
void put_rows(ResultRows& rows, const Explanation& explanation, const NamedFeatures* names) {
    const double bias = explanation.bias;
    bool bias_is_due = true;
    for (const Contribution& feature : explanation.features) {
        CHECK_FOR_INTERRUPTS();
        if (bias_is_due && std::fabs(bias) > std::fabs(feature.product)) {
            put_row(rows, cstring_to_text("(bias)"), nullptr, bias);
            bias_is_due = false;
        }
        text* const name = names != nullptr ? names->names_of(feature.index) : nullptr;
        put_row(rows, name, &feature, bias);
        if (name != nullptr) pfree(name);
    }
    if (bias_is_due) put_row(rows, cstring_to_text("(bias)"), nullptr, bias);
}

// (model, features, top, class)
Datum explain_sparsearray(FunctionCallInfo fcinfo, ModelGiven given) {
    ResultRows rows = begin_result_rows(fcinfo);
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) return (Datum)0;
    const Wish wish = fetch_wish(fcinfo);
    SourceCache* const cache = source_cache(fcinfo);
    const Predictor* const predictor = predictor_of_call(fcinfo, given, &cache->predictors, cache->context);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    put_rows(rows, *guarded([&] { return explained(*predictor, row, wish, *memory); }), nullptr);
    return (Datum)0;
}

// (model, source, top, class, [exclude for rows,] idf, norm [, ngrams, tf for tsvectors])
Datum explain_source(FunctionCallInfo fcinfo, ModelGiven given, SourceKind kind) {
    constexpr int exclude_argument = 4;
    const int idf_argument = kind == SourceKind::row ? 5 : 4, norm_argument = idf_argument + 1;
    ResultRows rows = begin_result_rows(fcinfo);
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) return (Datum)0;
    if (kind == SourceKind::row && PG_ARGISNULL(exclude_argument)) return (Datum)0;
    const Wish wish = fetch_wish(fcinfo);
    SourceCache* const cache = source_cache(fcinfo);
    const Predictor* const predictor = predictor_of_call(fcinfo, given, &cache->predictors, cache->context);
    NamedFeatures sink(bits_of_model(*predictor));
    walk_source(fcinfo, kind, sink, 1, kind == SourceKind::tsvector ? norm_argument + 1 : exclude_argument);
    Preparation how;
    if (!PG_ARGISNULL(idf_argument)) how.idf = fetch_idf(PG_GETARG_DATUM(idf_argument), sink.bits(), cache);
    if (!PG_ARGISNULL(norm_argument)) how.norm = text_view(PG_GETARG_TEXT_PP(norm_argument));
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    const Explanation* const explanation = guarded([&] {
        const SparseVector row = prepared(sink, how, memory, server_stop());
        return explained(*predictor, row.row(), wish, *memory);
    });
    sink.sort();
    put_rows(rows, *explanation, &sink);
    return (Datum)0;
}

}  // namespace

SPARSELIN_MODEL_RETURNS(sparselin_explain_sparsearray, explain_sparsearray)
SPARSELIN_MODEL_RETURNS(sparselin_explain_tsvector, explain_source, SourceKind::tsvector)
SPARSELIN_MODEL_RETURNS(sparselin_explain_text_array, explain_source, SourceKind::text_array)
SPARSELIN_MODEL_RETURNS(sparselin_explain_jsonb, explain_source, SourceKind::jsonb)
SPARSELIN_MODEL_RETURNS(sparselin_explain_row, explain_source, SourceKind::row)
