// The aggregate sparselin_continue: training that goes on from a model.
#include "learn/base/codec.h"
#include "types/model_key.h"
#include "types/model_type.h"
#include "train/train_state.h"

namespace sparselin {

// Which model a training goes on from.
struct BaseModel {
    ModelKey key;
    Hash128 fingerprint;
};

namespace {

// Arguments of the transition functions: the state, then those of the aggregate.
enum { state_argument, model_argument, features_argument, label_argument, weight_argument };

LabelKind kind_of(Coding coding) {
    if (coding == Coding::text) return LabelKind::text;
    return coding == Coding::boolean ? LabelKind::boolean : LabelKind::number;
}

void check_goes_on(const Model& model, LabelKind labels) {
    if (model.resume.empty())
        throw Error(Fault::not_supported, "the model cannot go on learning")
            .hint("It was trained with resumable => false, compacted, or brought in without its resume state.");
    constexpr const char* names[] = {"numbers", "boolean", "text"};
    constexpr const char* learned[] = {"numbers", "boolean ones", "texts"};
    constexpr const char* hints[] = {"Give numbers, such as label::int.", "Give a condition, such as label = 1.",
                                     "Give texts, such as label::text."};
    const LabelKind its = kind_of(model.coding);
    if (labels == its) return;
    throw Error(Fault::mismatch, "the labels are %s, but the model was trained on %s", names[static_cast<int>(labels)],
                learned[static_cast<int>(its)])
        .hint("%s", hints[static_cast<int>(its)]);
}

// The training that the model came from, made again.
TrainState* resume_training(MemoryContext aggregate, const Model& model) {
    const auto kind = guarded([&] {
        Reader reader(model.resume, "resume state of a model", server_stop());
        return Training::read_kind_in_model(reader);
    });
    return start_training(aggregate, kind, [&](Training& training) {
        Reader reader(model.resume, "resume state of a model", server_stop());
        Training::read_kind_in_model(reader);
        training.resume(reader, model, server_stop());
    });
}

TrainState* start(FunctionCallInfo fcinfo, LabelKind labels) {
    const Datum datum = PG_GETARG_DATUM(model_argument);
    const MemoryContext scratch = new_model_context();
    const Model* model = fetch_model(datum, scratch);
    guarded([&] { check_goes_on(*model, labels); });
    TrainState* state = resume_training(aggregate_context(fcinfo), *model);
    MemoryContextDelete(scratch);
    auto* const base = static_cast<BaseModel*>(MemoryContextAlloc(state->shared_memory->context, sizeof(BaseModel)));
    *base = {key_of(datum), fingerprint_of_value(datum)};
    state->base = base;
    return state;
}

void check_same_model(FunctionCallInfo fcinfo, const TrainState* state) {
    const Datum datum = PG_GETARG_DATUM(model_argument);
    if (key_of(datum) == state->base->key || fingerprint_of_value(datum) == state->base->fingerprint) return;
    refuse_change(state->training.rows_seen(), "the model is not that",
                  "The model is the same for all rows of a group; add what it depends on to GROUP BY.");
}

Datum step(FunctionCallInfo fcinfo, LabelKind labels) {
    require_model(fcinfo, model_argument, "continue from");
    auto* state = state_of_call<TrainState>(fcinfo);
    if (state == nullptr) {
        state = start(fcinfo, labels);
    } else {
        check_same_model(fcinfo, state);
    }
    train_on(fcinfo, state, {features_argument, label_argument, weight_argument, labels});
    PG_RETURN_POINTER(state);
}

}  // namespace

SPARSELIN_RETURNS(sparselin_continue_step, step(fcinfo, LabelKind::number))
SPARSELIN_RETURNS(sparselin_continue_step_boolean, step(fcinfo, LabelKind::boolean))
SPARSELIN_RETURNS(sparselin_continue_step_text, step(fcinfo, LabelKind::text))

}  // namespace sparselin
