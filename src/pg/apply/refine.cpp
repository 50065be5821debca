// sparselin_refine: the statement that adds up the rows of a query runs once for each point that is tried, with the
// model as a parameter, so that whatever runs it can split it. All runs see the rows that the calling query sees.
#include "learn/apply/refining.h"
#include "types/model_type.h"
#include "apply/gradient.h"
#include "registry/registry.h"
#include "wall/error_context.h"
#include "wall/result_rows.h"
#include "wall/aggregate.h"

extern "C" {
#include "executor/spi.h"
#include "utils/lsyscache.h"
}

using namespace sparselin;

namespace {

// What a query gives.
struct Shape {
    const char *body, *label_type;
    bool weighted, in_parts;
};

bool has_column(TupleDesc row, const char* name) {
    for (int i = 0; i < row->natts; ++i)
        if (strcmp(NameStr(TupleDescAttr(row, i)->attname), name) == 0) return true;
    return false;
}

const char* text_column(const char* name) {
    return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, SPI_fnumber(SPI_tuptable->tupdesc, name));
}

Shape shape_of(const char* schema, text* query) {
    Oid types[] = {TEXTOID, TEXTOID};
    Datum values[] = {PointerGetDatum(query),
                      CStringGetTextDatum(GetConfigOptionByName("search_path", nullptr, false))};
    const char* const check = psprintf("SELECT * FROM %s.sparselin_check_query($1, $2, true)", schema);
    int done = 0;
    run_ours_apart([&] { done = SPI_execute_with_args(check, 2, types, values, nullptr, true, 1); });
    if (done != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "could not look at a query");
    if (strcmp(text_column("timed"), "t") == 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query refers to $1"),
                errhint("There is no time of a last training here: write out which rows to refine on."));
    Shape shape{text_column("body"), text_column("label_type"), strcmp(text_column("weighted"), "t") == 0, false};
    const SPIPlanPtr plan = SPI_prepare(shape.body, 0, nullptr);
    if (plan == nullptr) elog(ERROR, "could not prepare a query: %s", SPI_result_code_string(SPI_result));
    shape.in_parts =
        has_column(static_cast<CachedPlanSource*>(linitial(SPI_plan_get_plan_sources(plan)))->resultDesc, "part");
    SPI_freeplan(plan);
    return shape;
}

// Parts are added up each for itself, which engines can that do not split an aggregate, and then their totals.
const char* statement_around(const char* schema, const Shape& shape) {
    const char* const label = strcmp(shape.label_type, "date") == 0
                                  ? "(pg_catalog.to_jsonb(q.label::pg_catalog.date) OPERATOR(pg_catalog.#>>) '{}')"
                                  : psprintf("q.label::%s", shape.label_type);
    const char* const sums =
        psprintf("%s.sparselin_gradient_sums($1, q.features::%s.sparsearray, %s, %s, $2)", schema, schema, label,
                 shape.weighted ? "q.weight::pg_catalog.float8" : "1::pg_catalog.float8");
    if (!shape.in_parts) return psprintf("SELECT %s FROM (\n%s\n) AS q", sums, shape.body);
    return psprintf(
        "SELECT %s.sparselin_gradient_total(p.sums) FROM (SELECT %s AS sums FROM (\n%s\n) AS q GROUP BY q.part) AS p",
        schema, sums, shape.body);
}

// The sums at a model; nullptr where there are no rows. In the memory.
const LossSums* scan(const char* statement, Oid model_type, Datum model, bool survey, ContextMemory* memory) {
    Oid types[] = {model_type, BOOLOID};
    Datum values[] = {model, BoolGetDatum(survey)};
    int done = 0;
    run_query_apart([&] { done = SPI_execute_with_args(statement, 2, types, values, nullptr, true, 0); },
                    [=](ErrorData* error) { leave_out_statement(error, statement); });
    if (done != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "the statement around a query gave no row");
    bool is_null = false;
    const Datum bytes = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
    const LossSums* const sums = is_null ? nullptr : read_sums(DatumGetByteaPP(bytes), memory);
    SPI_freetuptable(SPI_tuptable);
    return sums;
}

[[noreturn]] void refuse_empty() {
    ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("the query gave no rows"),
            errhint("Run it by itself to see why."));
}

// The model where it has got to; `given` where that is as good.
Datum refine(FunctionCallInfo fcinfo, Refining* refining, Datum given, const char* statement) {
    const Oid model_type = get_fn_expr_argtype(call_place(fcinfo), 0);
    Datum tried = given;
    const MemoryContext lasting = CurrentMemoryContext;
    for (bool done = false; !done;) {
        CHECK_FOR_INTERRUPTS();
        MemoryContextSwitchTo(lasting);  // out of that in which SPI leaves its callers
        const MemoryContext scratch = new_model_context();
        const LossSums* const sums = scan(statement, model_type, tried, refining->surveys(), lasting_memory(scratch));
        if (sums == nullptr) refuse_empty();
        done = guarded([=] { return refining->take(*sums, server_stop().for_cancels()); });
        MemoryContextDelete(scratch);
        if (tried != given) pfree(DatumGetPointer(tried));
        tried = in_context(lasting, [=] { return new_model(refining->tried()); });
    }
    return refining->has_improved() ? tried : given;
}

void check_arguments(int64 iterations, double tolerance) {
    if (iterations < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("iterations is %lld", static_cast<long long>(iterations)),
                errhint("Give the number of scans over the rows to make at most, 1 or more."));
    if (!(tolerance >= 0))
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tolerance is %g", tolerance),
            errhint("Give the share of F that it may be above its minimum, such as 0.01, or 0 to go on to the end."));
}

}  // namespace

// (model, query, iterations, tolerance)
SPARSELIN_FUNCTION(sparselin_refine) {
    const int32 iterations = PG_GETARG_INT32(2);
    const double tolerance = PG_GETARG_FLOAT8(3);
    check_arguments(iterations, tolerance);
    const TupleDesc descriptor = result_type(fcinfo);
    const MemoryContext caller = CurrentMemoryContext, context = new_model_context();
    const Datum given =
        in_context(context, [=] { return PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0))); });
    auto* const model = const_cast<Model*>(fetch_model(given, context));
    ContextMemory* const memory = lasting_memory(context);
    Refining* const refining = guarded([=] {
        void* const place = memory->allocate(sizeof(Refining), alignof(Refining));
        return new (place) Refining(*model, iterations, tolerance, memory, server_stop());
    });
    SPI_connect();
    const char* const schema = quote_identifier(get_namespace_name(registry_schema(fcinfo)));
    const Shape shape = shape_of(schema, PG_GETARG_TEXT_PP(1));
    const char* const statement = statement_around(schema, shape);
    const Datum best = in_context(context, [=] { return refine(fcinfo, refining, given, statement); });
    SPI_finish();
    MemoryContextSwitchTo(caller);
    const double gap = refining->gap(), after = refining->has_improved() ? refining->after() : refining->before();
    Datum values[] = {best, Int32GetDatum(static_cast<int32>(refining->scans())), Float8GetDatum(refining->before()),
                      Float8GetDatum(after), Float8GetDatum(gap)};
    const Datum result = row_of(descriptor, values, {false, false, false, false, !std::isfinite(gap)});
    MemoryContextDelete(context);
    PG_RETURN_DATUM(result);
}
