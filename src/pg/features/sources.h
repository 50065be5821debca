// Walks of the sources whose features have names: tsvector, text[], jsonb and rows. They bring names and values to a
// sink; all of them are C zone.
//
//   tsvector  lexeme -> number of its positions, at least 1; neighbouring lexemes, with a blank between, if asked for
//   text[]    element -> 1; the same element again adds up
//   jsonb     key -> number; key=string -> 1; key -> 1 where true; dotted names for nested objects; elements of arrays
//             are categories: key=element -> 1, or more keys where the element is an object
//   row       the same with columns for keys; "column is null" -> 1; dates and timestamps -> years, and their parts;
//             vectors -> a number for each place
// False and 0 are nothing, everywhere, and so is NULL but for columns.
#pragma once

#include "learn/rows/terms.h"
#include "types/sparsearray.h"
#include "features/feature_sink.h"

extern "C" {
#include "tsearch/ts_type.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

namespace sparselin {

// How many neighbouring words make a feature as well, and what counts are worth.
struct TermOptions {
    int ngrams = 1;
    TermFrequency frequency = TermFrequency::count;
};

void walk_tsvector(FeatureSink& sink, TSVector source, const TermOptions& options);

// Top level: an error unless it is an object.
void walk_jsonb(FeatureSink& sink, Jsonb* source);

// Values of the name under way. An element of an array is a category, even when it is a number; equal numbers are one
// category: 1.0 is 1.
void walk_numeric(FeatureSink& sink, Numeric number, bool element);
void walk_moment(FeatureSink& sink, Oid type, Datum value, bool element);
void walk_named_tsvector(FeatureSink& sink, TSVector source);
void walk_named_jsonb(FeatureSink& sink, Jsonb* source, bool element);

// The kinds of a row's columns, kept from one row to the next.
struct RowPlan;

// Walks the columns that are not in `exclude`, an array of text or nullptr. The plan is made anew when the type of the
// row or `exclude` is not that of the plan; `function` is the SQL function that asks.
void walk_row(FeatureSink& sink, HeapTupleHeader source, ArrayType* exclude, RowPlan** plan, MemoryContext lasting,
              Oid function);

// The name of a feature by its number, where it comes from a column of the rows that are walked in this process just
// now: that of a number, a truth, a NULL, or a part of a date; not that of a category. nullptr: not known.
const char* name_of_column(int32 feature, int bits);

// A call of a function that takes such a source: which kind it is, and what stays from one call to the next, in
// fn_extra.
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

// The source in an argument; `further` is the one of what only its kind has: for rows the columns to exclude, an array
// of text; for a tsvector ngrams, and behind it tf.
void walk_source(FunctionCallInfo fcinfo, SourceKind kind, FeatureSink& sink, int argument, int further);

// A sparsearray that is the same from row to row as a rule; a stored one is fetched once. An error when it does not
// have the dimension of features of so many bits.
SparseRow fetch_idf(Datum idf, int bits, SourceCache* cache);

}  // namespace sparselin
