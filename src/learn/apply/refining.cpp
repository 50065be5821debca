#include "apply/refining.h"

namespace sparselin {

Refining::Refining(Model& model, int64_t scans, double tolerance, Memory memory, StopSign stop)
    : model_(model), memory_(memory), goal_(model, memory, stop), most_scans_(scans), tolerance_(tolerance) {
    model_.resume.clear();
}

bool Refining::take(const LossSums& sums, StopSign stop) {
    const bool first = scans_++ == 0;
    if (first) begin(sums, stop);
    if (sums.rows() != goal_.rows())
        throw Error(Fault::bad_value, "the query gave %lld rows, and now %lld", static_cast<long long>(goal_.rows()),
                    static_cast<long long>(sums.rows()))
            .hint("Refining goes through the rows again and again: they have to be the same each time.");
    const double value = goal_.value(sums, lbfgs_->point(), stop);
    if (first) before_ = value;
    if (first && goal_.may_move() && most_scans_ > 1) {
        goal_.write(lbfgs_->point(), model_, stop);
        return false;
    }
    goal_.write_gradient(sums, lbfgs_->point(), lbfgs_->gradient(), stop);
    const bool goes_on = lbfgs_->take(value, stop);
    if (scans_ == most_scans_) lbfgs_->settle_for_lowest();
    gap_ = squared_length(lbfgs_->best_gradient(), stop) / (2 * goal_.curvature());
    if (!goes_on || scans_ == most_scans_ || gap_ <= tolerance_ * lbfgs_->least()) return finish(stop);
    goal_.write(lbfgs_->point(), model_, stop);
    return false;
}

// Rows, and what follows from them, come into the model.
void Refining::begin(const LossSums& sums, StopSign stop) {
    if (sums.rows() == 0)
        throw Error(Fault::bad_value, "none of the %lld rows of the query can be learned from",
                    static_cast<long long>(sums.skipped()))
            .hint("They have NULL as features, label or weight, or weigh nothing.");
    goal_.set_rows(sums, model_, stop);
    goal_.set_lambda(goal_.lambda_for_rows(model_, memory_));
    lbfgs_ = Box<Lbfgs>::make<Lbfgs>(memory_, goal_.size(), memory_, stop);
    goal_.read(model_, lbfgs_->point(), stop);
    goal_.write_curvature(lbfgs_->curvature(), stop);
    model_.lambda = goal_.lambda();
    model_.dimension = std::max(model_.dimension, sums.dimension());
    Options options = parse_options(model_.options, memory_, stop);
    if (!is_automatic(options.lambda)) options.lambda = model_.lambda;
    options.resumable = false;
    model_.options = print_options(options, memory_, stop);
    model_.rows = sums.rows();
    model_.skipped = sums.skipped();
}

bool Refining::finish(StopSign stop) {
    goal_.write(lbfgs_->best(), model_, stop);
    return true;
}

}  // namespace sparselin
