#include "apply/verdict.h"

#include <algorithm>

namespace sparselin {

// By coding.
static constexpr const char* names_of_two[][2] = {{"", ""}, {"false", "true"}, {"-1", "1"}, {"0", "1"}};

void require_classes(const Predictor& predictor) {
    if (is_classification(predictor.loss())) return;
    throw Error(Fault::not_supported, "a model with loss %s estimates a number and knows no classes",
                name_of(predictor.loss()))
        .hint("Use sparselin_predict for the number, or sparselin_decide with a threshold.");
}

static const char* plural_of(LabelKind labels) {
    return labels == LabelKind::text ? "texts" : labels == LabelKind::boolean ? "boolean" : "numbers";
}

void check_labels(Loss loss, Coding coding, LabelKind labels) {
    if (coding == Coding::text && labels != LabelKind::text)
        throw Error(Fault::mismatch, "the labels are %s, but the classes of the model have names", plural_of(labels))
            .hint("Give the names: label::text.");
    if (labels == LabelKind::text && coding != Coding::text)
        throw Error(Fault::mismatch, "the labels are texts, but the model was trained on %s",
                    coding == Coding::boolean ? "boolean ones" : "numbers")
            .hint(coding == Coding::boolean ? "Give a condition, such as label = 'yes', or label::boolean."
                                            : "Give numbers, such as label::double precision.");
    const bool boolean = labels == LabelKind::boolean;
    if (is_classification(loss) || boolean == (coding == Coding::boolean)) return;
    if (boolean) {
        throw Error(Fault::mismatch, "the labels are boolean, but the model estimates numbers (loss %s)", name_of(loss))
            .hint("Give the numbers that it estimates; sparselin_decide has a threshold to make decisions of them.");
    }
    throw Error(Fault::mismatch, "the labels are numbers, but the model was trained on boolean ones (loss %s)",
                name_of(loss))
        .hint("Give a condition, such as label = 1.");
}

size_t class_count(const Predictor& predictor) {
    return predictor.coding() == Coding::text ? predictor.classes().size() : 2;
}

std::string_view class_name(const Predictor& predictor, size_t number) {
    if (predictor.coding() == Coding::text) return predictor.classes()[number];
    return names_of_two[static_cast<size_t>(predictor.coding())][number];
}

// With the nearest one, or some of those that there are.
[[noreturn]] static void refuse_unknown(const Predictor& predictor, std::string_view name) {
    constexpr size_t enough = 6;
    const size_t count = class_count(predictor);
    NearestName nearest(name);
    Phrase known;
    for (size_t k = 0; k < count; ++k) {
        nearest.offer(class_name(predictor, k).data());
        if (k < enough) known.comma().add("\"%s\"", Excerpt(class_name(predictor, k)).c_str());
    }
    if (count > enough) known.add(" and %zu others", count - enough);
    Error error(Fault::bad_value, "the model has no class \"%s\"", Excerpt(name).c_str());
    if (nearest.found() != nullptr) throw error.hint("Perhaps you meant \"%s\".", Excerpt(nearest.found()).c_str());
    throw error.hint("Its classes are %s.", known.c_str());
}

size_t class_by_name(const Predictor& predictor, std::string_view name) {
    require_classes(predictor);
    size_t first = 0;
    for (size_t end = class_count(predictor); first < end;) {
        const size_t middle = first + (end - first) / 2;
        if (class_name(predictor, middle) < name) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    if (first == class_count(predictor) || class_name(predictor, first) != name) refuse_unknown(predictor, name);
    return first;
}

Vector<double> class_scores(const Predictor& predictor, const SparseRow& row, Memory memory, StopSign stop) {
    require_classes(predictor);
    Vector<double> scores(class_count(predictor), memory);
    if (predictor.runs() > 1) {
        predictor.scores(row, scores.data(), stop);
    } else {
        scores.back() = predictor.score(row, stop);
        if (scores.size() == 2) scores.front() = -scores.back();
    }
    return scores;
}

size_t best_class(std::span<const double> scores) {
    return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

void to_log_probabilities(const Predictor& predictor, std::span<double> scores) {
    if (traits_of(predictor.loss()).link == Link::sigmoid)
        for (double& s : scores) s = std::min(s, 0.0) - std::log1p(std::exp(-std::fabs(s)));
    const double most = std::ranges::max(scores);
    double sum = 0;
    for (double& its : scores) sum += std::exp(its -= most);
    for (double& its : scores) its -= std::log(sum);
}

void to_probabilities(const Predictor& predictor, std::span<double> scores) {
    if (scores.size() == 2 && predictor.runs() == 1) {
        for (double& its : scores) its = sigmoid(its);
        return;
    }
    to_log_probabilities(predictor, scores);
    for (double& its : scores) its = std::exp(its);
}

void refuse_single_score(const Predictor& predictor, const char* instead) {
    throw Error(Fault::not_supported, "the model has a score for each of %zu classes", predictor.runs())
        .hint("Use %s.", instead);
}

}  // namespace sparselin
