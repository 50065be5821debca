// A call of a function that takes a source of named features: which kind it is, and what stays from one call to the
// next, in fn_extra.
#pragma once

#include "learn/rows/sparse.h"

#include "features/sources.h"
#include "types/sparsearray.h"

namespace sparselin {

enum class SourceKind : uint8 { tsvector, text_array, jsonb, row };

struct SourceCache {
    MemoryContext context;
    Oid function;
    RowPlan* plan;            // of the rows
    void* predictors;         // of sparselin_explain
    varatt_external idf_key;  // of the stored idf
    SparseArray* idf;         // as fetched; nullptr: not yet
};

SourceCache* source_cache(FunctionCallInfo fcinfo);

// `exclude` is for rows: an array of text, or nullptr.
void walk_source(SourceKind kind, FeatureSink& sink, Datum source, ArrayType* exclude, SourceCache* cache);

// A sparsearray that is the same from row to row as a rule; a stored one is fetched once. An error when it does not
// have the dimension of features of so many bits.
SparseRow fetch_idf(Datum idf, int bits, SourceCache* cache);

}  // namespace sparselin
