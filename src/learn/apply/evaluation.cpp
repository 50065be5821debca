#include "apply/evaluation.h"

#include "options/losses.h"

#include <limits>

namespace sparselin {

static constexpr uint8_t version = 1;
static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : undefined;
}

void check_labels(Loss loss, Coding coding, bool boolean) {
    if (is_classification(loss) || boolean == (coding == Coding::boolean)) return;
    if (boolean) {
        throw Error(Fault::mismatch, "the labels are boolean, but the model estimates numbers (loss %s)", name_of(loss))
            .hint("Give the numbers that it estimates; sparselin_decide has a threshold to make decisions of them.");
    }
    throw Error(Fault::mismatch, "the labels are numbers, but the model was trained on boolean ones (loss %s)",
                name_of(loss))
        .hint("Give a condition, such as label = 1.");
}

bool Evaluation::add(const Predictor& predictor, const SparseRow& x, double label, double weight, Stack& stack,
                     StopSign stop) {
    const int64_t row = rows_seen() + 1;
    check_weight(weight, row);
    const double y = labels_.read(label, row, stop);
    if (weight == 0) {
        skip();
        return true;
    }
    validate(x, row, stop);
    const double score = in_row(row, [&] { return predictor.score(x, stop); });
    const double loss = with_loss(subject_.loss, [=](auto loss) { return loss.value(score, y); });
    const double error = score - y;
    if (!std::isfinite(weight * loss) || (!subject_.has_classes() && !std::isfinite(weight * error * error))) {
        throw Error(Fault::out_of_range, "the loss is out of range: the label is %g, the score %g", label, score)
            .at_row(row)
            .hint("Labels, scores or weights are too large to be squared and added up; scale them.");
    }
    if (subject_.has_classes()) {
        stack = Scores::stack_for(weight, y > 0);
        if (!scores_.add(score, y > 0, weight)) return false;
        count_class(score, y, weight);
    } else {
        squares_.add(weight * error * error);
        sizes_.add(weight * std::fabs(error));
        add_labels(weight, Sum(y), Sum());
    }
    labels_.note(label, y);
    omega_.add(weight);
    losses_.add(weight * loss);
    ++rows_;
    return true;
}

// Chan, Golub and LeVeque: the moments of two sets as those of one. Comes before omega_ grows.
void Evaluation::add_labels(double omega, const Sum& mean, const Sum& spread) {
    if (omega == 0) return;
    const double share = omega / (omega_.value() + omega), delta = mean.minus(label_mean_);
    label_spread_.add(spread);
    label_spread_.add(delta * delta * (share * omega_.value()));
    label_mean_.add(delta * share);
}

void Evaluation::absorb(const Evaluation& part) {
    if (!(subject_.fingerprint == part.subject_.fingerprint) || is_boolean() != part.is_boolean()) {
        throw Error(Fault::bad_value, "the model is not the same for all rows")
            .hint("One model is evaluated in a group; add what it depends on to GROUP BY.");
    }
    labels_.check_fits(part.labels_);
    labels_.add(part.labels_);
    add_labels(part.omega_.value(), part.label_mean_, part.label_spread_);
    const auto ours = sums_of(*this);
    const auto theirs = sums_of(part);
    for (size_t i = 0; i < ours.size(); ++i) ours[i]->add(*theirs[i]);
    rows_ += part.rows_;
    skipped_ += part.skipped_;
}

Card Evaluation::card(double auc) const {
    Card card;
    for (double* number : card.numbers()) *number = undefined;
    card.rows = rows_;
    card.skipped = skipped_;
    if (rows_ == 0) return card;
    bool finite = std::isfinite(label_spread_.value());
    for (const Sum* sum : sums_of(*this)) finite = finite && std::isfinite(sum->value());
    if (!finite) {
        throw Error(Fault::out_of_range, "the sum of the losses or weights is out of range")
            .hint("Labels, scores or weights are too large to be squared and added up; scale them.");
    }
    card.loss = losses_.value() / omega_.value();
    card.objective = subject_.penalty + losses_.value() / static_cast<double>(rows_);
    if (subject_.has_classes()) {
        card.auc = auc;
        write_classes(card);
    } else {
        card.rmse = std::sqrt(squares_.value() / omega_.value());
        card.mae = sizes_.value() / omega_.value();
        card.r2 = 1 - ratio(squares_.value(), label_spread_.value());
    }
    return card;
}

void Evaluation::write_classes(Card& card) const {
    const double tp = card.true_positives = true_positives_.value();
    const double fp = card.false_positives = false_positives_.value();
    const double tn = card.true_negatives = true_negatives_.value();
    const double fn = card.false_negatives = false_negatives_.value();
    card.accuracy = (tp + tn) / (tp + fp + tn + fn);
    card.precision = ratio(tp, tp + fp);
    card.recall = ratio(tp, tp + fn);
    card.f1 = ratio(tp, tp + (fp + fn) / 2);  // what 2 tp is may be out of range
    if (subject_.loss == Loss::logistic) card.log_loss = card.loss;
}

void Evaluation::save(Writer& writer) const {
    writer.u8(version);
    writer.u64(subject_.fingerprint.low);
    writer.u64(subject_.fingerprint.high);
    writer.u8(static_cast<uint8_t>(subject_.loss));
    writer.f64(subject_.penalty);
    writer.u8(is_boolean());
    labels_.save(writer);
    writer.i64(rows_);
    writer.i64(skipped_);
    each_number(*this, [&](double number) { writer.f64(number); });
}

Evaluation::Setup Evaluation::read_setup(Reader& reader) {
    if (reader.u8() != version) reader.fail("unknown version");
    Setup setup{};
    setup.subject.fingerprint.low = reader.u64();
    setup.subject.fingerprint.high = reader.u64();
    const bool loss_is_known = find_by_number(reader.u8(), setup.subject.loss);
    setup.subject.penalty = reader.f64();
    const uint8_t boolean = reader.u8();
    if (!loss_is_known || boolean > 1) reader.fail("unknown loss or labels");
    setup.boolean = boolean != 0;
    return setup;
}

void Evaluation::load(Reader& reader) {
    labels_.load(reader, StopSign());
    rows_ = reader.i64();
    skipped_ = reader.i64();
    if (rows_ < 0 || rows_ > most_counted || skipped_ < 0 || skipped_ > most_counted) reader.fail("unlikely counts");
    each_number(*this, [&](double& number) { number = reader.f64(); });
}

}  // namespace sparselin
