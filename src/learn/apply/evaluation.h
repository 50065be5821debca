// How good a model is on rows whose labels are known.
//
// Sums that take no memory, and for two classes the scores, which the area under the ROC curve needs in order; where
// labels are texts, how often each class was taken for each. All sums are rounded once: rows in another order, or
// spread over several processes, give the same numbers to a digit or so.
#pragma once

#include "apply/confusion.h"
#include "base/hash.h"
#include "engine/intake.h"
#include "apply/levels.h"
#include "apply/scores.h"
#include "base/sum.h"
#include "options/options.h"

#include <optional>

namespace sparselin {

// What it comes to. NaN where a number does not apply, or is not defined for these rows.
struct Card {
    int64_t rows, skipped;
    std::optional<int64_t> unknown;  // rows of a class that the model does not know, where labels are texts
    double loss;                     // weighted mean of the model's own
    double objective;                // what training minimises
    double accuracy, precision, recall, f1, auc, log_loss;
    double true_positives, false_positives, true_negatives, false_negatives;  // sums of weights
    double rmse, mae, r2;

    std::array<double*, 15> numbers() {
        return {&loss,           &objective,       &accuracy,       &precision,       &recall, &f1,  &auc, &log_loss,
                &true_positives, &false_positives, &true_negatives, &false_negatives, &rmse,   &mae, &r2};
    }
};

// What there is to know of a model, besides its weights, and what is asked about it.
struct Subject {
    Hash128 fingerprint;
    ChosenLoss loss;
    double penalty;                // see objective.h
    int64_t named_classes = 0;     // how many; 0: they have no names
    double threshold = automatic;  // of two classes, see Levels; automatic: the score is above 0
    int32_t bins = usual_bins;     // of a calibration

    static constexpr int32_t usual_bins = 10;

    bool has_classes() const { return is_classification(loss.loss); }

    // A positive and a negative one.
    bool has_two_classes() const { return has_classes() && (named_classes == 0 || named_classes == 2); }

    bool operator==(const Subject& other) const {
        const bool as_strict =
            threshold == other.threshold || (is_automatic(threshold) && is_automatic(other.threshold));
        return fingerprint == other.fingerprint && loss.loss == other.loss.loss &&
               loss.parameter == other.loss.parameter && named_classes == other.named_classes && as_strict &&
               bins == other.bins;
    }
};

// An Error where there is nothing to decide by the threshold, or nothing to put into so many bins.
void check_threshold(const Subject& subject);
void check_bins(const Subject& subject);

// A loss as text, by which the scores of two classes, or estimates of a number, can be judged: its name, and its
// parameter as options have it, "huber delta=2".
ChosenLoss loss_of_scores(std::string_view text, Memory memory, StopSign stop);

class Evaluation {
public:
    Evaluation(const Subject& subject, LabelKind kind, Memory memory)
        : subject_(subject),
          levels_(subject.loss.loss),
          kind_(kind),
          labels_(subject.loss.loss, kind == LabelKind::boolean ? kind : LabelKind::number, memory),
          confusion_(memory),
          class_scores_(memory),
          scores_(memory) {}

    // Where labels are texts: of this model. Comes first.
    void expect_classes(const Predictor& predictor) { confusion_.expect(predictor); }

    // Judges a row. False: its score wants room in `stack` first. Nothing has changed then, nor after an Error.
    bool add(const Predictor& predictor, const SparseRow& x, const Label& label, double weight, Stack& stack,
             StopSign stop);

    // The same of a row whose score is at hand, whoever says so; labels are no texts.
    bool add_score(double score, const Label& label, double weight, Stack& stack, StopSign stop);

    // A row with a NULL in it.
    void skip() { ++skipped_; }

    // What others have counted, whose rows were judged by the same model; bringing their scores is up to the caller.
    void absorb(const Evaluation& part);

    // The sums of the weights of the rows that have a score.
    double positives() const { return true_positives_.value() + false_negatives_.value(); }
    double negatives() const { return true_negatives_.value() + false_positives_.value(); }

    // `auc`: the area under the ROC curve of the scores.
    Card card(double auc) const;

    // All but the scores; of what came from elsewhere scores_to_come() says how many there are.
    void save(Writer& writer) const;
    struct Setup {
        Subject subject;
        LabelKind labels;
    };
    static Setup read_setup(Reader& reader);
    void load(Reader& reader);
    int64_t scores_to_come() const { return subject_.has_two_classes() ? rows_ - unknown_ - scores_.count() : 0; }

    Scores& scores() { return scores_; }
    const Scores& scores() const { return scores_; }
    const Subject& subject() const { return subject_; }
    LabelKind labels() const { return kind_; }
    int64_t rows_seen() const { return rows_ + skipped_; }

private:
    std::optional<double> begin_row(const Label& label, double weight, int64_t row, StopSign stop);
    bool judge(double score, const Label& label, double y, double omega, Stack& stack);
    bool judge_named(const Predictor& predictor, const SparseRow& x, std::string_view label, double omega, Stack& stack,
                     StopSign stop);
    void count_row(double omega, double loss);
    void count_class(double score, double y, double omega) {
        Sum* const said[2][2] = {{&true_negatives_, &false_negatives_}, {&false_positives_, &true_positives_}};
        said[is_taken_for_positive(score)][y > 0]->add(omega);
    }
    bool is_taken_for_positive(double score) const {
        return is_automatic(subject_.threshold) ? score > 0 : levels_.of(score) > subject_.threshold;
    }
    void add_labels(double omega, const Sum& mean, const Sum& spread);
    void write_two_classes(Card& card) const;
    void write_named_classes(Card& card) const;

    // Those that are added up.
    static auto sums_of(auto& self) {
        return std::array{&self.omega_,          &self.losses_,          &self.true_positives_, &self.false_positives_,
                          &self.true_negatives_, &self.false_negatives_, &self.squares_,        &self.sizes_,
                          &self.log_losses_,     &self.strangers_[0],    &self.strangers_[1]};
    }
    // Those of all sums, for bytes.
    static void each_number(auto& self, auto&& visit) {
        for (auto* sum : sums_of(self))
            for (auto* number : Sum::state_of(*sum)) visit(*number);
        for (auto* sum : {&self.label_mean_, &self.label_spread_})
            for (auto* number : Sum::state_of(*sum)) visit(*number);
    }

    Subject subject_;
    Levels levels_;
    LabelKind kind_;
    Labels labels_;  // that are no texts
    int64_t rows_ = 0, skipped_ = 0, unknown_ = 0;
    Sum omega_, losses_;
    Sum true_positives_, false_positives_, true_negatives_, false_negatives_;
    Sum squares_, sizes_;            // of errors
    Sum label_mean_, label_spread_;  // spread: the squared distances from the mean
    Confusion confusion_;            // of labels that are texts
    Sum log_losses_;
    Sum strangers_[2];             // of an unknown class: taken for the negative, the positive one of two
    Vector<double> class_scores_;  // of the row at hand
    Scores scores_;
};

}  // namespace sparselin
