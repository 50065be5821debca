#include "apply/refining.h"

namespace sparselin {

Refining::Refining(Model& model, int64_t scans, double tolerance, Memory memory, StopSign stop)
    : model_(model),
      memory_(memory),
      goal_(model, memory, stop),
      parts_(memory),
      most_scans_(scans),
      tolerance_(tolerance) {
    model_.resume.clear();
}

template <typename Give>
auto Refining::runs_of(Give&& give) const {
    using Number = typename decltype(give(*parts_[0]))::element_type;
    Vector<Number*> runs(memory_);
    for (const Box<Lbfgs>& part : parts_)
        for (size_t k = 0; k < goal_.runs_of_part(); ++k) runs.push_back(give(*part).data() + k * goal_.size());
    return runs;
}

Vector<double*> Refining::point() const {
    return runs_of([](Lbfgs& part) { return part.point(); });
}

bool Refining::take(const LossSums& sums, StopSign stop) {
    const bool first = scans_++ == 0;
    if (first) begin(sums, stop);
    check_rows(sums);
    if (first)
        for (size_t part = 0; part < parts_.size(); ++part) before_ += goal_.value(sums, part, point(), stop);
    const bool is_elsewhere = first && goal_.may_move() && most_scans_ > 1;
    const bool goes_on = is_elsewhere || step(sums, stop);
    if (goes_on) {
        goal_.write(point(), model_, stop);
    } else {
        goal_.write(runs_of([](const Lbfgs& part) { return part.best(); }), model_, stop);
    }
    return !goes_on;
}

void Refining::check_rows(const LossSums& sums) const {
    if (sums.rows() == goal_.rows()) return;
    throw Error(Fault::bad_value, "the query gave %lld rows, and now %lld", static_cast<long long>(goal_.rows()),
                static_cast<long long>(sums.rows()))
        .hint("Refining goes through the rows again and again: they have to be the same each time.");
}

// Rows, and what follows from them, come into the model.
void Refining::begin(const LossSums& sums, StopSign stop) {
    if (sums.rows() == 0)
        throw Error(Fault::bad_value, "none of the %lld rows of the query can be learned from",
                    static_cast<long long>(sums.skipped()))
            .hint("They have NULL as features, label or weight, or weigh nothing.");
    goal_.set_rows(sums, model_, stop);
    goal_.set_lambda(goal_.lambda_for_rows(model_, memory_));
    const size_t size = goal_.size() * goal_.runs_of_part();
    const size_t remembered =
        size * goal_.parts() <= many_numbers ? Lbfgs::most_remembered : Lbfgs::most_remembered / 2;
    for (size_t part = 0; part < goal_.parts(); ++part)
        parts_.push_back(Box<Lbfgs>::make<Lbfgs>(memory_, size, remembered, memory_, stop));
    goal_.read(model_, point(), stop);
    goal_.write_curvature(sums, runs_of([](Lbfgs& part) { return part.curvature(); }), stop);
    model_.lambda = goal_.lambda();
    model_.dimension = std::max(model_.dimension, sums.dimension());
    Options options = parse_options(model_.options, memory_, stop);
    if (!is_automatic(options.lambda)) options.lambda = model_.lambda;
    options.resumable = false;
    model_.options = print_options(options, memory_, stop);
    model_.rows = sums.rows();
    model_.skipped = sums.skipped();
}

// False when it is done.
bool Refining::step(const LossSums& sums, StopSign stop) {
    const Vector<double*> here = point();
    goal_.write_gradient(sums, here, runs_of([](Lbfgs& part) { return part.gradient(); }), stop);
    bool goes_on = false;
    after_ = gap_ = 0;
    for (size_t of = 0; of < parts_.size(); ++of) {
        Lbfgs& part = *parts_[of];
        if (part.take(goal_.value(sums, of, here, stop), stop)) goes_on = true;
        if (scans_ == most_scans_) part.settle_for_lowest();
        after_ += part.least();
        gap_ += squared_length(part.best_gradient(), stop) / (2 * goal_.curvature());
    }
    return goes_on && scans_ < most_scans_ && !(gap_ <= tolerance_ * after_);
}

}  // namespace sparselin
