// Walks of the sources whose features have names: tsvector, text[], jsonb and rows. They bring names and values to a
// sink; all of them are C zone.
//
//   tsvector  lexeme -> number of its positions, at least 1
//   text[]    element -> 1; the same element again adds up
//   jsonb     key -> number; key=string -> 1; key -> 1 where true; dotted names for nested objects; elements of arrays
//             are categories: key=element -> 1, or more keys where the element is an object
//   row       the same with columns for keys
// NULL, false and 0 are nothing, everywhere.
#pragma once

#include "features/feature_sink.h"

extern "C" {
#include "tsearch/ts_type.h"
#include "utils/jsonb.h"
}

namespace sparselin {

// Top level: lexemes, or elements, are the names.
void walk_tsvector(FeatureSink& sink, TSVector source);
void walk_text_array(FeatureSink& sink, ArrayType* source);

// An error unless it is an object.
void walk_jsonb(FeatureSink& sink, Jsonb* source);

// Values of the name under way. An element of an array is a category, even when it is a number.
void walk_named_tsvector(FeatureSink& sink, TSVector source);
void walk_named_jsonb(FeatureSink& sink, Jsonb* source, bool element);

// The kinds of a row's columns, kept from one row to the next.
struct RowPlan;

// Walks the columns that are not in `exclude`, an array of text or nullptr. The plan is made anew when the type of the
// row or `exclude` is not that of the plan; `function` is the SQL function that asks.
void walk_row(FeatureSink& sink, HeapTupleHeader source, ArrayType* exclude, RowPlan** plan, MemoryContext lasting,
              Oid function);

}  // namespace sparselin
