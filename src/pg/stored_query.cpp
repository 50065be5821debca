// Queries that give rows to train on: looked at before they run, and run where they can do least.
//
// A stored query is code. It runs with the rights of the current user, as a security-restricted operation: it cannot
// change the role, nor leave behind what would run later, so that a superuser may SET ROLE to the owner of a model and
// have its query run. Settings it changes are taken back. The search_path is the one given, for the query and for the
// statement around it.
#include "../learn/holdout.h"
#include "sparsearray.h"

extern "C" {
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
}

namespace sparselin {

namespace {

struct Restriction {
    Oid user;
    int context, level;
};

// What an error leaves undone the end of the transaction, or of the subtransaction, undoes.
Restriction restrict_to(const char* search_path) {
    Restriction before{};
    GetUserIdAndSecContext(&before.user, &before.context);
    before.level = NewGUCNestLevel();
    set_config_option("search_path", search_path, superuser() ? PGC_SUSET : PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                      true, 0, false);
    SetUserIdAndSecContext(before.user, before.context | SECURITY_RESTRICTED_OPERATION);
    return before;
}

void lift(const Restriction& before) {
    AtEOXact_GUC(false, before.level);
    SetUserIdAndSecContext(before.user, before.context);
}

// What a query may refer to: $1, a time.
struct Parameters {
    bool used = false;
};

Node* resolve_parameter(ParseState* state, ParamRef* reference) {
    if (reference->number != 1) return nullptr;
    static_cast<Parameters*>(state->p_ref_hook_state)->used = true;
    Param* const parameter = makeNode(Param);
    parameter->paramkind = PARAM_EXTERN;
    parameter->paramid = 1;
    parameter->paramtype = TIMESTAMPTZOID;
    parameter->paramtypmod = -1;
    parameter->paramcollid = InvalidOid;
    parameter->location = reference->location;
    return reinterpret_cast<Node*>(parameter);
}

void set_up_parser(ParseState* state, void* parameters) {
    state->p_paramref_hook = resolve_parameter;
    state->p_ref_hook_state = parameters;
}

[[noreturn]] void reject(const char* what, const char* hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what), errhint("%s", hint)));
    pg_unreachable();
}

// The one SELECT that a text has to be.
CachedPlanSource* only_select(const char* query, Parameters* parameters) {
    constexpr char hint[] = "Give one SELECT with columns features and label.";
    const SPIPlanPtr plan = SPI_prepare_params(query, set_up_parser, parameters, 0);
    if (plan == nullptr) elog(ERROR, "could not prepare a query: %s", SPI_result_code_string(SPI_result));
    List* const statements = SPI_plan_get_plan_sources(plan);
    if (list_length(statements) == 0) reject("the query is empty", hint);
    if (list_length(statements) > 1) reject("the query is more than one statement", hint);
    auto* const source = static_cast<CachedPlanSource*>(linitial(statements));
    if (source->raw_parse_tree == nullptr || !IsA(source->raw_parse_tree->stmt, SelectStmt) ||
        list_length(source->query_list) != 1)
        reject("the query is not a SELECT", hint);
    const auto* const select = static_cast<const Query*>(linitial(source->query_list));
    if (select->commandType != CMD_SELECT || select->utilityStmt != nullptr) reject("the query is not a SELECT", hint);
    if (select->hasModifyingCTE)
        reject("the query changes data", "Give a SELECT without INSERT, UPDATE or DELETE in its WITH clause.");
    return source;
}

// Its text, without a semicolon and what comes after it.
text* body_of(const char* query, const CachedPlanSource* source) {
    const RawStmt* const statement = source->raw_parse_tree;
    const int start = Max(statement->stmt_location, 0);
    const int length = statement->stmt_len > 0 ? statement->stmt_len : static_cast<int>(strlen(query)) - start;
    return cstring_to_text_with_len(query + start, length);
}

enum class Kind { missing, boolean, number, sparse, other };

struct Column {
    const char* name;
    Kind kind;
    Oid type;
};

Oid sparsearray_type(FunctionCallInfo fcinfo) {
    const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("sparsearray"), ObjectIdGetDatum(schema));
}

Kind kind_of(Oid type, Oid sparse) {
    const Oid base = getBaseType(type);
    if (base == sparse) return Kind::sparse;
    switch (base) {
        case BOOLOID: return Kind::boolean;
        case INT2OID:
        case INT4OID:
        case INT8OID:
        case FLOAT4OID:
        case FLOAT8OID:
        case NUMERICOID: return Kind::number;
        default: return Kind::other;
    }
}

Column find_column(TupleDesc row, const char* name, Oid sparse) {
    Column column{name, Kind::missing, InvalidOid};
    for (int i = 0; i < row->natts; ++i) {
        const Form_pg_attribute attribute = TupleDescAttr(row, i);
        if (strcmp(NameStr(attribute->attname), name) != 0) continue;
        if (column.kind != Kind::missing)
            ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN), errmsg("the query has two columns \"%s\"", name),
                            errhint("Name one of them otherwise, or leave it out.")));
        column = {name, kind_of(attribute->atttypid, sparse), attribute->atttypid};
    }
    return column;
}

void require_column(TupleDesc row, const Column& column) {
    if (column.kind != Kind::missing) return;
    StringInfoData names;
    initStringInfo(&names);
    for (int i = 0; i < row->natts; ++i)
        appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", NameStr(TupleDescAttr(row, i)->attname));
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("the query has no column \"%s\"", column.name),
                    row->natts > 0 ? errdetail("Its columns are: %s.", names.data) : 0,
                    errhint("It needs features and label, and may have weight. Name them with AS.")));
}

[[noreturn]] void reject_type(const Column& column, const char* hint) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("column \"%s\" of the query is of type %s", column.name, format_type_be(column.type)),
                    errhint("%s", hint)));
    pg_unreachable();
}

void check_columns(TupleDesc row, const Column& features, const Column& label, const Column& weight) {
    require_column(row, features);
    require_column(row, label);
    if (features.kind != Kind::sparse)
        reject_type(features, "Make it a sparsearray, for example with sparsearray(...) or sparselin_features(...).");
    if (label.kind != Kind::boolean && label.kind != Kind::number)
        reject_type(label, "Give a number, or a condition such as kind = 'spam' AS label.");
    if (weight.kind != Kind::missing && weight.kind != Kind::number) reject_type(weight, "Give a number.");
}

Datum result_row(FunctionCallInfo fcinfo, Datum* values, bool* nulls) {
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "a composite result was expected");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

}  // namespace

}  // namespace sparselin

using namespace sparselin;

// (query, search_path) -> its text as it can be put in parentheses, the type that its label is trained as, whether it
// has weights, and whether it refers to $1.
SPARSELIN_FUNCTION(sparselin_check_query) {
    const char* const query = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const Restriction before = restrict_to(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    const MemoryContext caller = CurrentMemoryContext;
    SPI_connect();
    Parameters parameters;
    const CachedPlanSource* const source = only_select(query, &parameters);
    const TupleDesc row = source->resultDesc;
    const Oid sparse = sparsearray_type(fcinfo);
    const Column features = find_column(row, "features", sparse), label = find_column(row, "label", sparse),
                 weight = find_column(row, "weight", sparse);
    check_columns(row, features, label, weight);
    const MemoryContext inside = MemoryContextSwitchTo(caller);
    Datum values[] = {PointerGetDatum(body_of(query, source)),
                      CStringGetTextDatum(label.kind == Kind::boolean ? "boolean" : "double precision"),
                      BoolGetDatum(weight.kind != Kind::missing), BoolGetDatum(parameters.used)};
    MemoryContextSwitchTo(inside);
    SPI_finish();
    lift(before);
    bool nulls[std::size(values)] = {};
    return result_row(fcinfo, values, nulls);
}

// (statement, search_path, ...): runs a statement that gives one row, of the columns that this function is declared to
// return; the other arguments are its parameters.
SPARSELIN_FUNCTION(sparselin_run_query) {
    constexpr int own = 2, most = 8;
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the statement or its search_path is NULL")));
    const char* const statement = text_to_cstring(PG_GETARG_TEXT_PP(0));
    Oid* types = nullptr;
    int count = 0;
    get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
    if (count < own || count > own + most) elog(ERROR, "sparselin_run_query() is declared with %d arguments", count);
    Datum values[most];
    char nulls[most];
    for (int i = own; i < count; ++i) {
        values[i - own] = PG_GETARG_DATUM(i);
        nulls[i - own] = PG_ARGISNULL(i) ? 'n' : ' ';
    }
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "a composite result was expected");
    descriptor = BlessTupleDesc(descriptor);
    const Restriction before = restrict_to(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    SPI_connect();
    if (SPI_execute_with_args(statement, count - own, types + own, values, nulls, false, 0) != SPI_OK_SELECT ||
        SPI_processed != 1)
        elog(ERROR, "the statement around a query gave no row");
    const TupleDesc given = SPI_tuptable->tupdesc;
    bool fits = given->natts == descriptor->natts;
    for (int i = 0; fits && i < given->natts; ++i)
        fits = TupleDescAttr(given, i)->atttypid == TupleDescAttr(descriptor, i)->atttypid;
    if (!fits) elog(ERROR, "the statement around a query gave other columns than expected");
    HeapTupleHeader const row = SPI_returntuple(SPI_tuptable->vals[0], descriptor);
    SPI_finish();
    lift(before);
    PG_RETURN_HEAPTUPLEHEADER(row);
}

// Whether a row is kept back from training.
SPARSELIN_FUNCTION(sparselin_held_out) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    const double share = PG_GETARG_FLOAT8(1);
    if (!(share >= 0 && share <= 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%g is no share of the rows", share),
                        errhint("Give a number from 0 to 1.")));
    PG_RETURN_BOOL(is_held_out(row, share));
}
