// The aggregate sparselin_evaluate: how good a model is on the rows of a group.
#include <cmath>

#include "learn/apply/roc.h"

#include <limits>

#include "features/feature_sink.h"
#include "types/sparsearray.h"
#include "apply/evaluate_state.h"
#include "wall/aggregate.h"
#include "wall/result_rows.h"

using namespace sparselin;

namespace {

EvaluateState* new_evaluation(MemoryContext aggregate, const Subject& subject, LabelKind labels) {
    void* const place = MemoryContextAlloc(aggregate, sizeof(EvaluateState));
    return guarded([=] { return new (place) EvaluateState(aggregate, subject, labels); });
}

// What the argument after the weight is, where there is one.
enum class Asked : uint8 { threshold, bins };

// NULL asks for nothing: then it is as without the argument.
void read_asked(FunctionCallInfo fcinfo, Asked asked, Subject& subject) {
    constexpr int argument = weight_argument + 1;
    if (PG_NARGS() <= argument || PG_ARGISNULL(argument)) return;
    if (asked == Asked::bins) {
        subject.bins = PG_GETARG_INT32(argument);
        guarded([&] { check_bins(subject); });
        return;
    }
    subject.threshold = PG_GETARG_FLOAT8(argument);
    // NaN stands for none.
    guarded([&] {
        if (std::isnan(subject.threshold)) check_threshold(subject.loss.loss, subject.threshold);
        check_threshold(subject);
    });
}

// For the rows after the first one.
void check_same_asked(FunctionCallInfo fcinfo, Asked asked, const EvaluateState* state) {
    if (PG_NARGS() <= weight_argument + 1) return;
    Subject subject = state->evaluation.subject();
    subject.threshold = automatic;
    subject.bins = Subject::usual_bins;
    read_asked(fcinfo, asked, subject);
    if (subject == state->evaluation.subject()) return;
    refuse_change(state->evaluation.rows_seen(),
                  asked == Asked::bins ? "the number of bins is not that" : "the threshold is not that",
                  "It is the same for all rows of a group; add what it depends on to GROUP BY.");
}

EvaluateState* start(FunctionCallInfo fcinfo, Datum model, LabelKind labels, Asked asked) {
    JudgedModel judged = judged_model(fcinfo, model);
    const ReadyModel* const ready = ready_model(fcinfo, &judged, model);
    const Predictor& predictor = ready->predictor;
    guarded([&] { check_labels(predictor.loss(), predictor.coding(), labels); });
    Subject subject{judged.fingerprint, predictor.chosen_loss(), ready->penalty,
                    static_cast<int64>(predictor.classes().size())};
    read_asked(fcinfo, asked, subject);
    EvaluateState* const state = new_evaluation(aggregate_context(fcinfo), subject, labels);
    if (labels == LabelKind::text) guarded([&] { state->evaluation.expect_classes(predictor); });
    state->model = judged;
    return state;
}

void make_room(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack) {
    Scores& scores = state->evaluation.scores();
    const Size size = scores.next_size(stack, work_memory());
    spill_for(fcinfo, state, stack, size);
    guarded([&] { scores.make_room(stack, size); });
}

// add(stack) says no until there is room in the stack.
template <typename Add>
void add_row(FunctionCallInfo fcinfo, EvaluateState* state, Add&& add) {
    for (;;) {
        Stack stack{};
        if (guarded([&] { return add(stack); })) return;
        make_room(fcinfo, state, stack);
    }
}

void judge(FunctionCallInfo fcinfo, EvaluateState* state, Datum model, LabelKind labels) {
    Evaluation& evaluation = state->evaluation;
    const auto row =
        fetch_row(fcinfo, {features_argument, label_argument, weight_argument, labels}, evaluation.rows_seen() + 1);
    if (!row) return evaluation.skip();
    const Predictor& predictor = ready_model(fcinfo, &state->model, model)->predictor;
    add_row(fcinfo, state, [&](Stack& stack) {
        return evaluation.add(predictor, row->x, row->label, row->weight, stack, server_stop());
    });
}

Datum step(FunctionCallInfo fcinfo, ModelGiven given, LabelKind labels, Asked asked = Asked::threshold) {
    require_model(fcinfo, model_argument, "be evaluated");
    auto* state = state_of_call<EvaluateState>(fcinfo);
    const Datum model = model_of_row(fcinfo, state != nullptr ? &state->model : nullptr, given);
    if (state == nullptr) {
        state = start(fcinfo, model, labels, asked);
    } else {
        check_same_model(&state->model, model, state->evaluation.rows_seen());
        check_same_asked(fcinfo, asked, state);
    }
    judge(fcinfo, state, model, labels);
    if (given == ModelGiven::by_name) remember_name(fcinfo, &state->model, model, state->memory.context());
    PG_RETURN_POINTER(state);
}

// Scores in place of a model and features, with the loss to judge them by.
enum { score_argument = 1, score_label_argument, loss_argument, score_weight_argument };

// They are of no model: nothing is known of a penalty.
EvaluateState* start_of_scores(FunctionCallInfo fcinfo, text* loss, LabelKind labels) {
    const MemoryContext aggregate = aggregate_context(fcinfo);
    const ChosenLoss chosen = guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return loss_of_scores(text_view(loss), &memory, server_stop());
    });
    const Subject subject{{}, chosen, std::numeric_limits<double>::quiet_NaN()};
    EvaluateState* const state = new_evaluation(aggregate, subject, labels);
    state->loss = in_context(aggregate, [&] { return new_text(text_view(loss)); });
    return state;
}

EvaluateState* state_of_scores(FunctionCallInfo fcinfo, LabelKind labels) {
    if (PG_ARGISNULL(loss_argument))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the loss to judge scores by is NULL"),
                errhint("Give the name of one, such as 'logistic'."));
    text* const loss = PG_GETARG_TEXT_PP(loss_argument);
    auto* const state = state_of_call<EvaluateState>(fcinfo);
    if (state == nullptr) return start_of_scores(fcinfo, loss, labels);
    if (state->loss == nullptr || text_view(loss) != text_view(state->loss))
        refuse_change(state->evaluation.rows_seen(), "the loss is not that",
                      "It is the same for all rows of a group; add what it depends on to GROUP BY.");
    return state;
}

Datum step_of_scores(FunctionCallInfo fcinfo, LabelKind labels) {
    EvaluateState* const state = state_of_scores(fcinfo, labels);
    Evaluation& evaluation = state->evaluation;
    const bool weighted = PG_NARGS() > score_weight_argument;
    if (PG_ARGISNULL(score_argument) || PG_ARGISNULL(score_label_argument) ||
        (weighted && PG_ARGISNULL(score_weight_argument))) {
        evaluation.skip();
        PG_RETURN_POINTER(state);
    }
    const double score = PG_GETARG_FLOAT8(score_argument);
    const double weight = weighted ? PG_GETARG_FLOAT8(score_weight_argument) : 1;
    const Label label = fetch_label(fcinfo, {score_argument, score_label_argument, score_weight_argument, labels});
    add_row(fcinfo, state,
            [&](Stack& stack) { return evaluation.add_score(score, label, weight, stack, server_stop()); });
    PG_RETURN_POINTER(state);
}

// The area under the ROC curve; NaN where there are not two classes.
double area_of(FunctionCallInfo fcinfo, EvaluateState* state) {
    const Evaluation& evaluation = state->evaluation;
    if (!evaluation.subject().has_two_classes()) return std::numeric_limits<double>::quiet_NaN();
    RocCurve curve(evaluation.positives(), evaluation.negatives());
    give_all_scores(fcinfo, state, &curve);
    return curve.area();
}

// The value of the type sparselin_evaluation.
Datum value_of(FunctionCallInfo fcinfo, Card& card) {
    const TupleDesc descriptor = result_type(fcinfo);
    const auto numbers = card.numbers();
    constexpr size_t columns = numbers.size() + 3;
    if (descriptor->natts != static_cast<int>(columns)) elog(ERROR, "sparselin_evaluation was expected as the result");
    Datum values[columns] = {Int64GetDatum(card.rows), Int64GetDatum(card.skipped)};
    bool nulls[columns] = {};
    for (size_t i = 0; i < numbers.size(); ++i) {
        values[i + 2] = Float8GetDatum(*numbers[i]);
        nulls[i + 2] = std::isnan(*numbers[i]);
    }
    values[columns - 1] = Int64GetDatum(card.unknown.value_or(0));
    nulls[columns - 1] = !card.unknown;
    return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}

// In several processes. Serialized: the bytes of Evaluation::save, then the chunks of scores, sorted: the stack, a
// length, the scores.
constexpr char what[] = "state of sparselin_evaluate";
constexpr Size chunk_head = 1 + sizeof(uint64);

// The scores of a chunk, from memory or from the file.
void read_chunk(const EvaluateState* state, const ScoreChunk& chunk, char* target) {
    copy_block(state->file, chunk, target);
    scores_to_little_endian({target, chunk.used});
}

Size size_of_scores(const Scores& scores) {
    Size size = 0;
    for (const ScoreChunk& chunk : scores.blocks())
        if (chunk.used > 0) size += chunk_head + chunk.used;
    return size;
}

void refuse_too_large(Size size) {
    if (size <= max_value_size) return;
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("the scores of a parallel process take %zu MB, more than can be shipped", size >> 20),
            errhint("Set max_parallel_workers_per_gather to 0."));
}

void write_chunks(const EvaluateState* state, char* at) {
    for (const ScoreChunk& chunk : state->evaluation.scores().blocks()) {
        if (chunk.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        *at = static_cast<char>(chunk.stack);
        store_little<uint64_t>(at + 1, chunk.used);
        read_chunk(state, chunk, at + chunk_head);
        at += chunk_head + chunk.used;
    }
}

// To be taken in before the bytes go away.
EvaluateState* read_part(std::span<const char> bytes) {
    const auto [setup, rest] = guarded([=] {
        Reader reader(bytes, what);
        const Evaluation::Setup read = Evaluation::read_setup(reader);
        return std::pair(read, reader.ahead());
    });
    EvaluateState* const state = new_evaluation(CurrentMemoryContext, setup.subject, setup.labels);
    guarded([&, from = rest] {
        Reader reader(from, what);
        state->evaluation.load(reader);
        state->shipped = reader.ahead();
    });
    return state;
}

void take_chunk(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack, std::span<const char> scores) {
    spill_for(fcinfo, state, stack, scores.size());
    guarded([&] { state->evaluation.scores().adopt(stack, scores); });
}

// Chunks as they were shipped.
void take_shipped(FunctionCallInfo fcinfo, EvaluateState* state, std::span<const char> shipped) {
    while (!shipped.empty()) {
        CHECK_FOR_INTERRUPTS();
        Stack stack{};
        const std::span<const char> scores = guarded([&] {
            Reader reader(shipped, what);
            const uint8_t number = reader.u8();
            if (number > static_cast<uint8_t>(Stack::weighted)) reader.fail("unknown scores");
            stack = static_cast<Stack>(number);
            return reader.bytes();
        });
        take_chunk(fcinfo, state, stack, scores);
        shipped = shipped.subspan(chunk_head + scores.size());
    }
}

// Of a part in this process.
void take_chunks(FunctionCallInfo fcinfo, EvaluateState* state, const EvaluateState* part) {
    for (const ScoreChunk& chunk : part->evaluation.scores().blocks()) {
        if (chunk.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        char* const scores = static_cast<char*>(palloc(chunk.used));
        read_chunk(part, chunk, scores);
        take_chunk(fcinfo, state, chunk.stack, {scores, chunk.used});
        pfree(scores);
    }
}

void take_part(FunctionCallInfo fcinfo, EvaluateState* state, EvaluateState* right) {
    const Evaluation& part = right->evaluation;
    guarded([=, &part] { state->evaluation.absorb(part); });
    take_shipped(fcinfo, state, right->shipped);
    guarded<Again::the_rest>([=] { right->evaluation.scores().sort(server_stop()); });
    take_chunks(fcinfo, state, right);
    check_all_came(what, "scores", state->evaluation.scores_to_come());
}

}  // namespace

SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step, step, LabelKind::number)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_boolean, step, LabelKind::boolean)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_text, step, LabelKind::text)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_bins, step, LabelKind::number, Asked::bins)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_bins_boolean, step, LabelKind::boolean, Asked::bins)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_bins_text, step, LabelKind::text, Asked::bins)
SPARSELIN_RETURNS(sparselin_evaluate_step_score, step_of_scores(fcinfo, LabelKind::number))
SPARSELIN_RETURNS(sparselin_evaluate_step_score_boolean, step_of_scores(fcinfo, LabelKind::boolean))

// Puts scores in order, and no more: rows may follow, as over a moving window.
SPARSELIN_FUNCTION(sparselin_evaluate_final) {
    auto* const state = state_of_call<EvaluateState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const double auc = area_of(fcinfo, state);
    Card card = guarded([=] { return state->evaluation.card(auc); });
    PG_RETURN_DATUM(value_of(fcinfo, card));
}

SPARSELIN_FUNCTION(sparselin_evaluate_serialize) {
    EvaluateState* const state = state_of_call<EvaluateState>(fcinfo);
    Scores& scores = state->evaluation.scores();
    guarded<Again::the_rest>([&] { scores.sort(server_stop()); });
    const std::span<const char> head = written_bytes([=](Vector<char>& bytes) {
        Writer writer(bytes);
        state->evaluation.save(writer);
    });
    const Size size = head.size() + size_of_scores(scores);
    refuse_too_large(size);
    bytea* const bytes = new_bytes(size);
    memcpy(VARDATA(bytes), head.data(), head.size());
    write_chunks(state, VARDATA(bytes) + head.size());
    PG_RETURN_BYTEA_P(bytes);
}

SPARSELIN_FUNCTION(sparselin_evaluate_deserialize) {
    aggregate_context(fcinfo);
    PG_RETURN_POINTER(read_part(bytes_view(PG_GETARG_VARLENA_PP(0))));
}

SPARSELIN_FUNCTION(sparselin_evaluate_combine) {
    const auto begin = [](MemoryContext context, const EvaluateState& part) {
        return new_evaluation(context, part.evaluation.subject(), part.evaluation.labels());
    };
    return combine<EvaluateState>(fcinfo, begin,
                                  [=](EvaluateState& left, EvaluateState& right) { take_part(fcinfo, &left, &right); });
}
