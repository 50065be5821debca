// The plan of a row: the kind of each column, and which are left out.
#include "learn/base/words.h"
#include "features/row_plan.h"

extern "C" {
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/syscache.h"
}

namespace sparselin {

namespace {

[[noreturn]] void refuse_column(const char* column, Oid type, const char* hint) {
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("column \"%s\" of type %s cannot be turned into features", column, format_type_be(type)),
            errhint("%s", hint));
}

// The function that turns a vector into real[]; InvalidOid where there is none.
Oid cast_to_reals(Oid type) {
    Oid function = InvalidOid;
    const bool found = find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) == COERCION_PATH_FUNC;
    return found ? function : InvalidOid;
}

// Those of types that others have made, told by their names, in whatever schema: vector and halfvec of pgvector. An
// error for types whose values have no names, and are appended instead: sparsevec of pgvector, and those of the
// extension that the function belongs to.
ColumnKind kind_by_name(const char* column, Oid type, Oid function) {
    const HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
    if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for type %u", type);
    const FormData_pg_type form = *reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
    ReleaseSysCache(tuple);
    const std::string_view name = NameStr(form.typname);
    const bool ours = form.typnamespace == get_func_namespace(function), base = form.typtype == TYPTYPE_BASE;
    if (ours && name == "sparsearray")
        refuse_column(column, type, "Leave it out with exclude, and append it: sparselin_features(...) || column.");
    if (ours && name == "sparselin_model") refuse_column(column, type, "Leave it out with exclude.");
    if (base && (name == "vector" || name == "halfvec")) {
        if (OidIsValid(cast_to_reals(type))) return ColumnKind::vector;
        refuse_column(column, type,
                      "There is no cast from it to real[], which pgvector has. Leave it out with exclude.");
    }
    if (base && name == "sparsevec")
        refuse_column(column, type,
                      "Leave it out with exclude, and append it: sparselin_features(...) || column::sparsearray, "
                      "after CREATE CAST (sparsevec AS sparsearray) WITHOUT FUNCTION.");
    return ColumnKind::category;
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
    return kind_by_name(column, type, function);
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
    if (element->kind == ColumnKind::vector)
        refuse_column(column, array, "Elements of arrays are categories. Leave it out with exclude.");
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
    Oid convert = InvalidOid;
    bool is_varlena;
    if (plan.kind == ColumnKind::vector)
        convert = cast_to_reals(plan.type);
    else
        getTypeOutputInfo(plan.type, &convert, &is_varlena);
    fmgr_info(convert, &plan.convert);
    return plan;
}

// What columns a row has: the first ones of many.
const char* names_of_columns(const RowPlan& plan) {
    constexpr int most = 20;
    StringInfoData names;
    initStringInfo(&names);
    int count = 0;
    for (int c = 0; c < plan.descriptor->natts; ++c) {
        const char* const name = plan.columns[c].name.data();
        if (name != nullptr && ++count <= most) appendStringInfo(&names, "%s%s", count == 1 ? "" : ", ", name);
    }
    if (count > most) appendStringInfo(&names, " and %d others", count - most);
    return names.data;
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
        bool found = false;
        for (int c = 0; c < plan->descriptor->natts; ++c) {
            ColumnPlan& column = plan->columns[c];
            if (column.name.data() == nullptr) continue;
            nearest.offer(column.name.data());
            if (column.name != name) continue;
            column.skip = found = true;
        }
        if (!found)
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                    errmsg("exclude names the column \"%s\", which the row does not have", name),
                    nearest.found() != nullptr ? errhint("Perhaps you meant \"%s\".", nearest.found())
                                               : errhint("The row has the columns %s.", names_of_columns(*plan)));
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

}  // namespace

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

}  // namespace sparselin
