// The type sparselin_options: a varlena whose bytes are the canonical text, and nothing else. So it does not
// depend on versions or byte order, and equal options are equal bytes.
#include "learn/options/options.h"
#include "types/sparsearray.h"
#include "wall/result_rows.h"
#include "types/ordering.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "utils/lsyscache.h"
}

using namespace sparselin;

// Inside the wall.
static varlena* canonical(std::string_view text) {
    ContextMemory memory(CurrentMemoryContext);
    return make_varlena(print_options(parse_options(text, &memory, server_stop()), &memory, server_stop()), memory);
}

namespace {

// One argument of sparselin_options(), as its option's type says.
struct Argument {
    bool given;
    double number;
    std::string_view text;
    SparseRow row;
};

// As its type writes it.
std::string_view array_text(Datum array) {
    Oid output;
    bool is_varlena;
    getTypeOutputInfo(TEXTARRAYOID, &output, &is_varlena);
    return OidOutputFunctionCall(output, array);
}

Argument fetch_argument(const OptionSpec& spec, Datum datum) {
    Argument argument{};
    argument.given = true;
    switch (spec.type) {
        case OptionType::number:
        case OptionType::whole_number: argument.number = DatumGetFloat8(datum); break;
        case OptionType::boolean: argument.number = DatumGetBool(datum) ? 1 : 0; break;
        case OptionType::choice: argument.text = text_view(DatumGetTextPP(datum)); break;
        case OptionType::sparse: argument.row = fetch_sparsearray(datum)->row(); break;
        case OptionType::names: argument.text = array_text(datum); break;
    }
    return argument;
}

void apply_argument(Options& options, const OptionSpec& spec, const Argument& argument) {
    switch (spec.type) {
        case OptionType::number:
        case OptionType::whole_number:
        case OptionType::boolean: return set_option(options, spec, argument.number);
        case OptionType::choice:
        case OptionType::names: return set_option(options, spec, argument.text, server_stop());
        case OptionType::sparse: return options.set_center(argument.row, server_stop());
    }
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_options_in) {
    const char* const text = PG_GETARG_CSTRING(0);
    PG_RETURN_POINTER(guarded_input(fcinfo, [text] { return canonical(text); }));
}

SPARSELIN_RETURNS(sparselin_options_out, CStringGetDatum(text_to_cstring(PG_GETARG_TEXT_PP(0))))

SPARSELIN_FUNCTION(sparselin_options_recv) {
    const StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    int size = 0;
    const char* const text = pq_getmsgtext(message, message->len - message->cursor, &size);
    PG_RETURN_POINTER(guarded([=] { return canonical({text, static_cast<size_t>(size)}); }));
}

SPARSELIN_FUNCTION(sparselin_options_send) {
    const std::string_view options = text_view(PG_GETARG_TEXT_PP(0));
    StringInfoData message;
    pq_begintypsend(&message);
    pq_sendtext(&message, options.data(), static_cast<int>(options.size()));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

// The arguments come in the table's order.
SPARSELIN_FUNCTION(sparselin_options) {
    constexpr size_t most = 64;
    Argument arguments[most] = {};
    const auto table = option_table();
    if (table.size() > most || static_cast<size_t>(PG_NARGS()) != table.size())
        elog(ERROR, "sparselin_options() is declared with %d arguments, but there are %zu options", PG_NARGS(),
             table.size());
    for (size_t i = 0; i < table.size(); ++i)
        if (!PG_ARGISNULL(i)) arguments[i] = fetch_argument(table[i], PG_GETARG_DATUM(i));
    PG_RETURN_POINTER(guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        Options options(&memory);
        for (size_t i = 0; i < table.size(); ++i)
            if (arguments[i].given) apply_argument(options, table[i], arguments[i]);
        return make_varlena(print_options(options, &memory, server_stop()), memory);
    }));
}

static Datum learner_names(const OptionSpec& spec) {
    Datum names[std::size(every_learner)];
    int count = 0;
    for (const LearnerKind learner : every_learner)
        if (spec.is_taken_by(learner)) names[count++] = CStringGetTextDatum(name_of(learner));
    return PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

SPARSELIN_FUNCTION(sparselin_option_table) {
    if (SRF_IS_FIRSTCALL()) begin_row_a_call(fcinfo, [] { return nullptr; });
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= option_table().size()) SRF_RETURN_DONE(call);
    const OptionSpec& spec = option_table()[call->call_cntr];
    Datum values[] = {CStringGetTextDatum(spec.name),
                      CStringGetTextDatum(name_of(spec.type)),
                      CStringGetTextDatum(default_text(spec).c_str()),
                      CStringGetTextDatum(range_text(spec).c_str()),
                      learner_names(spec),
                      CStringGetTextDatum(spec.meaning)};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values));
}

// The order and the hash, for DISTINCT, GROUP BY, ORDER BY, joins and indexes: equal values are equal bytes.
namespace {

// Bytes as memcmp orders them; of two that agree as far as the shorter goes, the shorter comes first.
int compare_options(FunctionCallInfo fcinfo) {
    text* const a = PG_GETARG_TEXT_PP(0);
    text* const b = PG_GETARG_TEXT_PP(1);
    const int result = text_view(a).compare(text_view(b));
    PG_FREE_IF_COPY(a, 0);
    PG_FREE_IF_COPY(b, 1);
    return result < 0 ? -1 : result > 0;
}

uint64 hash_options(FunctionCallInfo fcinfo, uint64 seed) {
    varlena* const value = PG_GETARG_VARLENA_PP(0);
    const Datum result = hash_any_extended(reinterpret_cast<unsigned char*>(VARDATA_ANY(value)),
                                           static_cast<int>(VARSIZE_ANY_EXHDR(value)), seed);
    PG_FREE_IF_COPY(value, 0);
    return DatumGetUInt64(result);
}

}  // namespace

SPARSELIN_ORDERING(sparselin_options, compare_options, hash_options)
