#include "survey/survey.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparselin {

LowerMedian::LowerMedian(Memory memory, Signs signs, size_t room) : room_(room), kept_(memory), sections_(memory) {
    if (signs == Signs::any) range_.low = ~range_.high;
    band_ = range_;
}

// The more numbers, the further the median may still move.
size_t LowerMedian::most_kept() const {
    constexpr size_t few = 16384;
    return std::min(std::max(static_cast<size_t>(in_range_) / 16, few), room_);
}

void LowerMedian::add(double number) {
    uint64_t bits = std::bit_cast<uint64_t>(number + 0.0);
    bits = (bits & sign) != 0 ? ~bits : bits | sign;
    if (!range_.has(bits)) return;
    if (band_.has(bits)) {
        if (kept_.size() >= most_kept()) narrow_band();
        if (band_.has(bits)) kept_.push_back(bits);
    }
    ++in_range_;
    below_band_ += bits < band_.low;
    if (!sections_.empty()) count(bits);
}

// To half of those that may be kept.
void LowerMedian::narrow_band() {
    if (sections_.empty()) count_in_sections();
    const auto rank = static_cast<int64_t>(share_ * static_cast<double>(in_range_)) - below_band_;
    const auto end = static_cast<int64_t>(kept_.size()), reach = static_cast<int64_t>(most_kept() / 4);
    const int64_t middle = std::clamp<int64_t>(rank, 0, end - 1);
    const int64_t first = std::max<int64_t>(middle - reach, 0), last = std::min(middle + reach, end - 1);
    const auto kept = kept_.begin();
    std::nth_element(kept, kept + first, kept_.end());
    if (first > 0) band_.low = kept[first];
    std::nth_element(kept + first, kept + last, kept_.end());
    if (last + 1 < end) band_.high = kept[last];
    below_band_ += first;
    kept_.erase(kept + last + 1, kept_.end());
    kept_.erase(kept, kept + first);
}

void LowerMedian::count_in_sections() {
    sections_.resize(section_count);
    for (const uint64_t bits : kept_) count(bits);
}

void LowerMedian::count(uint64_t bits) {
    const uint64_t width = (range_.high - range_.low) / section_count + 1;
    Section& section = sections_[(bits - range_.low) / width];
    ++section.count;
    section.of = {std::min(section.of.low, bits), std::max(section.of.high, bits)};
}

bool LowerMedian::end_pass() {
    if (rank_ < 0) rank_ = (in_range_ - 1) / 2;
    const int64_t in_band = rank_ - below_band_;
    if (in_band >= 0 && in_band < static_cast<int64_t>(kept_.size())) {
        const auto median = kept_.begin() + in_band;
        std::nth_element(kept_.begin(), median, kept_.end());
        range_ = {*median, *median};
        return true;
    }
    int64_t before = 0;
    auto section = sections_.begin();
    while (rank_ >= before + section->count) before += (section++)->count;
    share_ = static_cast<double>(rank_ - before) / static_cast<double>(section->count);
    go_on_with(section->of, rank_ - before);
    return range_.low == range_.high;
}

void LowerMedian::go_on_with(Range range, int64_t rank) {
    range_ = band_ = range;
    rank_ = rank;
    in_range_ = below_band_ = 0;
    kept_.clear();
    sections_.clear();
}

double LowerMedian::value() const {
    return std::bit_cast<double>((range_.low & sign) != 0 ? range_.low & ~sign : ~range_.low);
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

Survey::Survey(const Settings& settings, Memory memory, size_t room)
    : looks_(looks_for(settings)), median_(memory, LowerMedian::Signs::none, room) {}

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

double Survey::K(const Settings& settings) const {
    if (looks_ == Looks::maximum) return largest_ / 2;
    return traits_of(settings.loss).L * settings.per_unit * (1 + median_.value()) * weights_.mean();
}

// With K = infinity all weights of the model would be 0, and K = 0 would be the paper's first steps, which nobody asked
// for.
double Survey::step(const Settings& settings) const {
    if (looks_ == Looks::first_maximum) return gamma0(settings.lambda);
    const double K = this->K(settings);
    if (K > 0 && std::isfinite(K)) return K;
    throw Error(Fault::out_of_range, "the weights of the rows are too %s for an automatic step size",
                K > 0 ? "large" : "small")
        .hint("Divide all weights by the same number, so that they are about 1, or give step_offset.");
}

}  // namespace sparselin
