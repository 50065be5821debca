// Queries that give rows to train on: looked at before they run, and run where they can do least.
//
// A stored query is code. It runs with the rights of the current user, as a security-restricted operation: it cannot
// change the role, nor leave behind what would run later, so that a superuser may SET ROLE to the owner of a model and
// have its query run. Settings it changes are taken back. The search_path is the one given, for the query and for the
// statement around it.
#include "learn/rows/holdout.h"
#include "learn/base/words.h"
#include "types/sparsearray.h"
#include "wall/aggregate.h"
#include "wall/error_context.h"
#include "wall/result_rows.h"
#include "registry/registry.h"

extern "C" {
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_node.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
}

using namespace sparselin;

namespace {

struct Restriction {
    Oid user;
    int context, level;
};

// For queries by SPI. After an error the end of the transaction, or of the subtransaction, takes the restriction back.
Restriction connect_restricted(const char* search_path) {
    Restriction before{};
    GetUserIdAndSecContext(&before.user, &before.context);
    before.level = NewGUCNestLevel();
    set_config_option("search_path", search_path, superuser() ? PGC_SUSET : PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                      true, 0, false);
    SetUserIdAndSecContext(before.user, before.context | SECURITY_RESTRICTED_OPERATION);
    SPI_connect();
    return before;
}

void finish_restricted(const Restriction& before) {
    SPI_finish();
    AtEOXact_GUC(false, before.level);
    SetUserIdAndSecContext(before.user, before.context);
}

// The parameters that a query may refer to: $1, a time.
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
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what), errhint("%s", hint));
}

constexpr char give_a_query[] = "Give one SELECT with columns features and label.";

// A name, perhaps with a schema, as somebody writes it who expects a table to be asked for; as it is, without blanks.
const char* single_name(const char* text) {
    constexpr char around[] = " \t\r\n;";
    constexpr size_t longest = 4 * NAMEDATALEN;
    text += strspn(text, around);
    const size_t size = strcspn(text, around);
    if (size == 0 || size > longest || text[size + strspn(text + size, around)] != '\0') return nullptr;
    for (size_t i = 0; i < size; ++i)
        if (!IS_HIGHBIT_SET(text[i]) && !isalnum(static_cast<unsigned char>(text[i])) &&
            strchr("_.$\"", text[i]) == nullptr)
            return nullptr;
    return pnstrdup(text, size);
}

// A hint for a text that is no SQL at all.
void explain_syntax_error(ErrorData* error, const char* query) {
    const bool in_query = error->internalquery != nullptr && strcmp(error->internalquery, query) == 0;
    if (error->sqlerrcode != ERRCODE_SYNTAX_ERROR || !in_query || error->hint != nullptr) return;
    error->hint = pstrdup(give_a_query);
    const char* const name = single_name(query);
    if (name == nullptr) return;
    error->message = psprintf("a query is needed, and not \"%s\"", name);
    error->hint = psprintf("Give one SELECT with columns features and label, such as SELECT * FROM %s.", name);
    error->internalquery = nullptr;
    error->internalpos = 0;
}

// The one SELECT that a text has to be.
CachedPlanSource* only_select(const char* query, Parameters* parameters) {
    const char* const hint = give_a_query;
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

struct Column {
    const char* name;
    Oid type;  // InvalidOid: the query has none

    bool missing() const { return !OidIsValid(type); }
};

// Whether somebody has made a cast, which is not one by way of text.
bool is_cast(Oid type, Oid target, CoercionContext context) {
    Oid function = InvalidOid;
    const CoercionPathType path = find_coercion_pathway(target, type, context, &function);
    return path == COERCION_PATH_FUNC || path == COERCION_PATH_RELABELTYPE;
}

bool is_number(Oid type) {
    return is_cast(type, FLOAT8OID, COERCION_ASSIGNMENT);
}

// Whether its values can be the names of classes: texts of all kinds, and what is written in one way only but for
// dates.
bool is_name(Oid type) {
    const Oid base = getBaseType(type);
    return TypeCategory(base) == TYPCATEGORY_STRING || base == CHAROID || base == DATEOID || base == UUIDOID ||
           type_is_enum(base);
}

// What a label is trained as, or nullptr. How a date is written follows a setting, and is not left to it.
const char* label_type(Oid type) {
    if (is_number(type)) return "double precision";
    if (is_cast(type, BOOLOID, COERCION_ASSIGNMENT)) return "boolean";
    if (!is_name(type)) return nullptr;
    return getBaseType(type) == DATEOID ? "date" : "text";
}

Column find_column(TupleDesc row, const char* name) {
    Column column{name, InvalidOid};
    for (int i = 0; i < row->natts; ++i) {
        const Form_pg_attribute attribute = TupleDescAttr(row, i);
        if (strcmp(NameStr(attribute->attname), name) != 0) continue;
        if (!column.missing())
            ereport(ERROR, errcode(ERRCODE_DUPLICATE_COLUMN), errmsg("the query has two columns \"%s\"", name),
                    errhint("Name one of them otherwise, or leave it out."));
        column.type = attribute->atttypid;
    }
    return column;
}

// What a query may have, those that it must have first.
struct Columns {
    Column features, label, weight, key, held_out;
};

// Names that others have for such columns. One that is ignored would be missed by nobody.
constexpr struct {
    const char *name, *instead;
} usual_names[] = {{"is_train", "NOT is_train AS held_out"},
                   {"is_training", "NOT is_training AS held_out"},
                   {"is_test", "is_test AS held_out"},
                   {"is_testing", "is_testing AS held_out"},
                   {"is_holdout", "is_holdout AS held_out"},
                   {"is_held_out", "is_held_out AS held_out"},
                   {"is_validation", "is_validation AS held_out"},
                   {"holdout", "holdout AS held_out"},
                   {"sample_weight", "sample_weight AS weight"}};

void refuse_usual_name(const char* given) {
    for (const auto& usual : usual_names)
        if (strcmp(given, usual.name) == 0)
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                    errmsg("column \"%s\" of the query would be ignored", given),
                    errhint("Perhaps %s is meant. Else leave it out, or name it otherwise.", usual.instead));
}

// A column that is ignored because its name is misspelt would be missed by nobody, either.
void refuse_misspelt(TupleDesc row) {
    static constexpr const char* columns[] = {"features", "label", "weight", "key", "held_out"};
    for (int i = 0; i < row->natts; ++i) {
        const char* const given = NameStr(TupleDescAttr(row, i)->attname);
        for (const char* const name : columns)
            if (strcmp(given, name) != 0 && is_slip(given, name))
                ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("column \"%s\" of the query is not \"%s\", but nearly", given, name),
                        errhint("Name it %s if that is what it is. Else leave it out, or name it otherwise.", name));
        refuse_usual_name(given);
    }
}

void require_column(TupleDesc row, const Column& column) {
    if (!column.missing()) return;
    StringInfoData names;
    initStringInfo(&names);
    for (int i = 0; i < row->natts; ++i)
        appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", NameStr(TupleDescAttr(row, i)->attname));
    ereport(
        ERROR, errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("the query has no column \"%s\"", column.name),
        row->natts > 0 ? errdetail("Its columns are: %s.", names.data) : 0,
        strcmp(column.name, "features") == 0
            ? errhint("Write sparselin_features(t, exclude => '{...}') AS features, of a row of a table t without its "
                      "label and its id. A query needs features and label, and may have weight, key and held_out.")
            : errhint("It needs features and label, and may have weight, key and held_out. Name them with AS."));
}

[[noreturn]] void reject_type(const Column& column, const char* hint) {
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
            errmsg("column \"%s\" of the query is of type %s", column.name, format_type_be(column.type)),
            errhint("%s", hint));
}

bool is_boolean(Oid type) {
    return is_cast(type, BOOLOID, COERCION_ASSIGNMENT);
}

void check_columns(const Columns& columns, Oid sparse) {
    const auto& [features, label, weight, key, held_out] = columns;
    if (!is_cast(features.type, sparse, COERCION_EXPLICIT))
        reject_type(features, "Make it a sparsearray, for example with sparsearray(...) or sparselin_features(...).");
    if (!label.missing() && label_type(label.type) == nullptr)
        reject_type(label, "Give a number, a condition such as kind = 'spam' AS label, or a text that names a class.");
    if (!weight.missing() && !is_number(weight.type)) reject_type(weight, "Give a number.");
    if (!held_out.missing() && !is_boolean(held_out.type))
        reject_type(held_out, "Give a condition, such as seen > '2026-01-01' AS held_out.");
}

// What a key is told apart by: its text. Of most types that people have for keys, settings of the session have no say
// in how jsonb writes it; of the others they are set for every row, which takes longer.
const char* key_form(const Column& key) {
    if (key.missing()) return "none";
    const Oid type = getBaseType(key.type);
    switch (type) {
        case TIMESTAMPTZOID: return "timestamptz";
        case BOOLOID:
        case INT2OID:
        case INT4OID:
        case INT8OID:
        case NUMERICOID:
        case OIDOID:
        case UUIDOID:
        case DATEOID:
        case TIMEOID:
        case TIMESTAMPOID:
        case JSONBOID: return "plain";
        default: return TypeCategory(type) == TYPCATEGORY_STRING ? "text" : "other";
    }
}

}  // namespace

// (query, search_path, whether it needs a label) -> its text as it can be put in parentheses, the type that its label
// is trained as, NULL without one; whether it has weights, how to write its key, whether it says what is held out, and
// whether it refers to $1.
SPARSELIN_FUNCTION(sparselin_check_query) {
    const char* const query = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const MemoryContext caller = CurrentMemoryContext;
    const Restriction before = connect_restricted(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    Parameters parameters;
    CachedPlanSource* source = nullptr;
    run_query_apart([&] { source = only_select(query, &parameters); },
                    [=](ErrorData* error) { explain_syntax_error(error, query); });
    const TupleDesc row = source->resultDesc;
    refuse_misspelt(row);
    const Columns columns{find_column(row, "features"), find_column(row, "label"), find_column(row, "weight"),
                          find_column(row, "key"), find_column(row, "held_out")};
    require_column(row, columns.features);
    if (PG_GETARG_BOOL(2)) require_column(row, columns.label);
    check_columns(columns, type_in(registry_schema(fcinfo), "sparsearray"));
    text* const body = in_context(caller, [=] { return body_of(query, source); });
    finish_restricted(before);
    const bool labelled = !columns.label.missing();
    Datum values[] = {PointerGetDatum(body),
                      labelled ? CStringGetTextDatum(label_type(columns.label.type)) : Datum{0},
                      BoolGetDatum(!columns.weight.missing()),
                      CStringGetTextDatum(key_form(columns.key)),
                      BoolGetDatum(!columns.held_out.missing()),
                      BoolGetDatum(parameters.used)};
    return row_of(result_type(fcinfo), values, {false, !labelled, false, false, false, false});
}

// (statement, search_path, ...): runs a statement that gives one row, of the columns that this function is declared to
// return; the other arguments are its parameters.
SPARSELIN_FUNCTION(sparselin_run_query) {
    constexpr int own = 2, most = 10;
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the statement or its search_path is NULL"));
    const char* const statement = text_to_cstring(PG_GETARG_TEXT_PP(0));
    Oid* types = nullptr;
    int count = 0;
    get_func_signature(call_place(fcinfo)->fn_oid, &types, &count);
    if (count < own || count > own + most) elog(ERROR, "sparselin_run_query() is declared with %d arguments", count);
    Datum values[most];
    char nulls[most];
    for (int i = own; i < count; ++i) {
        values[i - own] = PG_GETARG_DATUM(i);
        nulls[i - own] = PG_ARGISNULL(i) ? 'n' : ' ';
    }
    const TupleDesc descriptor = result_type(fcinfo);
    const Restriction before = connect_restricted(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    int done = 0;
    run_query_apart([&] { done = SPI_execute_with_args(statement, count - own, types + own, values, nulls, false, 0); },
                    [=](ErrorData* error) { leave_out_statement(error, statement); });
    if (done != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "the statement around a query gave no row");
    const TupleDesc given = SPI_tuptable->tupdesc;
    bool fits = given->natts == descriptor->natts;
    for (int i = 0; fits && i < given->natts; ++i)
        fits = TupleDescAttr(given, i)->atttypid == TupleDescAttr(descriptor, i)->atttypid;
    if (!fits) elog(ERROR, "the statement around a query gave other columns than expected");
    HeapTupleHeader const row = SPI_returntuple(SPI_tuptable->vals[0], descriptor);
    finish_restricted(before);
    PG_RETURN_HEAPTUPLEHEADER(row);
}

static void check_share(double share) {
    if (share >= 0 && share <= 1) return;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%g is no share of the rows", share),
            errhint("Give a number from 0 to 1."));
}

// Whether a row is kept back from training.
SPARSELIN_FUNCTION(sparselin_held_out) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    const double share = PG_GETARG_FLOAT8(1);
    check_share(share);
    PG_RETURN_BOOL(guarded([&] { return is_held_out(row, share, server_stop()); }));
}

// The same for all rows of a key.
static Datum is_key_held_out(FunctionCallInfo fcinfo, Deal deal) {
    const std::string_view key = text_view(PG_GETARG_TEXT_PP(0));
    const double share = PG_GETARG_FLOAT8(1);
    check_share(share);
    PG_RETURN_BOOL(guarded([&] { return is_held_out(key, share, server_stop(), deal); }));
}
SPARSELIN_RETURNS(sparselin_held_out_by_key, is_key_held_out(fcinfo, Deal::measured))
SPARSELIN_RETURNS(sparselin_search_held_out_by_key, is_key_held_out(fcinfo, Deal::searched))

// By which a row is known again, whatever its dimension.
SPARSELIN_FUNCTION(sparselin_row_hash) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    PG_RETURN_INT64(static_cast<int64>(guarded([&] { return hash_of(row, server_stop()).high; })));
}
