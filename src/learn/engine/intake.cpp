#include "engine/intake.h"

namespace sparselin {

void refuse_weight(double weight, int64_t row) {
    throw Error(Fault::bad_value, "weight is %g", weight)
        .at_row(row)
        .hint("Weights are finite numbers of 0 or more; a row of weight 0 is skipped.");
}

void Labels::refuse_number(double label, int64_t row) {
    throw Error(Fault::bad_value, "label is %s", std::isnan(label) ? "NaN" : "infinite")
        .at_row(row)
        .hint("Labels are finite numbers; leave such rows out with FILTER or WHERE, or make the label NULL.");
}

void Labels::refuse_class(double label, int64_t row) {
    throw Error(Fault::bad_value, "label %g is not a class", label)
        .at_row(row)
        .hint(
            "Classification takes -1 and 1, or 0 and 1, or boolean, or text: for more classes than two "
            "write label::text. For any number choose loss => %s.",
            names_where(
                loss_table, [](const LossTraits& loss) { return !loss.for_classes; }, "or", "'", "'")
                .c_str());
}

void Labels::refuse_coding(double label, int64_t row) {
    throw Error(Fault::bad_value, "label %g, but rows before it have %g", label, label == 0 ? -1.0 : 0.0)
        .at_row(row)
        .hint("Use either -1 and 1, or 0 and 1, in one call.");
}

static constexpr char must_fit[] =
    "Where one row of a call, or a given center, has a dimension, all rows must fit in it.";

Example Intake::read(const SparseRow& x, const Label& label, double weight, StopSign stop) const {
    const int64_t row = seen_ + 1;
    const RowLook its = look_over(x, stop);
    if (!its.indices_are_right) validate_indices(x, row, stop);
    check_weight(weight, row);
    if (x.dim != 0 && dimension_ != 0 && x.dim != dimension_) {
        throw Error(Fault::mismatch, "features have dimension %d, but %d was known before", x.dim, dimension_)
            .at_row(row)
            .hint("All rows of a call, and a given center, must have the same dimension, or leave it open.");
    }
    const int32_t dimension = std::max(x.dim, dimension_);
    const int64_t largest = std::max(x.last(), largest_index_);
    if (dimension != 0 && largest >= dimension) {
        throw Error(Fault::mismatch, "index %lld is beyond the dimension %d", static_cast<long long>(largest + 1),
                    dimension)
            .at_row(row)
            .hint("%s", must_fit);
    }
    return {x, labels_.read(label, row, stop), weight, measures_ ? its.most_length : Example().most_length};
}

void Intake::check_fits(const Intake& part) const {
    const int32_t dimension = common_dimension(dimension_, part.dimension_);
    const int32_t largest = std::max(largest_index_, part.largest_index_);
    if (dimension != 0 && largest >= dimension)
        throw Error(Fault::mismatch, "index %d is beyond the dimension %d", largest + 1, dimension)
            .hint("%s", must_fit);
    labels_.check_fits(part.labels_);
}

void Intake::add(const Intake& part) {
    labels_.add(part.labels_);
    dimension_ = common_dimension(dimension_, part.dimension_);
    largest_index_ = std::max(largest_index_, part.largest_index_);
    skipped_ += part.skipped_;
    taken_ += part.taken_;
}

bool Intake::can_have(const Example& example, StopSign stop) const {
    validate(example.x, stop);
    return labels_.can_have(example.y) && example.x.last() <= largest_index_ && std::isfinite(example.omega) &&
           example.omega > 0;
}

}  // namespace sparselin
