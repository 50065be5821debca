#include "survey/survey.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparselin {

LowerMedian::LowerMedian(int64_t count, size_t room, Memory memory, Signs signs)
    : rank_((count - 1) / 2), room_(room), kept_(memory), bins_(memory) {
    if (signs == Signs::any) low_ = ~high_;
    if (static_cast<uint64_t>(count) > room && room > 0) bins_.resize(bin_count);
    kept_.reserve(std::min(static_cast<size_t>(count), room));
}

void LowerMedian::add(double number) {
    uint64_t bits = std::bit_cast<uint64_t>(number + 0.0);
    bits = (bits & sign) != 0 ? ~bits : bits | sign;
    if (bits < low_ || bits > high_) return;
    ++in_range_;
    if (kept_.size() < room_) kept_.push_back(bits);
    if (bins_.empty()) return;
    Bin& bin = bins_[(bits - low_) / bin_width()];
    ++bin.count;
    bin.low = std::min(bin.low, bits);
    bin.high = std::max(bin.high, bits);
}

bool LowerMedian::end_pass() {
    if (static_cast<size_t>(in_range_) == kept_.size()) {
        const auto median = kept_.begin() + rank_;
        std::nth_element(kept_.begin(), median, kept_.end());
        low_ = high_ = *median;
        return true;
    }
    auto bin = bins_.begin();
    while (rank_ >= bin->count) rank_ -= (bin++)->count;
    low_ = bin->low;
    high_ = bin->high;
    in_range_ = 0;
    kept_.clear();
    std::ranges::fill(bins_, Bin{});
    return low_ == high_;
}

double LowerMedian::value() const {
    return std::bit_cast<double>((low_ & sign) != 0 ? low_ & ~sign : ~low_);
}

// Lambda and the offset are what hangs on it, which Dekel's learners alone find, and how far a step may go.
bool LabelUnit::may_matter(const Settings& settings) {
    const bool finds_offsets = traits_of(settings.learner).step_survey == StepSurvey::offset;
    return (traits_of(settings.loss).has_unit && finds_offsets) || settings.reach_has_unit();
}

bool LabelUnit::is_wanted(const Settings& settings, bool finds_lambda) {
    if (settings.reach_has_unit()) return true;
    return may_matter(settings) && (finds_lambda || Survey::is_wanted(settings));
}

void LabelUnit::add(double y) {
    if (!median_known_) return median_.add(y);
    ++rows_;
    distances_ += std::fabs(y - median_.value());
    sizes_ += std::fabs(y);
}

bool LabelUnit::end_pass() {
    if (median_known_) return true;
    median_known_ = median_.end_pass();
    return false;
}

// A number whose inverse can be multiplied by much.
double LabelUnit::value() const {
    for (const double sum : {distances_, sizes_})
        if (sum > 0) return std::max(std::min(sum, std::numeric_limits<double>::max()) / rows_, 1e-100);
    return 1;
}

void MeanByWeight::add(double omega) {
    if (omega > largest_) {
        // A power of two, so that dividing by it changes no digit; where 1/unit would not be a number, a larger one.
        const double unit = std::ldexp(1, std::max(std::ilogb(omega), -1000)), smaller = unit_ / unit;
        sum_ *= smaller;
        squares_ *= smaller * smaller;
        unit_ = unit;
        largest_ = omega;
    }
    const double share = omega / unit_;
    sum_ += share;
    squares_ += share * share;
}

bool Survey::is_wanted(const Settings& settings) {
    switch (traits_of(settings.learner).step_survey) {
        case StepSurvey::offset: return is_automatic(settings.step_offset);
        case StepSurvey::first_step: return is_automatic(settings.gamma0);
        case StepSurvey::none: break;
    }
    return false;
}

Survey::Looks Survey::looks_for(const Settings& settings) {
    if (traits_of(settings.learner).step_survey == StepSurvey::first_step) return Looks::first_maximum;
    return traits_of(settings.loss).slope_is_bounded || settings.shortens_steps() ? Looks::median : Looks::maximum;
}

Survey::Survey(const Settings& settings, int64_t rows, size_t room, Memory memory)
    : looks_(looks_for(settings)),
      L_(traits_of(settings.loss).L * settings.per_unit),
      median_(rows, looks_ == Looks::median ? room : 0, memory) {}

void Survey::add(double squared_length, double omega) {
    if (looks_ == Looks::median) median_.add(squared_length);
    if (!first_pass_) return;
    ++rows_;
    if (looks_ == Looks::first_maximum && rows_ > first_rows) return;
    largest_ = std::max(largest_, omega * (1 + squared_length));
    weights_.add(omega);
}

bool Survey::end_pass() {
    first_pass_ = false;
    return looks_ != Looks::median || median_.end_pass();
}

// Never 0 and never infinite, which weights near the ends of double would make of it: no gamma0 is.
double Survey::gamma0(double lambda) const {
    const double gamma0 = std::min(1 / largest_, 0.5 / lambda);  // 2 lambda could overflow
    using Limits = std::numeric_limits<double>;
    return std::clamp(gamma0, Limits::denorm_min(), Limits::max());
}

double Survey::K() const {
    if (looks_ == Looks::maximum) return largest_ / 2;
    return L_ * (1 + median_.value()) * weights_.mean();
}

// With K = infinity all weights of the model would be 0, and K = 0 would be the paper's first steps, which nobody asked
// for.
double Survey::step(double lambda) const {
    if (looks_ == Looks::first_maximum) return gamma0(lambda);
    const double K = this->K();
    if (K > 0 && std::isfinite(K)) return K;
    throw Error(Fault::out_of_range, "the weights of the rows are too %s for an automatic step size",
                K > 0 ? "large" : "small")
        .hint("Divide all weights by the same number, so that they are about 1, or give step_offset.");
}

}  // namespace sparselin
