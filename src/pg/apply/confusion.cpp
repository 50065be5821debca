// The aggregate sparselin_confusion: for which classes a model takes the rows of each.
#include "learn/apply/confusion.h"
#include "learn/engine/intake.h"

#include "features/feature_sink.h"
#include "types/sparsearray.h"
#include "apply/judged_model.h"
#include "wall/aggregate.h"
#include "wall/result_rows.h"

using namespace sparselin;

namespace {

constexpr char what[] = "state of sparselin_confusion";

// Abandoned together with its memory context.
struct ConfusionState {
    ConfusionState(MemoryContext aggregate, Loss loss, LabelKind kind)
        : memory(aggregate),
          kind(kind),
          labels(loss, kind == LabelKind::boolean ? kind : LabelKind::number, &memory),
          confusion(&memory) {}

    ContextMemory memory;
    JudgedModel model;
    LabelKind kind;
    Labels labels;  // that are no texts
    int64 rows = 0;
    Confusion confusion;
};

ConfusionState* new_state(MemoryContext aggregate, Loss loss, LabelKind labels) {
    void* const place = MemoryContextAlloc(aggregate, sizeof(ConfusionState));
    return guarded([=] { return new (place) ConfusionState(aggregate, loss, labels); });
}

ConfusionState* start(FunctionCallInfo fcinfo, Datum model, LabelKind labels) {
    JudgedModel judged = judged_model(fcinfo, model);
    const Predictor& predictor = ready_model(fcinfo, &judged, model)->predictor;
    guarded([&] {
        require_classes(predictor);
        check_labels(predictor.loss(), predictor.coding(), labels);
    });
    ConfusionState* const state = new_state(aggregate_context(fcinfo), predictor.loss(), labels);
    guarded([&] { state->confusion.expect(predictor); });
    state->model = judged;
    return state;
}

// Inside the wall.
void count(ConfusionState* state, const Predictor& predictor, const LabelledRow& row) {
    check_weight(row.weight, state->rows);
    const bool named = state->kind == LabelKind::text;
    const double y = named ? 0 : state->labels.read(row.label, state->rows, server_stop());
    if (row.weight == 0) return;
    validate(row.x, state->rows, server_stop());
    ContextMemory scratch(CurrentMemoryContext);
    const size_t predicted =
        in_row(state->rows, [&] { return best_class(class_scores(predictor, row.x, &scratch, server_stop())); });
    state->confusion.add(named ? row.label.text : class_name(predictor, y > 0), predicted, row.weight);
    if (!named) state->labels.note(row.label, y);
}

Datum step(FunctionCallInfo fcinfo, ModelGiven given, LabelKind labels) {
    require_model(fcinfo, model_argument, "be evaluated");
    auto* state = state_of_call<ConfusionState>(fcinfo);
    const Datum model = model_of_row(fcinfo, state != nullptr ? &state->model : nullptr, given);
    if (state == nullptr) {
        state = start(fcinfo, model, labels);
    } else {
        check_same_model(&state->model, model, state->rows);
    }
    ++state->rows;
    const auto row = fetch_row(fcinfo, {features_argument, label_argument, weight_argument, labels}, state->rows);
    if (row) {
        const Predictor& predictor = ready_model(fcinfo, &state->model, model)->predictor;
        guarded([&] { count(state, predictor, *row); });
    }
    if (given == ModelGiven::by_name) remember_name(fcinfo, &state->model, model, state->memory.context());
    PG_RETURN_POINTER(state);
}

void take_part(ConfusionState& state, const ConfusionState& part) {
    if (!(state.model.fingerprint == part.model.fingerprint) || state.kind != part.kind)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model is not the same for all rows"),
                errhint("One model is evaluated in a group; add what it depends on to GROUP BY."));
    guarded([&] {
        state.labels.check_fits(part.labels);
        state.labels.add(part.labels);
        state.confusion.add(part.confusion);
        state.rows += part.rows;
    });
}

}  // namespace

SPARSELIN_MODEL_RETURNS(sparselin_confusion_step, step, LabelKind::number)
SPARSELIN_MODEL_RETURNS(sparselin_confusion_step_boolean, step, LabelKind::boolean)
SPARSELIN_MODEL_RETURNS(sparselin_confusion_step_text, step, LabelKind::text)

SPARSELIN_FUNCTION(sparselin_confusion_final) {
    auto* const state = state_of_call<ConfusionState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    const auto* const cells = guarded([=] { return keep(state->confusion.cells(memory), *memory); });
    PG_RETURN_DATUM(array_of_rows<3>(fcinfo, cells->size(), [=](size_t i, Datum* values, bool*) {
        const Confusion::Cell& cell = (*cells)[i];
        values[0] = PointerGetDatum(new_text(cell.actual));
        values[1] = PointerGetDatum(new_text(cell.predicted));
        values[2] = Float8GetDatum(cell.weight);
    }));
}

SPARSELIN_FUNCTION(sparselin_confusion_serialize) {
    auto* const state = state_of_call<ConfusionState>(fcinfo);
    const std::span<const char> written = written_bytes([=](Vector<char>& bytes) {
        Writer writer(bytes);
        writer.u64(state->model.fingerprint.low);
        writer.u64(state->model.fingerprint.high);
        writer.u8(static_cast<uint8>(state->kind));
        writer.i64(state->rows);
        state->labels.save(writer);
        state->confusion.save(writer);
    });
    if (written.size() > max_value_size)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("the classes of a parallel process take %zu MB, more than can be shipped", written.size() >> 20),
                errhint("Set max_parallel_workers_per_gather to 0."));
    bytea* const bytes = new_bytes(written.size());
    memcpy(VARDATA(bytes), written.data(), written.size());
    PG_RETURN_BYTEA_P(bytes);
}

SPARSELIN_FUNCTION(sparselin_confusion_deserialize) {
    aggregate_context(fcinfo);
    const std::span<const char> bytes = bytes_view(PG_GETARG_VARLENA_PP(0));
    ConfusionState* const state = new_state(CurrentMemoryContext, Loss::logistic, LabelKind::text);
    guarded([=] {
        Reader reader(bytes, what);
        state->model.fingerprint.low = reader.u64();
        state->model.fingerprint.high = reader.u64();
        const uint8 kind = reader.u8();
        if (kind > static_cast<uint8>(LabelKind::text)) reader.fail("unknown labels");
        state->kind = static_cast<LabelKind>(kind);
        state->rows = Intake::read_count(reader);
        state->labels.load(reader, server_stop());
        state->confusion.load(reader);
        reader.finish();
    });
    PG_RETURN_POINTER(state);
}

SPARSELIN_FUNCTION(sparselin_confusion_combine) {
    const auto begin = [](MemoryContext context, const ConfusionState& part) {
        ConfusionState* const state = new_state(context, Loss::logistic, part.kind);
        state->model.fingerprint = part.model.fingerprint;
        return state;
    };
    return combine<ConfusionState>(fcinfo, begin, take_part);
}
