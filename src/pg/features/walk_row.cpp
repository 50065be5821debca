// Walks of rows: each column's value, as the plan of the row has it.
#include "learn/base/words.h"
#include "features/row_plan.h"

extern "C" {
#include "access/parallel.h"
#include "optimizer/optimizer.h"
}

namespace sparselin {

namespace {

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

// In a parallel plan the leader says so, unless it only collects what the workers make.
bool is_for_another_process_to_say() {
    return IsParallelWorker() && (ParallelWorkerNumber > 0 || parallel_leader_participation);
}

void notice_long_text(const FeatureSink& sink) {
    if (is_for_another_process_to_say()) return;
    ereport(NOTICE,
            errmsg("column \"%s\" has long texts, and each different text is a category of its own",
                   shown_name(sink.path())),
            errhint("A model learns from their words where to_tsvector takes them apart: SELECT sparselin_features(s) "
                    "FROM (SELECT to_tsvector('simple', %s) AS %s, ... FROM ...) AS s. Or leave the column out with "
                    "exclude.",
                    quote_identifier(shown_name(sink.path())), quote_identifier(shown_name(sink.path()))));
}

void take_text(FeatureSink& sink, ValuePlan& plan, std::string_view text, bool element) {
    if (!element && plan.words.add(text)) notice_long_text(sink);
    sink.take_category(text);
}

void take_category(FeatureSink& sink, ValuePlan& plan, Datum value, bool element) {
    if (plan.type == TEXTOID || plan.type == VARCHAROID) {
        text* const category = DatumGetTextPP(value);
        take_text(sink, plan, text_view(category), element);
        if (PointerGetDatum(category) != value) pfree(category);
        return;
    }
    char* const printed = OutputFunctionCall(&plan.convert, value);
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

// pgvector has real[] of it made by a function that takes the type's modifier as well, as casts do.
void take_vector(FeatureSink& sink, ValuePlan& plan, Datum value) {
    const Datum reals = FunctionCall3(&plan.convert, value, Int32GetDatum(-1), BoolGetDatum(true));
    Datum* numbers;
    bool* nulls;
    int count;
    deconstruct_array(DatumGetArrayTypeP(reals), FLOAT4OID, sizeof(float4), true, TYPALIGN_INT, &numbers, &nulls,
                      &count);
    const Size mark = sink.path_size();
    for (int i = 0; i < count; ++i) {
        if (nulls[i]) continue;
        sink.append(".");
        sink.append(NumberText(i + 1));
        sink.take_number(static_cast<double>(DatumGetFloat4(numbers[i])));
        sink.cut(mark);
    }
    pfree(numbers);
    pfree(nulls);
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
        if (column.skip) continue;
        if (named) sink.append(".");
        sink.append(column.name);
        if (plan->nulls[i])
            sink.take_null();
        else
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
                take_category(sink, plan, value, element);
            else
                take_number(sink, plan.type, value);
            break;
        case ColumnKind::category: take_category(sink, plan, value, element); break;
        case ColumnKind::moment: walk_moment(sink, plan.type, value, element); break;
        case ColumnKind::tsvector: walk_named_tsvector(sink, DatumGetTSVector(value)); break;
        case ColumnKind::jsonb: take_jsonb(sink, DatumGetJsonbP(value), value, element); break;
        case ColumnKind::json: take_json(sink, value, element); break;
        case ColumnKind::array: take_array(sink, plan, value, owner); break;
        case ColumnKind::composite: take_composite(sink, plan, value, owner); break;
        case ColumnKind::vector: take_vector(sink, plan, value); break;
    }
}

}  // namespace

void walk_row(FeatureSink& sink, HeapTupleHeader source, ArrayType* exclude, RowPlan** place, MemoryContext lasting,
              Oid function) {
    RowPlan* const plan = row_plan_for(source, exclude, place, lasting, function);
    if (!plan->is_remembered) remember(plan);
    walk_columns(sink, plan, source, false);
}

}  // namespace sparselin
