// Parts of a training: other trainings of the same kind that were at work on other rows. Rows that they have not
// learned from come to our store; what they have learned is averaged, each part by its steps.
#include "engine/training.h"

namespace sparselin {

void Training::check_same_kind(const Training& part) const {
    if (learner() == part.learner() && options() == part.options() && labels() == part.labels()) return;
    throw Error(Fault::mismatch, "the options are not the same for all rows")
        .hint("Options are the same for all rows of a group; add what they depend on to GROUP BY.");
}

// What has been learned of other classes cannot be put together.
void Training::check_same_classes(const Training& part) const {
    if (labels() != LabelKind::text) return;
    const Classes &mine = intake_.labels().named(), &its = part.intake_.labels().named();
    const bool learned = has_learned() || parts_, part_learned = part.has_learned() || part.parts_;
    if ((learned && !mine.has_all_of(its)) || (part_learned && learned_rows() > 0 && !its.has_all_of(mine)))
        refuse_other_classes();
}

// What has been learned of features by number goes into a model, and nowhere else.
void Training::refuse_numbers() const {
    if (!bank_->frame().names.are_indices())
        throw Error(Fault::mismatch, "a training that has ended does not go together with others")
            .hint("Have the parts of a training put together before it ends.");
}

void Training::absorb(const Training& part, StopSign stop) {
    refuse_numbers();
    part.refuse_numbers();
    check_same_kind(part);
    intake_.check_fits(part.intake_);
    check_same_classes(part);
    take_in(part, stop);
    settled_ = {};
    intake_.add(part.intake_);
    origins_.keep_common(part.origins_);
    epochs_done_ = std::max(epochs_done_, part.epochs_done_);
}

size_t Training::adopt(std::span<const char> rows, size_t largest, StopSign stop, bool checked) {
    surveys_arrivals_ = false;
    survey_ = {};
    IndexRoom room(memory_);
    const auto good = [&](PackedRow& row) {
        if (checked) return true;
        const Example its = room.unpack(row);
        if (!intake_.can_have(its, stop)) return false;
        row.set_most_length(intake_.most_length(its.x, stop));
        return true;
    };
    const size_t taken = store_.adopt(rows, largest, stop, good);
    if (taken > 0) return taken;
    throw Error(Fault::bad_binary, "invalid binary rows of a training: one of %zu bytes is damaged", rows.size())
        .hint("The value was damaged on its way; take it from its source again.");
}

Box<Training::Parts> Training::new_parts(double lambda, Memory memory, StopSign stop) const {
    Settings its = settings();
    if (its.search && !is_automatic(strength_)) set_strength(its, strength_);
    its.lambda = lambda;
    if (is_automatic(its.decay_rate)) its.decay_rate = lambda;
    Box<Parts> parts = Box<Parts>::make<Parts>(memory, its, memory);
    tell_classes_apart(parts->bank);
    parts->bank.begin(stop);
    return parts;
}

// What we have learned, or the parts, or, where both have, the two as one, which `both` is there for. nullptr: nothing.
const Bank* Training::learned_in(Box<Parts>& both, StopSign stop) const {
    if (!parts_ || parts_->rows == 0) return has_learned() ? &*bank_ : nullptr;
    if (!has_learned()) return &parts_->bank;
    both = new_parts(lambda_now(), memory_, stop);
    both->bank.merge(*bank_, lambda_now(), stop);
    both->bank.merge(parts_->bank,
                     lambda_for(learned_rows() - unlearned_rows(), both->bank.per_unit_with(parts_->bank)), stop);
    return &both->bank;
}

// Nothing is ours before all of it is: interrupted, it can be made again.
void Training::take_in(const Training& part, StopSign stop) {
    Box<Parts> both, first;
    const Bank* const learned = part.learned_in(both, stop);
    if (learned == nullptr) return;
    const int64_t its_rows = part.learned_rows() - part.unlearned_rows();
    const double strength = strength_of_both(strength_, learned_rows() - unlearned_rows(), part.strength_, its_rows);
    if (!parts_) first = part.new_parts(part.lambda_now(), memory_, stop);
    Parts& parts = parts_ ? *parts_ : *first;
    const double lambda = lambda_for(parts.rows + its_rows, parts.bank.per_unit_with(*learned), strength);
    parts.bank.merge(*learned, lambda, stop);
    parts.rows += its_rows;
    strength_ = strength;
    if (first) parts_ = std::move(first);
}

// The learner of our own rows, if there were any, and what the parts have learned become one.
void Training::join_parts(StopSign stop) {
    bank_->set_lambda(lambda_for(learned_rows(), bank_->per_unit_with(parts_->bank)));
    if (!bank_->has_begun()) {
        if (settings().search && !strength_of(learner()).is_by_rows) bank_->set_strength(strength_);
        tell_classes_apart(*bank_);
        bank_->begin(stop);
    }
    bank_->merge(parts_->bank, settings().lambda, stop);
    if (settings().class_weight == ClassWeight::balanced) intake_.labels().balance(class_weights_);
    parts_ = {};
    search_ = {};
    if (streams() && !bank_->judge_trend()) bank_->raise();
}

double Training::lambda_for(int64_t rows, double per_unit, double z) const {
    if (!request_.finds_lambda) return settings().lambda;
    return std::max((is_automatic(z) ? 1 : z) / static_cast<double>(rows) * per_unit,
                    traits_of(learner()).least_lambda);
}

// Of what has been learned so far, by us or by the parts.
double Training::lambda_now() const {
    if (!is_automatic(settings().lambda)) return settings().lambda;
    return lambda_for(learned_rows() - unlearned_rows(), parts_->bank.per_unit());
}

}  // namespace sparselin
