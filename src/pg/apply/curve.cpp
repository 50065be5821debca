// The aggregates sparselin_curve and sparselin_calibration: what comes of each threshold, and whether probabilities are
// what they say. Their states are those of sparselin_evaluate, and counted once where a query asks for several of them.
#include "learn/apply/curve.h"
#include "learn/apply/calibration.h"

#include <cmath>

#include "apply/evaluate_state.h"
#include "wall/aggregate.h"
#include "wall/result_rows.h"

using namespace sparselin;

namespace {

void require_two_classes(const Subject& subject, const char* what) {
    if (subject.has_two_classes()) return;
    guarded([&] {
        Error error(Fault::not_supported, "a %s is for two classes, and the model %s", what,
                    subject.has_classes() ? "has others" : "estimates a number");
        throw error.hint(subject.has_classes() ? "Use sparselin_confusion for several classes."
                                               : "Use sparselin_evaluate for its errors.");
    });
}

void require_probabilities(const Subject& subject) {
    if (gives_probabilities(subject.loss.loss)) return;
    guarded([&] {
        throw Error(Fault::not_supported, "a model with loss %s gives no probabilities", name_of(subject.loss.loss))
            .hint("Use sparselin_curve, or train with loss=logistic.");
    });
}

// What `taker`, made in memory of its own, comes to when it has taken all scores.
template <typename Make>
const auto* outcome_of(FunctionCallInfo fcinfo, EvaluateState* state, Make&& make) {
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    auto* const taker = guarded([&] { return keep(make(memory), *memory); });
    give_all_scores(fcinfo, state, taker);
    return guarded([=] { return keep(taker->finish(), *memory); });
}

// The numbers of a row, NaN as NULL.
void fill(std::initializer_list<double> numbers, Datum* values, bool* nulls) {
    for (const double number : numbers) {
        *nulls++ = std::isnan(number);
        *values++ = Float8GetDatum(number);
    }
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_curve_final) {
    auto* const state = state_of_call<EvaluateState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const Evaluation& evaluation = state->evaluation;
    const Subject& subject = evaluation.subject();
    require_two_classes(subject, "curve");
    const auto* const points = outcome_of(fcinfo, state, [&](Memory memory) {
        return Curve(subject.loss.loss, evaluation.positives(), evaluation.negatives(), memory);
    });
    PG_RETURN_DATUM(array_of_rows<9>(fcinfo, points->size(), [=](size_t i, Datum* values, bool* nulls) {
        const CurvePoint& its = (*points)[i];
        fill({its.threshold, its.true_positives, its.false_positives, its.true_negatives, its.false_negatives,
              its.precision, its.recall, its.false_positive_rate, its.lift},
             values, nulls);
    }));
}

SPARSELIN_FUNCTION(sparselin_calibration_final) {
    auto* const state = state_of_call<EvaluateState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const Evaluation& evaluation = state->evaluation;
    const Subject& subject = evaluation.subject();
    require_two_classes(subject, "calibration");
    require_probabilities(subject);
    const auto* const bins = outcome_of(fcinfo, state, [&](Memory memory) {
        return Calibration(subject.bins, evaluation.positives() + evaluation.negatives(), memory);
    });
    PG_RETURN_DATUM(array_of_rows<4>(fcinfo, bins->size(), [=](size_t i, Datum* values, bool* nulls) {
        const CalibrationBin& its = (*bins)[i];
        values[0] = Int32GetDatum(its.bin);
        fill({its.rows, its.predicted, its.observed}, values + 1, nulls + 1);
    }));
}
