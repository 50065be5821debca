// What the scores of a row say of its classes: which one it is of, and how probable each is.
//
// A model of classes without names has two of them all the same, the negative one first: false and true, -1 and 1, 0
// and 1. Of two classes that share a run the later one has its score, and the earlier one that negated.
#pragma once

#include "apply/predictor.h"

namespace sparselin {

// An Error where the model estimates numbers.
void require_classes(const Predictor& predictor);

// An Error where the model has learned from labels that are written in another way, and that makes a difference.
void check_labels(Loss loss, Coding coding, LabelKind labels);

size_t class_count(const Predictor& predictor);
std::string_view class_name(const Predictor& predictor, size_t number);

// The number of a class; an Error, which says what there is, where the model does not know it.
size_t class_by_name(const Predictor& predictor, std::string_view name);

// The score of each class. An Error where the model has no classes.
Vector<double> class_scores(const Predictor& predictor, const SparseRow& row, Memory memory, StopSign stop);

// The class of the highest score; of those that are equal the earliest.
size_t best_class(std::span<const double> scores);

// Scores of all classes become their probabilities, for losses that give them: softmax; one against the rest, what each
// run says of its own class, divided by the sum. The logarithms are numbers where a probability itself would be 0.
void to_probabilities(const Predictor& predictor, std::span<double> scores);
void to_log_probabilities(const Predictor& predictor, std::span<double> scores);

// An Error where the model has several runs, and so no single score; `instead`: what to use.
[[noreturn]] void refuse_single_score(const Predictor& predictor, const char* instead);
inline void require_single_score(const Predictor& predictor, const char* instead) {
    if (predictor.runs() > 1) refuse_single_score(predictor, instead);
}

}  // namespace sparselin
