// The aggregates sparselin_gradient, which is for users, and sparselin_gradient_sums and _total, of which
// sparselin_refine is made: sums over rows at a model, as one value, and the total of several such values.
#include "apply/gradient.h"

#include <cmath>

#include "learn/apply/goal.h"
#include "learn/apply/verdict.h"
#include "types/sparsearray.h"
#include "apply/judged_model.h"
#include "wall/aggregate.h"
#include "wall/result_rows.h"

extern "C" {
#include "utils/datum.h"
}

using namespace sparselin;

namespace {

// What becomes of the sums: F and its gradient, for which the model stays, or what they are.
enum class Wanted { gradient, sums };

// Abandoned together with its memory context.
struct GradientState {
    GradientState(MemoryContext context, const LossSums::Subject& subject) : memory(context), sums(subject, &memory) {}
    GradientState(MemoryContext context, Reader& reader)
        : memory(context), sums(LossSums::load(reader, &memory, server_stop())) {}

    ContextMemory memory;
    JudgedModel judged;
    varlena* model = nullptr;  // where the gradient is wanted
    LossSums sums;
};

enum { survey_argument = weight_argument + 1 };

constexpr char what[] = "state of sparselin_gradient";

GradientState* new_state(MemoryContext context, const LossSums::Subject& subject) {
    void* const place = MemoryContextAlloc(context, sizeof(GradientState));
    return guarded([=, &subject] { return new (place) GradientState(context, subject); });
}

// Whether a gradient of the model needs to know how features lie; an error where it has none.
bool needs_survey(Datum model) {
    const MemoryContext scratch = new_model_context();
    ContextMemory* const memory = lasting_memory(scratch);
    const bool needed = read_model_front(model, [=](std::span<const char> bytes) {
        return guarded([=] {
            const Model decoded = decode_front(bytes, memory, server_stop());
            return Goal(decoded, memory, server_stop()).needs_survey();
        });
    });
    MemoryContextDelete(scratch);
    return needed;
}

// What it takes to make a gradient of the model.
void keep_model(GradientState* state, std::span<const char> bytes) {
    state->model = guarded([=] { return make_varlena(bytes, state->memory); });
}

GradientState* start(FunctionCallInfo fcinfo, Datum model, Wanted wanted, LabelKind labels) {
    const MemoryContext context = aggregate_context(fcinfo);
    const bool asked = wanted == Wanted::sums && !PG_ARGISNULL(survey_argument) && PG_GETARG_BOOL(survey_argument);
    const Beside beside = wanted == Wanted::sums ? (asked ? Beside::curves : Beside::nothing)
                                                 : (needs_survey(model) ? Beside::lies : Beside::nothing);
    JudgedModel judged = judged_model(fcinfo, model);
    const Predictor& predictor = ready_model(fcinfo, &judged, model)->predictor;
    guarded([&] { check_labels(predictor.loss(), predictor.coding(), labels); });
    const LossSums::Subject subject{
        judged.fingerprint, predictor.chosen_loss(), predictor.runs(), labels, beside, predictor.balances_classes()};
    GradientState* const state = new_state(context, subject);
    state->judged = judged;
    if (wanted == Wanted::sums) guarded([&] { state->sums.expect_those_of(predictor, server_stop()); });
    if (wanted == Wanted::gradient)
        read_model_front(model, [=](std::span<const char> bytes) {
            keep_model(state, bytes);
            return true;
        });
    return state;
}

Datum step(FunctionCallInfo fcinfo, Wanted wanted, LabelKind labels) {
    require_model(fcinfo, model_argument, "take a gradient of");
    const Datum model = PG_GETARG_DATUM(model_argument);
    auto* state = state_of_call<GradientState>(fcinfo);
    if (state == nullptr) {
        state = start(fcinfo, model, wanted, labels);
    } else {
        check_same_model(&state->judged, model, state->sums.rows_seen());
    }
    LossSums& sums = state->sums;
    const auto row =
        fetch_row(fcinfo, {features_argument, label_argument, weight_argument, labels}, sums.rows_seen() + 1);
    if (!row) {
        sums.skip();
    } else {
        const Predictor& predictor = ready_model(fcinfo, &state->judged, model)->predictor;
        guarded([&] { sums.add(predictor, row->x, row->label, row->weight, server_stop()); });
    }
    PG_RETURN_POINTER(state);
}

// The bytes that write(writer) writes, as a value in the current context.
template <typename Write>
bytea* bytes_of(Write&& write) {
    const std::span<const char> bytes = written_bytes([&](Vector<char>& its) {
        its.resize(VARHDRSZ);
        Writer writer(its, server_stop());
        write(writer);
    });
    if (bytes.size() > max_value_size)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("the sums for a gradient take %zu MB, more than can be shipped", bytes.size() >> 20),
                errhint("They take 16 bytes for each feature and class: use fewer."));
    auto* const value = reinterpret_cast<bytea*>(const_cast<char*>(bytes.data()));
    SET_VARSIZE(value, bytes.size());
    return value;
}

GradientState* read_state(std::span<const char> bytes) {
    const MemoryContext context = CurrentMemoryContext;
    void* const place = palloc(sizeof(GradientState));
    return guarded([=] {
        Reader reader(bytes, what, server_stop());
        const std::span<const char> model = reader.bytes();
        auto* const state = new (place) GradientState(context, reader);
        reader.finish();
        if (!model.empty()) state->model = make_varlena(model, state->memory);
        return state;
    });
}

// With the last rows.
LossSums& finished_sums(GradientState* state) {
    guarded([=] { state->sums.finish(server_stop()); });
    return state->sums;
}

// Into a state of its own where there is none yet: the part does not live long.
GradientState* take_part(MemoryContext context, GradientState* state, GradientState* part) {
    const LossSums& its = finished_sums(part);
    if (state == nullptr) {
        state = new_state(context, its.subject());
        if (part->model != nullptr) keep_model(state, bytes_view(part->model));
    }
    LossSums& sums = finished_sums(state);
    guarded([&] { sums.absorb(its, server_stop().for_cancels()); });
    return state;
}

struct Findings {
    double objective, gap;
};

Datum gradient_of(GradientState* state, Findings* findings) {
    const LossSums& sums = finished_sums(state);
    const MemoryContext scratch = new_model_context();
    const Model* const found = written_model(scratch, [=, &sums](Model& model, Memory memory) {
        const StopSign stop = server_stop();
        model = decode_front(bytes_view(state->model), memory, stop);
        Goal goal(model, memory, stop);
        goal.set_rows(sums, model, stop);
        const SlopeAt slope(goal, sums, model, memory, stop);
        findings->objective = slope.value();
        findings->gap = slope.square() / (2 * goal.curvature());
        goal.write_as_it_is(slope.gradient(), model, stop);
        if (!std::isfinite(slope.value()) || !std::isfinite(slope.square()))
            throw Error(Fault::out_of_range, "the gradient is out of range")
                .hint("Labels, features or weights are too large to be added up; scale them.");
        model.rows = sums.rows();
        model.skipped = sums.skipped();
    });
    const Datum gradient = new_model(*found);
    MemoryContextDelete(scratch);
    return gradient;
}

}  // namespace

namespace sparselin {

LossSums* read_sums(const bytea* bytes, ContextMemory* memory) {
    void* const place = MemoryContextAlloc(memory->context(), sizeof(LossSums));
    return guarded([=] {
        Reader reader(bytes_view(bytes), what, server_stop());
        auto* const sums = new (place) LossSums(LossSums::load(reader, memory, server_stop()));
        reader.finish();
        return sums;
    });
}

}  // namespace sparselin

SPARSELIN_RETURNS(sparselin_gradient_step, step(fcinfo, Wanted::gradient, LabelKind::number))
SPARSELIN_RETURNS(sparselin_gradient_step_boolean, step(fcinfo, Wanted::gradient, LabelKind::boolean))
SPARSELIN_RETURNS(sparselin_gradient_step_text, step(fcinfo, Wanted::gradient, LabelKind::text))
SPARSELIN_RETURNS(sparselin_gradient_sums_step, step(fcinfo, Wanted::sums, LabelKind::number))
SPARSELIN_RETURNS(sparselin_gradient_sums_step_boolean, step(fcinfo, Wanted::sums, LabelKind::boolean))
SPARSELIN_RETURNS(sparselin_gradient_sums_step_text, step(fcinfo, Wanted::sums, LabelKind::text))

SPARSELIN_FUNCTION(sparselin_gradient_final) {
    auto* const state = state_of_call<GradientState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const TupleDesc descriptor = result_type(fcinfo);
    Datum values[4] = {Int64GetDatum(state->sums.rows())};
    bool nulls[4] = {false, true, true, true};
    if (state->sums.rows() > 0) {
        Findings findings{};
        values[2] = gradient_of(state, &findings);
        values[1] = Float8GetDatum(findings.objective);
        values[3] = Float8GetDatum(findings.gap);
        nulls[1] = nulls[2] = false;
        nulls[3] = !std::isfinite(findings.gap);
    }
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}

// The sums alone, as the value of an aggregate.
SPARSELIN_FUNCTION(sparselin_gradient_sums_final) {
    auto* const state = state_of_call<GradientState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const LossSums& sums = finished_sums(state);
    PG_RETURN_BYTEA_P(bytes_of([&](Writer& writer) { sums.save(writer, server_stop()); }));
}

SPARSELIN_FUNCTION(sparselin_gradient_serialize) {
    auto* const state = state_of_call<GradientState>(fcinfo);
    const LossSums& sums = finished_sums(state);
    PG_RETURN_BYTEA_P(bytes_of([&](Writer& writer) {
        writer.array(state->model != nullptr ? bytes_view(state->model) : std::span<const char>());
        sums.save(writer, server_stop());
    }));
}

SPARSELIN_FUNCTION(sparselin_gradient_deserialize) {
    aggregate_context(fcinfo);
    PG_RETURN_POINTER(read_state(bytes_view(PG_GETARG_VARLENA_PP(0))));
}

SPARSELIN_FUNCTION(sparselin_gradient_combine) {
    const MemoryContext context = aggregate_context(fcinfo);
    auto* left = state_at<GradientState>(fcinfo, 0);
    auto* const right = state_at<GradientState>(fcinfo, 1);
    if (right != nullptr) left = take_part(context, left, right);
    return state_datum(fcinfo, left);
}

// (state, sums): NULL, the sums of no rows, adds nothing.
SPARSELIN_FUNCTION(sparselin_gradient_total_step) {
    const MemoryContext context = aggregate_context(fcinfo);
    auto* state = state_at<GradientState>(fcinfo, 0);
    if (PG_ARGISNULL(1)) return state_datum(fcinfo, state);
    const MemoryContext scratch = new_model_context();
    ContextMemory* const memory = lasting_memory(scratch);
    const LossSums* const part = read_sums(PG_GETARG_BYTEA_PP(1), memory);
    if (state == nullptr) state = new_state(context, part->subject());
    guarded([=] { state->sums.absorb(*part, server_stop().for_cancels()); });
    MemoryContextDelete(scratch);
    PG_RETURN_POINTER(state);
}
