// The aggregate sparselin_fit_rows: the training of kept models (registry/), which says more than those that users
// call.
//
// The learner is an argument; so is, for each row, whether a search judges by it. A search is made where nobody has
// said how strongly to regularise, as long as the rows are kept anyway; and where one has been made, over other rows,
// what it has chosen is taken over. Beside the model comes the strength that was chosen, in the search's own terms, so
// that it can be: z, where the option is z/rows. Never in parallel: the rows come out of a WITH query.
#include "types/model_type.h"
#include "train/train_state.h"
#include "wall/result_rows.h"

using namespace sparselin;

namespace {

enum {
    state_argument,
    learner_argument,
    features_argument,
    label_argument,
    options_argument,
    weight_argument,
    judges_argument,
    searched_argument,
    strength_argument
};

LearnerKind learner_given(FunctionCallInfo fcinfo) {
    const std::string_view name = text_view(PG_GETARG_TEXT_PP(learner_argument));
    return guarded([=] {
        for (const LearnerTraits& traits : learner_table)
            if (name == name_of(traits.learner)) return traits.learner;
        throw Error(Fault::bad_value, "there is no such learner");
    });
}

bool leaves_strength_open(const Request& request) {
    const auto is_open = [&](double Options::*field) { return request.origins.of(field) == Origin::automatic; };
    const bool has_strength = request.settings.method != Method::round;
    return !request.streams && has_strength && is_open(&Options::search) &&
           is_open(strength_of(request.settings.learner).asked);
}

// The options, with a search where they leave it to us; in the current context.
std::string_view options_with_search(const Training::Kind& kind, bool& added) {
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    return guarded([&]() -> std::string_view {
        const Request request(kind, memory, server_stop());
        added = leaves_strength_open(request);
        if (!added) return kind.options;
        Options options = parse_options(kind.options, memory, server_stop());
        options.search = 1;
        return *keep(print_options(options, memory, server_stop()), *memory);
    });
}

// What was tried comes as values of the option, in the model; the strength says in what terms.
void take_over(FunctionCallInfo fcinfo, TrainState* state) {
    if (PG_ARGISNULL(searched_argument)) return;
    const double strength = PG_ARGISNULL(strength_argument) ? automatic : PG_GETARG_FLOAT8(strength_argument);
    const MemoryContext scratch = new_model_context();
    const Model* const model = fetch_model(PG_GETARG_DATUM(searched_argument), scratch);
    guarded([&] {
        ContextMemory memory(scratch);
        const double in_use = strength_of(*model, &memory, server_stop());
        Vector<Tried> tried(&memory);
        for (const Tried& its : model->search) tried.push_back({its.strength / in_use * strength, its.loss});
        state->training.take_over(strength, tried);
    });
    MemoryContextDelete(scratch);
    state->is_second = true;
}

TrainState* start(FunctionCallInfo fcinfo, LabelKind labels) {
    std::string_view options;
    if (!PG_ARGISNULL(options_argument)) options = text_view(PG_GETARG_TEXT_PP(options_argument));
    Training::Kind kind{learner_given(fcinfo), options, labels};
    bool added = false;
    kind.options = options_with_search(kind, added);
    TrainState* const state = start_training(aggregate_context(fcinfo), kind);
    state->search_is_ours = added;
    take_over(fcinfo, state);
    return state;
}

Datum step(FunctionCallInfo fcinfo, LabelKind labels) {
    auto* state = state_of_call<TrainState>(fcinfo);
    if (state == nullptr) state = start(fcinfo, labels);
    std::optional<bool> judges;
    if (!PG_ARGISNULL(judges_argument)) judges = PG_GETARG_BOOL(judges_argument);
    train_on(fcinfo, state, {features_argument, label_argument, weight_argument, labels}, judges);
    PG_RETURN_POINTER(state);
}

}  // namespace

SPARSELIN_RETURNS(sparselin_fit_rows_step, step(fcinfo, LabelKind::number))
SPARSELIN_RETURNS(sparselin_fit_rows_step_boolean, step(fcinfo, LabelKind::boolean))
SPARSELIN_RETURNS(sparselin_fit_rows_step_text, step(fcinfo, LabelKind::text))

// (model, strength), both NULL where there was no row to learn from, and the strength where none was searched for.
SPARSELIN_FUNCTION(sparselin_fit_rows_final) {
    auto* const state = state_of_call<TrainState>(fcinfo);
    const bool learned = state != nullptr && has_learned(fcinfo, state);
    const Search* const search = learned ? state->training.search() : nullptr;
    const double strength = search != nullptr ? search->chosen() : automatic;
    Datum values[] = {learned ? model_of(state, false) : Datum{0}, Float8GetDatum(strength)};
    PG_RETURN_DATUM(row_of(result_type(fcinfo), values, {!learned, is_automatic(strength)}));
}
