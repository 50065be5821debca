// How the columns of a row become features: found out once, and kept from one row to the next.
#pragma once

#include "learn/base/spelling.h"
#include "wall/pg.h"

namespace sparselin {

enum class ColumnKind : uint8 {
    boolean,    // name -> 1 where true
    number,     // name -> number
    category,   // name=value -> 1
    moment,     // the same for dates and times, whatever DateStyle and TimeZone say
    tsvector,   // name=lexeme -> count
    jsonb,      // as a value in jsonb
    json,       // the same, after parsing it
    array,      // each element a category
    composite,  // dotted names
};

struct RowPlan;

struct ValuePlan {
    ColumnKind kind;
    Oid type;         // the base type of a domain
    FmgrInfo output;  // of categories, and of numbers in arrays
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
};

// The plan of `*place`, made anew below `lasting` where it does not fit this row. Errors name the column.
RowPlan* row_plan_for(HeapTupleHeader row, ArrayType* exclude, RowPlan** place, MemoryContext lasting, Oid function);

}  // namespace sparselin
