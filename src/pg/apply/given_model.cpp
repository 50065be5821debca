#include "apply/given_model.h"

#include "learn/base/words.h"
#include "wall/aggregate.h"
#include "registry/registry.h"

extern "C" {
#include "access/xact.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
}

namespace sparselin {

namespace {

// What decides on the rows that a query sees. With the same end, the transactions that a snapshot takes for running
// only become fewer: the same number is the same set.
struct View {
    Oid user;
    TransactionId xmin, xmax;
    uint32 running;
    int32 running_subtransactions;
    CommandId command;
    SubTransactionId subtransaction;

    bool operator==(const View&) const = default;
};

View current_view() {
    const Snapshot snapshot = GetActiveSnapshot();
    return {GetUserId(),
            snapshot->xmin,
            snapshot->xmax,
            snapshot->xcnt,
            snapshot->subxcnt,
            snapshot->curcid,
            GetCurrentSubTransactionId()};
}

struct Found {
    text* name;
    Datum model;  // as stored: mostly a toast pointer
};

// One for each place in a query that names models.
struct NamedModels {
    static constexpr int most = 16;

    HeldModels* models;
    MemoryContext context;  // of `found`
    View view;
    int count;
    Found found[most];
};

const Predictor* ready_predictor(HeldModels* models, Datum model) {
    return &ready_model(models, key_of(model), model)->predictor;
}

NamedModels* models_of(void** place, MemoryContext lasting) {
    if (*place == nullptr) {
        auto* const models = zeroed<NamedModels>(lasting);
        models->models = hold_models(lasting);
        models->context = AllocSetContextCreate(lasting, "sparselin names", ALLOCSET_SMALL_SIZES);
        *place = models;
    }
    return static_cast<NamedModels*>(*place);
}

// The tables are where the function is: the extension cannot be moved to another schema.
char* schema_of(FunctionCallInfo fcinfo) {
    const Oid number = registry_schema(fcinfo);
    refuse_superuser(number, AccessShareLock);
    char* const schema = get_namespace_name(number);
    if (schema == nullptr) elog(ERROR, "the schema of function %u is gone", call_place(fcinfo)->fn_oid);
    return schema;
}

// Prepared once per session.
SPIPlanPtr lookup_plan(const char* schema) {
    static SPIPlanPtr plan = nullptr;
    static char plan_schema[NAMEDATALEN];
    if (plan != nullptr && strcmp(schema, plan_schema) == 0) return plan;
    const char* const quoted = quote_identifier(schema);
    const char* const statement = psprintf(
        "SELECT v.model FROM %s.sparselin_models AS m JOIN %s.sparselin_model_values AS v "
        "ON v.name OPERATOR(pg_catalog.=) m.name AND v.version OPERATOR(pg_catalog.=) m.version "
        "WHERE m.name OPERATOR(pg_catalog.=) $1 AND m.active",
        quoted, quoted);
    Oid types[] = {TEXTOID};
    const SPIPlanPtr made = SPI_prepare(statement, 1, types);
    if (made == nullptr || SPI_keepplan(made) != 0)
        elog(ERROR, "could not prepare the lookup of a model: %s", SPI_result_code_string(SPI_result));
    if (plan != nullptr) SPI_freeplan(plan);
    plan = made;
    strlcpy(plan_schema, schema, sizeof plan_schema);
    return plan;
}

// In the current context. NULL when there is no such model, or none that the user may see.
Datum look_up(FunctionCallInfo fcinfo, text* name) {
    const MemoryContext caller = CurrentMemoryContext;
    Datum model = 0;
    require_rights(registry_schema(fcinfo));
    SPI_connect();
    Datum arguments[] = {PointerGetDatum(name)};
    if (SPI_execute_plan(lookup_plan(schema_of(fcinfo)), arguments, nullptr, true, 2) != SPI_OK_SELECT)
        elog(ERROR, "could not look up a model");
    if (SPI_processed > 0) {
        bool is_null = false;
        const Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
        model = in_context(caller, [=] { return datumCopy(value, false, -1); });
    }
    SPI_finish();
    return model;
}

// Why nothing was found. Offers names that the user may see, and no others.
[[noreturn]] void report_missing(FunctionCallInfo fcinfo, char* name) {
    constexpr int enough = 4 * 63;  // bytes: names are no longer
    name[pg_mbcliplen(name, static_cast<int>(strlen(name)), enough)] = '\0';
    char* const schema = schema_of(fcinfo);
    SPI_connect();
    const char* const statement = psprintf("SELECT name FROM %s.sparselin_registry", quote_identifier(schema));
    if (SPI_execute(statement, true, 0) != SPI_OK_SELECT) elog(ERROR, "could not list the models");
    NearestName nearest(name);
    for (uint64 i = 0; i < SPI_processed; ++i) {
        const char* const other = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
        if (strcmp(other, name) == 0)
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("model \"%s\" has no active version", name),
                    errhint("Activate one with sparselin_activate(name, version)."));
        nearest.offer(other);
    }
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no model \"%s\" that you may use", name),
            name[0] == '{' ? errhint("A model that is written out needs a cast: ::sparselin_model.")
            : nearest.found() != nullptr
                ? errhint("Perhaps you meant \"%s\".", nearest.found())
                : errhint("The table sparselin_models lists those that you may use. The owner of "
                          "another one lets you with sparselin_grant(name, role)."));
}

void forget(NamedModels* models) {
    MemoryContextReset(models->context);
    models->count = 0;
}

// Where there are more names than places, those before are looked up again when they come again.
Datum look_up_once(FunctionCallInfo fcinfo, NamedModels* models, text* name) {
    for (int i = 0; i < models->count; ++i)
        if (text_view(models->found[i].name) == text_view(name)) return models->found[i].model;
    if (models->count == NamedModels::most) forget(models);
    const Found found = in_context(models->context, [=] {
        const Datum model = named_model(fcinfo, name);
        return Found{DatumGetTextPP(datumCopy(PointerGetDatum(name), false, -1)), model};
    });
    models->found[models->count++] = found;
    return found.model;
}

const Predictor* named_predictor(FunctionCallInfo fcinfo, void** place, MemoryContext lasting) {
    NamedModels* const models = models_of(place, lasting);
    const View view = current_view();
    if (!(models->view == view)) {
        forget(models);
        models->view = view;
    }
    return ready_predictor(models->models, look_up_once(fcinfo, models, PG_GETARG_TEXT_PP(0)));
}

}  // namespace

// A worker has tables of models of its own, in which the name may be that of another model.
static void refuse_on_worker(text* name) {
    if (!on_citus_worker()) return;
    ereport(
        ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
        errmsg("model \"%s\" cannot be looked up on a worker of Citus", text_to_cstring(name)),
        errhint(
            "Models are kept on the coordinator. Join a reference table that has the model, or give it as a value."));
}

Datum named_model(FunctionCallInfo fcinfo, text* name) {
    refuse_on_worker(name);
    const Datum model = look_up(fcinfo, name);
    if (DatumGetPointer(model) == nullptr) report_missing(fcinfo, text_to_cstring(name));
    return model;
}

Datum model_of_call(FunctionCallInfo fcinfo, ModelGiven given) {
    if (given == ModelGiven::itself) return PG_GETARG_DATUM(0);
    return named_model(fcinfo, PG_GETARG_TEXT_PP(0));
}

const Predictor* predictor_of_call(FunctionCallInfo fcinfo, ModelGiven given, void** place, MemoryContext lasting) {
    if (given == ModelGiven::by_name) return named_predictor(fcinfo, place, lasting);
    if (*place == nullptr) *place = hold_models(lasting);
    return ready_predictor(static_cast<HeldModels*>(*place), PG_GETARG_DATUM(0));
}

const Predictor* predictor_of_call(FunctionCallInfo fcinfo, ModelGiven given) {
    FmgrInfo* const function = call_place(fcinfo);
    return predictor_of_call(fcinfo, given, &function->fn_extra, function->fn_mcxt);
}

// The error for a name that does not exist, for functions in PL/pgSQL.
SPARSELIN_FUNCTION(sparselin_missing_model) {
    report_missing(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

}  // namespace sparselin
