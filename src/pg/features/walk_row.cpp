// Walks of rows: what each column is, and its value of each row.
#include "learn/base/words.h"
#include "features/sources.h"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/datetime.h"
#include "utils/json.h"
}

namespace sparselin {

// How the columns of a row become features: found out once, and kept from one row to the next.
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

namespace {

[[noreturn]] void refuse_column(const char* column, Oid type, const char* hint) {
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("column \"%s\" of type %s cannot be turned into features", column, format_type_be(type)),
            errhint("%s", hint));
}

// An error for types without names: those of the extension that the function belongs to, and those of pgvector, in
// whatever schema. Their values are appended instead.
void refuse_unnamed(const char* column, Oid type, Oid function) {
    const HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
    if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for type %u", type);
    const FormData_pg_type form = *reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
    ReleaseSysCache(tuple);
    const std::string_view name = NameStr(form.typname);
    const bool ours = form.typnamespace == get_func_namespace(function), base = form.typtype == TYPTYPE_BASE;
    if (ours && name == "sparsearray")
        refuse_column(column, type, "Leave it out with exclude, and append it: sparselin_features(...) || column.");
    if (ours && name == "sparselin_model") refuse_column(column, type, "Leave it out with exclude.");
    if (base && (name == "vector" || name == "halfvec"))
        refuse_column(column, type,
                      "Leave it out with exclude, and append it: "
                      "sparselin_features(...) || column::real[]::sparsearray.");
    if (base && name == "sparsevec")
        refuse_column(column, type,
                      "Leave it out with exclude, and append it: sparselin_features(...) || column::sparsearray, "
                      "after CREATE CAST (sparsevec AS sparsearray) WITHOUT FUNCTION.");
}

ColumnKind kind_of(const char* column, Oid type, Oid function) {
    switch (type) {
        case BOOLOID: return ColumnKind::boolean;
        case INT2OID:
        case INT4OID:
        case INT8OID:
        case FLOAT4OID:
        case FLOAT8OID:
        case NUMERICOID:
        case MONEYOID: return ColumnKind::number;
        case DATEOID:
        case TIMEOID:
        case TIMETZOID:
        case TIMESTAMPOID:
        case TIMESTAMPTZOID: return ColumnKind::moment;
        case TSVECTOROID: return ColumnKind::tsvector;
        case JSONBOID: return ColumnKind::jsonb;
        case JSONOID: return ColumnKind::json;
        default: break;
    }
    if (OidIsValid(get_base_element_type(type))) return ColumnKind::array;
    if (type_is_rowtype(type)) return ColumnKind::composite;
    refuse_unnamed(column, type, function);
    return ColumnKind::category;
}

ValuePlan plan_value(const char* column, Oid declared, Oid function);

ValuePlan* plan_element(const char* column, Oid array, Oid function, ArrayMetaState* meta) {
    const Oid type = get_base_element_type(array);
    if (type == FLOAT4OID || type == FLOAT8OID)
        refuse_column(column, array,
                      "Elements of arrays are categories. Leave it out with exclude, and append it: "
                      "sparselin_features(...) || sparsearray(column).");
    auto* const element = static_cast<ValuePlan*>(palloc(sizeof(ValuePlan)));
    *element = plan_value(column, type, function);
    meta->element_type = type;
    get_typlenbyvalalign(type, &meta->typlen, &meta->typbyval, &meta->typalign);
    return element;
}

ValuePlan plan_value(const char* column, Oid declared, Oid function) {
    check_stack_depth();
    ValuePlan plan{};
    plan.type = getBaseType(declared);
    plan.kind = kind_of(column, plan.type, function);
    if (plan.kind == ColumnKind::array) plan.element = plan_element(column, plan.type, function, &plan.element_meta);
    Oid output;
    bool is_varlena;
    getTypeOutputInfo(plan.type, &output, &is_varlena);
    fmgr_info(output, &plan.output);
    return plan;
}

// The columns that `exclude` names; an error for a name that no column has.
void mark_excluded(RowPlan* plan) {
    if (plan->exclude == nullptr) return;
    Datum* names;
    bool* nulls;
    int count;
    deconstruct_array(plan->exclude, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
    for (int i = 0; i < count; ++i) {
        if (nulls[i])
            ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("exclude contains a NULL"),
                    errhint("Give the names of the columns to leave out, as in exclude => '{id,label}'."));
        const char* const name = TextDatumGetCString(names[i]);
        NearestName nearest(name);
        Phrase all;
        bool found = false;
        for (int c = 0; c < plan->descriptor->natts; ++c) {
            ColumnPlan& column = plan->columns[c];
            if (column.name.data() == nullptr) continue;
            nearest.offer(column.name.data());
            all.comma().add("%s", column.name.data());
            if (column.name != name) continue;
            column.skip = found = true;
        }
        if (!found)
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                    errmsg("exclude names the column \"%s\", which the row does not have", name),
                    nearest.found() != nullptr ? errhint("Perhaps you meant \"%s\".", nearest.found())
                                               : errhint("The row has the columns %s.", all.c_str()));
    }
}

void plan_columns(RowPlan* plan) {
    const TupleDesc descriptor = plan->descriptor;
    const int count = descriptor->natts;
    plan->columns = static_cast<ColumnPlan*>(palloc0(sizeof(ColumnPlan) * static_cast<Size>(Max(count, 1))));
    plan->values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(Max(count, 1))));
    plan->nulls = static_cast<bool*>(palloc(sizeof(bool) * static_cast<Size>(Max(count, 1))));
    for (int i = 0; i < count; ++i) {
        const Form_pg_attribute attribute = TupleDescAttr(descriptor, i);
        plan->columns[i].skip = attribute->attisdropped;
        if (!attribute->attisdropped) plan->columns[i].name = NameStr(attribute->attname);
    }
    mark_excluded(plan);
    for (int i = 0; i < count; ++i) {
        ColumnPlan& column = plan->columns[i];
        if (!column.skip)
            column.value = plan_value(column.name.data(), TupleDescAttr(descriptor, i)->atttypid, plan->function);
    }
}

RowPlan* make_plan(Oid type, int32 typmod, ArrayType* exclude, MemoryContext lasting, Oid function) {
    const MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "sparselin row plan", ALLOCSET_SMALL_SIZES);
    const MemoryContext caller = MemoryContextSwitchTo(context);
    auto* const plan = static_cast<RowPlan*>(palloc0(sizeof(RowPlan)));
    plan->context = context;
    plan->function = function;
    plan->type_identifier = assign_record_type_identifier(type, typmod);
    if (exclude != nullptr)
        plan->exclude = static_cast<ArrayType*>(memcpy(palloc(VARSIZE(exclude)), exclude, VARSIZE(exclude)));
    plan->descriptor = lookup_rowtype_tupdesc_copy(type, typmod);
    plan_columns(plan);
    MemoryContextSwitchTo(caller);
    MemoryContextSetParent(context, lasting);
    return plan;
}

bool same_array(const ArrayType* a, const ArrayType* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

// The plan of `*place`, made anew below `lasting` where it does not fit this row. Errors name the column.
// The identifier changes with the columns of a type, so that a plan outlives no ALTER TABLE.
RowPlan* row_plan_for(HeapTupleHeader row, ArrayType* exclude, RowPlan** place, MemoryContext lasting, Oid function) {
    const Oid type = HeapTupleHeaderGetTypeId(row);
    const int32 typmod = HeapTupleHeaderGetTypMod(row);
    RowPlan* const plan = *place;
    if (plan != nullptr && plan->type_identifier == assign_record_type_identifier(type, typmod) &&
        same_array(plan->exclude, exclude))
        return plan;
    if (plan != nullptr) {
        *place = nullptr;
        MemoryContextDelete(plan->context);
    }
    return *place = make_plan(type, typmod, exclude, lasting, function);
}

// Elements of arrays are printed as any category, but for those that have several ways to be.
bool is_numeric(Oid type) {
    return type == NUMERICOID || type == MONEYOID;
}

void take_numeric(FeatureSink& sink, Oid type, Datum value, bool element) {
    const Datum number = type == MONEYOID ? DirectFunctionCall1(cash_numeric, value) : value;
    walk_numeric(sink, DatumGetNumeric(number), element);
}

void take_number(FeatureSink& sink, Oid type, Datum value) {
    switch (type) {
        case INT2OID: return sink.take_number(static_cast<double>(DatumGetInt16(value)));
        case INT4OID: return sink.take_number(static_cast<double>(DatumGetInt32(value)));
        case INT8OID: return sink.take_number(static_cast<float4>(DatumGetInt64(value)));  // not rounded twice
        case FLOAT4OID: return sink.take_number(static_cast<double>(DatumGetFloat4(value)));
        default: return sink.take_number(DatumGetFloat8(value));
    }
}

// ISO 8601, times with a time zone in UTC.
void take_moment(FeatureSink& sink, Oid type, Datum value) {
    char text[MAXDATELEN + 1];
    const int utc = 0;
    sink.take_category(JsonEncodeDateTime(text, value, type, type == TIMESTAMPTZOID ? &utc : nullptr));
}

void take_category(FeatureSink& sink, ValuePlan& plan, Datum value) {
    if (plan.type == TEXTOID || plan.type == VARCHAROID) {
        text* const category = DatumGetTextPP(value);
        sink.take_category(text_view(category));
        if (PointerGetDatum(category) != value) pfree(category);
        return;
    }
    char* const printed = OutputFunctionCall(&plan.output, value);
    std::string_view category = printed;
    // The blanks at the end of character(n) do not count, as in the server's comparisons.
    if (plan.type == BPCHAROID)
        while (category.ends_with(' ')) category.remove_suffix(1);
    sink.take_category(category);
    pfree(printed);
}

void take_jsonb(FeatureSink& sink, Jsonb* value, Datum stored, bool element) {
    walk_named_jsonb(sink, value, element);
    if (PointerGetDatum(value) != stored) pfree(value);
}

void take_json(FeatureSink& sink, Datum value, bool element) {
    char* const written = TextDatumGetCString(value);
    const Datum parsed = DirectFunctionCall1(jsonb_in, CStringGetDatum(written));
    pfree(written);
    take_jsonb(sink, DatumGetJsonbP(parsed), (Datum)0, element);
}

void take_value(FeatureSink& sink, ValuePlan& plan, Datum value, bool element, RowPlan& owner);

void take_array(FeatureSink& sink, ValuePlan& plan, Datum value, RowPlan& owner) {
    ArrayType* const array = DatumGetArrayTypeP(value);
    ArrayIterator elements = array_create_iterator(array, 0, &plan.element_meta);
    Datum element;
    bool is_null;
    while (array_iterate(elements, &element, &is_null))
        if (!is_null) take_value(sink, *plan.element, element, true, owner);
    array_free_iterator(elements);
    if (PointerGetDatum(array) != value) pfree(array);
}

void walk_columns(FeatureSink& sink, RowPlan* plan, HeapTupleHeader row, bool named) {
    HeapTupleData tuple;
    tuple.t_len = HeapTupleHeaderGetDatumLength(row);
    ItemPointerSetInvalid(&tuple.t_self);
    tuple.t_tableOid = InvalidOid;
    tuple.t_data = row;
    heap_deform_tuple(&tuple, plan->descriptor, plan->values, plan->nulls);
    const Size mark = sink.path_size();
    for (int i = 0; i < plan->descriptor->natts; ++i) {
        ColumnPlan& column = plan->columns[i];
        if (column.skip || plan->nulls[i]) continue;
        if (named) sink.append(".");
        sink.append(column.name);
        take_value(sink, column.value, plan->values[i], false, *plan);
        sink.cut(mark);
    }
}

void take_composite(FeatureSink& sink, ValuePlan& plan, Datum value, RowPlan& owner) {
    HeapTupleHeader row = DatumGetHeapTupleHeader(value);
    walk_columns(sink, row_plan_for(row, nullptr, &plan.row, owner.context, owner.function), row, true);
    if (PointerGetDatum(row) != value) pfree(row);
}

void take_value(FeatureSink& sink, ValuePlan& plan, Datum value, bool element, RowPlan& owner) {
    check_stack_depth();
    switch (plan.kind) {
        case ColumnKind::boolean:
            element ? sink.take_category(DatumGetBool(value) ? "true" : "false") : sink.take_truth(DatumGetBool(value));
            break;
        case ColumnKind::number:
            if (is_numeric(plan.type))
                take_numeric(sink, plan.type, value, element);
            else if (element)
                take_category(sink, plan, value);
            else
                take_number(sink, plan.type, value);
            break;
        case ColumnKind::category: take_category(sink, plan, value); break;
        case ColumnKind::moment: take_moment(sink, plan.type, value); break;
        case ColumnKind::tsvector: walk_named_tsvector(sink, DatumGetTSVector(value)); break;
        case ColumnKind::jsonb: take_jsonb(sink, DatumGetJsonbP(value), value, element); break;
        case ColumnKind::json: take_json(sink, value, element); break;
        case ColumnKind::array: take_array(sink, plan, value, owner); break;
        case ColumnKind::composite: take_composite(sink, plan, value, owner); break;
    }
}

}  // namespace

void walk_row(FeatureSink& sink, HeapTupleHeader source, ArrayType* exclude, RowPlan** place, MemoryContext lasting,
              Oid function) {
    RowPlan* const plan = row_plan_for(source, exclude, place, lasting, function);
    walk_columns(sink, plan, source, false);
}

}  // namespace sparselin
