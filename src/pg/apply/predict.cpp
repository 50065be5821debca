// Scores of rows, and the probabilities, classes and decisions that follow from them.
#include <cmath>

#include "types/sparsearray.h"
#include "apply/given_model.h"

using namespace sparselin;

// Short rows, which most are, need not ask the server for its flags.
static StopSign stop_for(const SparseRow& row) {
    return row.nnz > row_stretch ? server_stop() : StopSign();
}

[[noreturn]] static void refuse_probability(Loss loss) {
    Error error(Fault::not_supported, "a model with loss %s gives no probabilities", name_of(loss));
    if (!is_classification(loss))
        throw error.hint(
            "Use sparselin_predict for the number that it estimates, or sparselin_decide with a threshold.");
    const auto gives_them = [](const LossTraits& traits) { return traits.link != Link::none; };
    throw error.hint("Use sparselin_predict, sparselin_classify or sparselin_decide, or train with loss=%s.",
                     names_where(loss_table, gives_them).c_str());
}

static double probability_of(const Predictor& predictor, const SparseRow& row) {
    if (!predictor.gives_probabilities()) refuse_probability(predictor.loss());
    return predictor.probability(row, stop_for(row));
}

static double label_of(const Predictor& predictor, const SparseRow& row) {
    if (!is_classification(predictor.loss()))
        throw Error(Fault::not_supported, "a model with loss %s does not classify", name_of(predictor.loss()))
            .hint("Use sparselin_predict, or sparselin_decide with a threshold.");
    if (predictor.score(row, stop_for(row)) > 0) return 1;
    return predictor.coding() == Coding::plus_minus ? -1 : 0;
}

static bool decision(const Predictor& predictor, const SparseRow& row, double threshold) {
    if (std::isnan(threshold))
        throw Error(Fault::bad_value, "the threshold is NaN").hint("Give a number, or leave the threshold out.");
    if (!predictor.gives_probabilities()) return predictor.score(row, stop_for(row)) > threshold;
    if (threshold < 0 || threshold > 1)
        throw Error(Fault::bad_value, "%s is no threshold for a probability", NumberText(threshold).c_str())
            .hint("For a model with loss %s the threshold is between 0 and 1.", name_of(predictor.loss()));
    return predictor.probability(row, stop_for(row)) > threshold;
}

static double score_of(const Predictor& predictor, const SparseRow& row) {
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

SPARSELIN_MODEL_RETURNS(sparselin_predict, number, score_of)
SPARSELIN_MODEL_RETURNS(sparselin_probability, number, probability_of)
SPARSELIN_MODEL_RETURNS(sparselin_classify, number, label_of)
SPARSELIN_MODEL_RETURNS(sparselin_decide, decide)
