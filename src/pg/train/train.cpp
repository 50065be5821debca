// The training aggregates: NAME_train for each learner.
#include "train/train_state.h"

extern "C" {
#include "nodes/primnodes.h"
}

using namespace sparselin;

namespace {

// Arguments of the transition functions: the state, then those of the aggregate.
enum { state_argument, features_argument, label_argument, options_argument, weight_argument };

std::string_view options_given(FunctionCallInfo fcinfo) {
    if (PG_NARGS() <= options_argument || PG_ARGISNULL(options_argument)) return {};
    return text_view(PG_GETARG_TEXT_PP(options_argument));
}

// Whether the query itself says that the options are the same for every row. Where another aggregate calls us for each
// of its rows, as some engines do, the query's arguments are that one's, and more or fewer.
bool options_are_constant(FunctionCallInfo fcinfo) {
    const Aggref* aggregate = AggGetAggref(fcinfo);
    if (aggregate == nullptr || list_length(aggregate->args) != PG_NARGS() - 1) return false;
    auto* target = static_cast<TargetEntry*>(list_nth(aggregate->args, options_argument - 1));
    return IsA(target, TargetEntry) && IsA(target->expr, Const);
}

TrainState* start(FunctionCallInfo fcinfo, LearnerKind learner, LabelKind labels) {
    TrainState* state = start_training(aggregate_context(fcinfo), {learner, options_given(fcinfo), labels});
    state->options_fixed = PG_NARGS() <= options_argument || options_are_constant(fcinfo);
    return state;
}

void check_same_options(FunctionCallInfo fcinfo, const TrainState* state) {
    if (state->options_fixed || options_given(fcinfo) == state->training.options()) return;
    refuse_change(state->training.rows_seen(), "the options are not those",
                  "Options are the same for all rows of a group; add what they depend on to GROUP BY.");
}

Datum step(FunctionCallInfo fcinfo, LearnerKind learner, LabelKind labels) {
    auto* state = state_of_call<TrainState>(fcinfo);
    if (state == nullptr) {
        state = start(fcinfo, learner, labels);
    } else {
        check_same_options(fcinfo, state);
    }
    train_on(fcinfo, state, {features_argument, label_argument, weight_argument, labels});
    PG_RETURN_POINTER(state);
}

}  // namespace

// The transition functions of a learner, for labels that are numbers, boolean, and text.
#define SPARSELIN_STEPS(learner)                                                                                  \
    SPARSELIN_RETURNS(sparselin_##learner##_step, step(fcinfo, LearnerKind::learner, LabelKind::number))          \
    SPARSELIN_RETURNS(sparselin_##learner##_step_boolean, step(fcinfo, LearnerKind::learner, LabelKind::boolean)) \
    SPARSELIN_RETURNS(sparselin_##learner##_step_text, step(fcinfo, LearnerKind::learner, LabelKind::text))

SPARSELIN_LEARNERS(SPARSELIN_STEPS)

// For what is often taken for features.
SPARSELIN_FUNCTION(sparselin_train_text_step) {
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the features are of type text"),
            errhint("Make features of its words, as in sparselin_features(to_tsvector('simple', body)); a literal that "
                    "is a sparsearray needs ::sparsearray."));
}

SPARSELIN_FUNCTION(sparselin_train_smallint_step) {
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the features are of type smallint[]"),
            errhint("Write features::int[]::sparsearray."));
}

SPARSELIN_FUNCTION(sparselin_train_final) {
    auto* const state = state_of_call<TrainState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    if (state->ended)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("the models of groups were asked for a second time, and are not there any more"),
                errhint("Set enable_hashagg to off for this query."));
    const bool stays = must_stay(fcinfo);
    if (has_learned(fcinfo, state)) PG_RETURN_DATUM(model_of(state, stays));
    if (!stays) end_training(state);
    PG_RETURN_NULL();
}
