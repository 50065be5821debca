#include "apply/costs.h"

#include "base/sum.h"
#include "options/losses.h"

namespace sparselin {

static double mean_loss(Loss of, std::span<const double> scores, size_t actual) {
    Sum sum;
    with_loss(of, [&](auto loss) {
        for (size_t k = 0; k < scores.size(); ++k) sum.add(loss.value(scores[k], k == actual ? 1 : -1) / scores.size());
    });
    return sum.value();
}

Costs costs_of(const Predictor& predictor, std::span<double> scores, size_t actual) {
    // -log of the smallest probability that counts, as scikit-learn has it; of an unknown class it is nothing.
    constexpr double most = 52 * 0.69314718055994530942;  // 52 log 2
    const bool is_known = actual < scores.size(), joint = traits_of(predictor.loss()).joint;
    const double loss = joint ? most : mean_loss(predictor.loss(), scores, actual);
    if (!is_known || !predictor.gives_probabilities()) return {loss, most};
    if (scores.size() == 2 && !joint) return {loss, loss};
    to_log_probabilities(predictor, scores);
    const double log_loss = -scores[actual];
    return {joint ? log_loss : loss, std::min(log_loss, most)};
}

static double cost_of_named(Measure measure, const Predictor& predictor, const SparseRow& x, std::string_view label,
                            Memory memory, StopSign stop) {
    Vector<double> scores = class_scores(predictor, x, memory, stop);
    const auto names = std::span<const String>(predictor.classes());
    const auto place =
        std::ranges::lower_bound(names, label, {}, [](const String& its) { return std::string_view(its); });
    const bool is_known = place != names.end() && *place == label;
    const size_t actual = is_known ? static_cast<size_t>(place - names.begin()) : names.size();
    if (measure == Measure::error_rate) return best_class(scores) != actual;
    const Costs costs = costs_of(predictor, scores, actual);
    return measure == Measure::log_loss ? costs.log_loss : costs.loss;
}

double cost_of(Measure measure, const Predictor& predictor, const SparseRow& x, const Label& label, LabelKind kind,
               Memory memory, StopSign stop) {
    if (kind == LabelKind::text) return cost_of_named(measure, predictor, x, label.text, memory, stop);
    const double score = predictor.score(x, stop);
    const bool has_classes = is_classification(predictor.loss());
    const double y = !has_classes ? label.number : label.number > 0 ? 1 : -1;
    switch (measure) {
        case Measure::rmse: return (score - y) * (score - y);
        case Measure::mae: return std::fabs(score - y);
        case Measure::error_rate: return (score > 0) != (y > 0);
        case Measure::loss:
        case Measure::log_loss: break;
    }
    return with_loss(predictor.chosen_loss(), [=](auto loss) { return loss.value(score, y); });
}

}  // namespace sparselin
