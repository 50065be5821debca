// What the columns of a row are: found out once, and kept from one row to the next.
#pragma once

#include "features/long_text.h"
#include "features/sources.h"

extern "C" {
#include "utils/lsyscache.h"
}

namespace sparselin {

// How the values of a column become features.
enum class ColumnKind : uint8 {
    boolean,    // name -> 1 where true
    number,     // name -> number
    category,   // name=value -> 1
    moment,     // a date or timestamp: name -> years, and its parts; times of day and elements: name=value -> 1
    tsvector,   // name=lexeme -> count
    jsonb,      // as a value in jsonb
    json,       // the same, after parsing it
    array,      // each element a category
    composite,  // dotted names
    vector,     // name.1 -> number, name.2 -> number, ...
};

struct ValuePlan {
    ColumnKind kind;
    Oid type;          // the base type of a domain
    FmgrInfo convert;  // prints categories, and numbers in arrays; turns vectors into real[]
    LongText words;    // of categories
    ArrayMetaState element_meta;
    ValuePlan* element;  // of an array
    RowPlan* row;        // of a composite, once one was seen
};

struct ColumnPlan {
    bool skip;  // excluded, or dropped
    std::string_view name;
    ValuePlan value;
};

struct RowPlan {
    MemoryContext context;  // all of it lives here
    uint64 type_identifier;
    Oid function;
    ArrayType* exclude;  // nullptr: nothing
    TupleDesc descriptor;
    ColumnPlan* columns;
    Datum* values;
    bool* nulls;
    bool is_remembered;
    RowPlan* next;  // among those that are remembered
};

// Has name_of_column know a plan as long as there is one.
void remember(RowPlan* plan);

// The plan of `*place`, made anew below `lasting` where it does not fit this row. Errors name the column.
// The identifier changes with the columns of a type, so that a plan outlives no ALTER TABLE.
RowPlan* row_plan_for(HeapTupleHeader row, ArrayType* exclude, RowPlan** place, MemoryContext lasting, Oid function);

}  // namespace sparselin
