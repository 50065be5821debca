// Scores of rows, and the probabilities, classes and decisions that follow from them.
#include "learn/apply/levels.h"
#include "learn/apply/verdict.h"

#include <cmath>
#include <numeric>

#include "features/feature_sink.h"
#include "types/sparsearray.h"
#include "apply/given_model.h"
#include "wall/result_rows.h"

using namespace sparselin;

// Short rows, which most are, need not ask the server for its flags.
static StopSign stop_for(const SparseRow& row) {
    return row.nnz > row_stretch ? server_stop() : StopSign();
}

[[noreturn]] static void refuse_probability(const Predictor& predictor) {
    const Loss loss = predictor.loss();
    const bool named = predictor.coding() == Coding::text;
    Error error(Fault::not_supported, "a model with loss %s gives no probabilities", name_of(loss));
    if (!is_classification(loss))
        throw error.hint(
            "Use sparselin_predict for the number that it estimates, or sparselin_decide with a threshold.");
    const auto gives_them = [=](const LossTraits& traits) {
        return traits.link != Link::none && traits.joint <= named;
    };
    throw error.hint(
        "Use %s, or train with loss=%s.",
        named ? "sparselin_class or sparselin_classes" : "sparselin_predict, sparselin_classify or sparselin_decide",
        names_where(loss_table, gives_them).c_str());
}

static double probability_of(const Predictor& predictor, const SparseRow& row) {
    if (!predictor.gives_probabilities()) refuse_probability(predictor);
    require_single_score(predictor,
                         "sparselin_probability(model, features, class), or sparselin_classes for all of them");
    return predictor.probability(row, stop_for(row));
}

static double label_of(const Predictor& predictor, const SparseRow& row) {
    if (!is_classification(predictor.loss()))
        throw Error(Fault::not_supported, "a model with loss %s does not classify", name_of(predictor.loss()))
            .hint("Use sparselin_predict, or sparselin_decide with a threshold.");
    if (predictor.coding() == Coding::text)
        throw Error(Fault::not_supported, "the classes of the model have names, which are no numbers")
            .hint("Use sparselin_class for the name.");
    if (predictor.score(row, stop_for(row)) > 0) return 1;
    return predictor.coding() == Coding::plus_minus ? -1 : 0;
}

static bool decision(const Predictor& predictor, const SparseRow& row, double threshold) {
    require_single_score(predictor,
                         "sparselin_class for the likeliest, or sparselin_probability(model, features, class)");
    check_threshold(predictor.loss(), threshold);
    if (!predictor.gives_probabilities()) return predictor.score(row, stop_for(row)) > threshold;
    return predictor.probability(row, stop_for(row)) > threshold;
}

static double score_of(const Predictor& predictor, const SparseRow& row) {
    require_single_score(predictor, "sparselin_class for the likeliest, or sparselin_classes for the score of each");
    return predictor.score(row, stop_for(row));
}

// What of(predictor, row) says, inside the wall.
static Datum number(FunctionCallInfo fcinfo, ModelGiven given, double (*of)(const Predictor&, const SparseRow&)) {
    const Predictor* const predictor = predictor_of_call(fcinfo, given);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    PG_RETURN_FLOAT8(guarded([&] { return of(*predictor, row); }));
}

// With a threshold, or without.
static Datum decide(FunctionCallInfo fcinfo, ModelGiven given) {
    const Predictor* const predictor = predictor_of_call(fcinfo, given);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    const double threshold = PG_NARGS() > 2 ? PG_GETARG_FLOAT8(2) : predictor->gives_probabilities() ? 0.5 : 0;
    PG_RETURN_BOOL(guarded([&] { return decision(*predictor, row, threshold); }));
}

static Datum class_of(FunctionCallInfo fcinfo, ModelGiven given) {
    const Predictor* const predictor = predictor_of_call(fcinfo, given);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    const std::string_view name = guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        return class_name(*predictor, best_class(class_scores(*predictor, row, &memory, stop_for(row))));
    });
    PG_RETURN_TEXT_P(new_text(name));
}

static Datum probability_of_class(FunctionCallInfo fcinfo, ModelGiven given) {
    const Predictor* const predictor = predictor_of_call(fcinfo, given);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    const std::string_view name = text_view(PG_GETARG_TEXT_PP(2));
    PG_RETURN_FLOAT8(guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        const size_t number = class_by_name(*predictor, name);
        if (!predictor->gives_probabilities()) refuse_probability(*predictor);
        Vector<double> of_classes = class_scores(*predictor, row, &memory, stop_for(row));
        to_probabilities(*predictor, of_classes);
        return of_classes[number];
    }));
}

namespace {

// What there is to say of all classes, in the current context; the best ones come first in `order`.
struct Ranking {
    const double *scores, *probabilities;
    const size_t* order;
    size_t count;
};

Ranking ranking_of(const Predictor& predictor, const SparseRow& row, size_t top, ContextMemory& memory) {
    auto& scores = *keep(class_scores(predictor, row, &memory, stop_for(row)), memory);
    auto& probabilities = *keep(Vector<double>(scores, &memory), memory);
    if (predictor.gives_probabilities()) to_probabilities(predictor, probabilities);
    auto& order = *keep(Vector<size_t>(scores.size(), &memory), memory);
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order,
                      [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    return {scores.data(), probabilities.data(), order.data(), std::min(top, order.size())};
}

}  // namespace

// Not strict: without a number of them, all classes.
static Datum classes_of(FunctionCallInfo fcinfo, ModelGiven given) {
    ResultRows rows = begin_result_rows(fcinfo);
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) return (Datum)0;
    const size_t top = most_rows_argument(fcinfo, 2, "classes");
    const Predictor* const predictor = predictor_of_call(fcinfo, given);
    const SparseRow row = PG_GETARG_SPARSEARRAY(1)->row();
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    const Ranking ranking = guarded([&] { return ranking_of(*predictor, row, top, *memory); });
    for (size_t place = 0; place < ranking.count; ++place) {
        CHECK_FOR_INTERRUPTS();
        const size_t k = ranking.order[place];
        text* const name = new_text(class_name(*predictor, k));
        Datum values[] = {PointerGetDatum(name), Float8GetDatum(ranking.scores[k]),
                          Float8GetDatum(ranking.probabilities[k])};
        bool nulls[] = {false, false, !predictor->gives_probabilities()};
        rows.put(values, nulls);
        pfree(name);
    }
    return (Datum)0;
}

SPARSELIN_MODEL_RETURNS(sparselin_predict, number, score_of)
SPARSELIN_MODEL_RETURNS(sparselin_probability, number, probability_of)
SPARSELIN_MODEL_RETURNS(sparselin_classify, number, label_of)
SPARSELIN_MODEL_RETURNS(sparselin_decide, decide)
SPARSELIN_MODEL_RETURNS(sparselin_class, class_of)
SPARSELIN_MODEL_RETURNS(sparselin_classes, classes_of)
SPARSELIN_MODEL_RETURNS(sparselin_probability_of_class, probability_of_class)
