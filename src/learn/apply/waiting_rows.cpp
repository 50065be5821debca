#include "apply/waiting_rows.h"

#include <numeric>

namespace sparselin {

bool WaitingRows::grow_for(size_t nnz, StopSign stop) {
    if (count_ == most_rows_) return false;
    if (used_ + nnz > room_) {
        room_ = 0;  // more of it when those that are there have gone
        if (count_ > 0) return false;
        if (nnz <= most_numbers) make_room(nnz, stop);
    }
    if (count_ == rows_.size()) {
        const size_t rows = std::min(most_rows_, std::max<size_t>(4, 2 * count_));
        scores_.resize(rows * runs_);
        y_.resize(rows * runs_);
        rows_.resize(rows);
    }
    return true;
}

void WaitingRows::make_room(size_t nnz, StopSign stop) {
    const size_t wanted = std::clamp(std::max(2 * index_.size(), std::bit_ceil(nnz)), least_numbers, most_numbers);
    if (wanted > value_.size()) value_ = Slab<float>(memory_, wanted, stop);
    if (wanted > index_.size()) index_ = Slab<int32_t>(memory_, wanted, stop);
    room_ = wanted;
}

void WaitingRows::judge_each() {
    const double *const p = scores_.data(), *const y = y_.data();
    const size_t count = slope_.size();
    if (curves_)
        return judge_with_curvature(chosen_, Curvature::own, p, y, loss_.data(), slope_.data(), curvature_.data(),
                                    count);
    with_loss(chosen_, [=, this](const auto& loss) {
        if constexpr (requires { loss.judge_each(p, p, loss_.data(), loss_.data(), size_t{}); }) {
            loss.judge_each(p, y, loss_.data(), slope_.data(), count);
        } else {
            for (size_t i = 0; i < count; ++i) {
                loss_[i] = loss.value(p[i], y[i]);
                slope_[i] = loss.slope(p[i], y[i]);
            }
        }
    });
}

void WaitingRows::judge_together() {
    for (size_t i = 0; i < count_; ++i) {
        const size_t first = i * runs_;
        loss_[i] = MultinomialLoss().judge(std::span(scores_).subspan(first, runs_), &y_[first], &slope_[first]);
    }
    for (size_t i = 0; i < curvature_.size(); ++i) curvature_[i] = MultinomialLoss::curvature_in_one(slope_[i], y_[i]);
}

// An exponent of ones carries over into the sign.
static bool all_are_finite(const Vector<double>& numbers) {
    constexpr uint64_t sign = uint64_t{1} << 63, least_of_exponent = uint64_t{1} << 52;
    uint64_t carried = 0;
    for (const double number : numbers) carried |= (std::bit_cast<uint64_t>(number) & ~sign) + least_of_exponent;
    return (carried & sign) == 0;
}

void WaitingRows::judge() {
    loss_.resize(count_ * losses_);
    slope_.resize(count_ * runs_);
    curvature_.resize(curves_ ? slope_.size() : 0);
    traits_of(chosen_.loss).joint ? judge_together() : judge_each();
    if (is_weighted_) weigh();
    if (!(all_are_finite(loss_) && all_are_finite(slope_))) refuse_range();
}

void WaitingRows::weigh() {
    for (Vector<double>* const its : {&loss_, &slope_, &curvature_}) {
        const size_t each = its->size() / count_;
        double* number = its->data();
        for (const Row& row : rows())
            for (size_t k = 0; k < each; ++k) *number++ *= row.omega;
    }
}

void WaitingRows::refuse_range() const {
    const auto of_row = [](const Vector<double>& numbers, size_t i, size_t each) {
        return std::span(numbers).subspan(i * each, each);
    };
    const auto finite = [](std::span<const double> numbers) {
        return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
    };
    size_t i = 0;
    while (finite(of_row(loss_, i, losses_)) && finite(of_row(slope_, i, runs_))) ++i;
    const std::span<const double> its = of_row(loss_, i, losses_);
    throw Error(Fault::out_of_range, "the loss is out of range: it is %g, the weight %g",
                std::accumulate(its.begin(), its.end(), 0.0) / rows_[i].omega, rows_[i].omega)
        .at_row(rows_[i].number)
        .hint("Labels, scores or weights are too large to be added up; scale them.");
}

}  // namespace sparselin
