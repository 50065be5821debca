#include "apply/evaluation.h"

#include "apply/costs.h"
#include "options/losses.h"
#include "options/settings.h"

#include <limits>

namespace sparselin {

static constexpr uint8_t version = 4;
static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : undefined;
}

static constexpr char scaling_hint[] =
    "Labels, scores or weights are too large to be squared and added up; scale them.";

void check_threshold(const Subject& subject) {
    if (is_automatic(subject.threshold)) return;
    if (!subject.has_classes())
        throw Error(Fault::not_supported, "a model with loss %s estimates a number: there is nothing to decide",
                    name_of(subject.loss.loss))
            .hint("Leave the threshold out.");
    if (!subject.has_two_classes())
        throw Error(Fault::not_supported, "a threshold is for two classes, and the model has %lld",
                    static_cast<long long>(subject.named_classes))
            .hint("Leave the threshold out: each row is taken for the class of its highest score.");
    check_threshold(subject.loss.loss, subject.threshold);
}

void check_bins(const Subject& subject) {
    constexpr int32_t most = 1000;
    if (subject.bins < 1 || subject.bins > most)
        throw Error(Fault::bad_value, "%d bins are not possible", subject.bins).hint("Ask for 1 to %d bins.", most);
}

ChosenLoss loss_of_scores(std::string_view text, Memory memory, StopSign stop) {
    const Options options = parse_options(String("loss=", memory).append(text), memory, stop);
    if (is_automatic(options.loss))
        throw Error(Fault::bad_value, "there is no loss to judge scores by").hint("Give one, such as 'logistic'.");
    const auto loss = static_cast<Loss>(options.loss);
    for (const OptionSpec& spec : option_table()) {
        const char* const parameter = traits_of(loss).parameter;
        const bool fits =
            spec.field == &Options::loss || (parameter != nullptr && spec.name == std::string_view(parameter));
        if (spec.is_set_in(options) && !fits)
            throw Error(Fault::bad_value, "option \"%s\" does not go with the loss \"%s\"", spec.name, name_of(loss))
                .hint("Give the loss alone, with its parameter where it has one.");
    }
    if (traits_of(loss).joint)
        throw Error(Fault::not_supported, "scores of several classes are not judged by themselves")
            .hint("Give the loss \"logistic\" for two classes, or evaluate the model.");
    return with_parameter(loss, options);
}

// The label as losses want it; nothing for a row that weighs nothing.
std::optional<double> Evaluation::begin_row(const Label& label, double weight, int64_t row, StopSign stop) {
    check_weight(weight, row);
    const double y = kind_ == LabelKind::text ? 0 : labels_.read(label, row, stop);
    if (weight != 0) return y;
    skip();
    return {};
}

bool Evaluation::add(const Predictor& predictor, const SparseRow& x, const Label& label, double weight, Stack& stack,
                     StopSign stop) {
    const int64_t row = rows_seen() + 1;
    const std::optional<double> y = begin_row(label, weight, row, stop);
    if (!y) return true;
    validate(x, row, stop);
    if (kind_ == LabelKind::text)
        return in_row(row, [&] { return judge_named(predictor, x, label.text, weight, stack, stop); });
    return judge(in_row(row, [&] { return predictor.score(x, stop); }), label, *y, weight, stack);
}

bool Evaluation::add_score(double score, const Label& label, double weight, Stack& stack, StopSign stop) {
    const int64_t row = rows_seen() + 1;
    const std::optional<double> y = begin_row(label, weight, row, stop);
    if (!y) return true;
    if (!std::isfinite(score))
        throw Error(Fault::bad_value, "score is %s", std::isnan(score) ? "NaN" : "infinite")
            .at_row(row)
            .hint("Scores are finite numbers; of a probability p it is ln(p / (1 - p)), with p away from 0 and 1.");
    return judge(score, label, *y, weight, stack);
}

bool Evaluation::judge(double score, const Label& label, double y, double omega, Stack& stack) {
    const double loss = with_loss(subject_.loss, [=](auto loss) { return loss.value(score, y); });
    const double error = score - y;
    if (!std::isfinite(omega * loss) || (!subject_.has_classes() && !std::isfinite(omega * error * error))) {
        throw Error(Fault::out_of_range, "the loss is out of range: the label is %g, the score %g", label.number, score)
            .at_row(rows_seen() + 1)
            .hint(scaling_hint);
    }
    if (subject_.has_classes()) {
        stack = Scores::stack_for(omega, y > 0);
        if (!scores_.add(score, y > 0, omega)) return false;
        count_class(score, y, omega);
    } else {
        squares_.add(omega * error * error);
        sizes_.add(omega * std::fabs(error));
        add_labels(omega, Sum(y), Sum());
    }
    labels_.note(label, y);
    count_row(omega, loss);
    return true;
}

void Evaluation::count_row(double omega, double loss) {
    omega_.add(omega);
    losses_.add(omega * loss);
    ++rows_;
}

// By the class of the highest score. Where two classes have a score each, their difference is what the one score of two
// classes is elsewhere.
bool Evaluation::judge_named(const Predictor& predictor, const SparseRow& x, std::string_view label, double omega,
                             Stack& stack, StopSign stop) {
    class_scores_ = class_scores(predictor, x, class_scores_.get_allocator().resource(), stop);
    const size_t actual = confusion_.find(label), predicted = best_class(class_scores_);
    const double last = class_scores_.back();
    const double margin = predictor.runs() == 1 ? last : last - class_scores_.front();
    const Costs costs = costs_of(predictor, class_scores_, actual);
    if (!std::isfinite(omega * costs.loss) || !std::isfinite(omega * costs.log_loss) || !std::isfinite(margin))
        throw Error(Fault::out_of_range, "the loss is out of range: it is %g, the weight %g", costs.loss, omega)
            .hint(scaling_hint);
    const bool is_known = actual < confusion_.known(), positive = actual == 1;
    if (subject_.has_two_classes() && is_known) {
        stack = Scores::stack_for(omega, positive);
        if (!scores_.add(margin, positive, omega)) return false;
        count_class(margin, positive ? 1 : -1, omega);
    }
    confusion_.add(label, predicted, omega);
    if (!is_known) {
        ++unknown_;
        strangers_[is_taken_for_positive(margin)].add(omega);
    }
    log_losses_.add(omega * costs.log_loss);
    count_row(omega, costs.loss);
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
    if (!(subject_ == part.subject_) || kind_ != part.kind_) {
        const bool asked = subject_.fingerprint == part.subject_.fingerprint;
        throw Error(Fault::bad_value, "%s is not the same for all rows",
                    asked ? "what is asked about the model" : "the model")
            .hint("One model is evaluated in a group; add what it depends on to GROUP BY.");
    }
    labels_.check_fits(part.labels_);
    labels_.add(part.labels_);
    if (kind_ == LabelKind::text) confusion_.add(part.confusion_);
    add_labels(part.omega_.value(), part.label_mean_, part.label_spread_);
    const auto ours = sums_of(*this);
    const auto theirs = sums_of(part);
    for (size_t i = 0; i < ours.size(); ++i) ours[i]->add(*theirs[i]);
    rows_ += part.rows_;
    skipped_ += part.skipped_;
    unknown_ += part.unknown_;
}

Card Evaluation::card(double auc) const {
    Card card;
    for (double* number : card.numbers()) *number = undefined;
    card.rows = rows_;
    card.skipped = skipped_;
    card.unknown.reset();
    if (kind_ == LabelKind::text) card.unknown = unknown_;
    if (rows_ == 0) return card;
    bool finite = std::isfinite(label_spread_.value());
    for (const Sum* sum : sums_of(*this)) finite = finite && std::isfinite(sum->value());
    if (!finite) {
        throw Error(Fault::out_of_range, "the sum of the losses or weights is out of range").hint(scaling_hint);
    }
    card.loss = losses_.value() / omega_.value();
    card.objective = subject_.penalty + losses_.value() / static_cast<double>(rows_);
    if (subject_.has_two_classes()) {
        card.auc = auc;
        write_two_classes(card);
    } else if (subject_.has_classes()) {
        write_named_classes(card);
    } else {
        card.rmse = std::sqrt(squares_.value() / omega_.value());
        card.mae = sizes_.value() / omega_.value();
        card.r2 = 1 - ratio(squares_.value(), label_spread_.value());
    }
    return card;
}

void Evaluation::write_two_classes(Card& card) const {
    const double tp = card.true_positives = true_positives_.value();
    Sum taken_wrongly = false_positives_;
    taken_wrongly.add(strangers_[1]);
    const double fp = card.false_positives = taken_wrongly.value();
    const double tn = card.true_negatives = true_negatives_.value();
    const double fn = card.false_negatives = false_negatives_.value();
    card.accuracy = (tp + tn) / (tp + fp + tn + fn + strangers_[0].value());
    card.precision = ratio(tp, tp + fp);
    card.recall = ratio(tp, tp + fn);
    card.f1 = ratio(tp, tp + (fp + fn) / 2);  // what 2 tp is may be out of range
    if (!gives_probabilities(subject_.loss.loss)) return;
    card.log_loss = kind_ == LabelKind::text ? log_losses_.value() / omega_.value() : card.loss;
}

void Evaluation::write_named_classes(Card& card) const {
    const Confusion::Means means = confusion_.means();
    card.accuracy = means.right / omega_.value();
    card.precision = means.precision;
    card.recall = means.recall;
    card.f1 = means.f1;
    if (gives_probabilities(subject_.loss.loss)) card.log_loss = log_losses_.value() / omega_.value();
}

void Evaluation::save(Writer& writer) const {
    writer.u8(version);
    writer.u64(subject_.fingerprint.low);
    writer.u64(subject_.fingerprint.high);
    writer.u8(static_cast<uint8_t>(subject_.loss.loss));
    writer.f64(subject_.loss.parameter);
    writer.f64(subject_.penalty);
    writer.i64(subject_.named_classes);
    writer.f64(subject_.threshold);
    writer.i64(subject_.bins);
    writer.u8(static_cast<uint8_t>(kind_));
    labels_.save(writer);
    for (const int64_t count : {rows_, skipped_, unknown_}) writer.i64(count);
    each_number(*this, [&](double number) { writer.f64(number); });
    if (kind_ == LabelKind::text) confusion_.save(writer);
}

Evaluation::Setup Evaluation::read_setup(Reader& reader) {
    if (reader.u8() != version) reader.fail("unknown version");
    const uint64_t low = reader.u64(), high = reader.u64();
    Loss loss{};
    const bool loss_is_known = find_by_number(reader.u8(), loss);
    Setup setup{{{low, high}, {loss, reader.f64()}, 0}, LabelKind::number};
    setup.subject.penalty = reader.f64();
    setup.subject.named_classes = reader.i64();
    setup.subject.threshold = reader.f64();
    setup.subject.bins = static_cast<int32_t>(reader.i64());
    if (setup.subject.bins < 1) reader.fail("unknown bins");
    const uint8_t labels = reader.u8();
    if (!loss_is_known || labels > static_cast<uint8_t>(LabelKind::text)) reader.fail("unknown loss or labels");
    setup.labels = static_cast<LabelKind>(labels);
    return setup;
}

void Evaluation::load(Reader& reader) {
    labels_.load(reader, StopSign());
    for (int64_t* const count : {&rows_, &skipped_, &unknown_}) *count = Intake::read_count(reader);
    if (unknown_ > rows_) reader.fail("unlikely counts");
    each_number(*this, [&](double& number) { number = reader.f64(); });
    if (kind_ == LabelKind::text) confusion_.load(reader);
}

}  // namespace sparselin
