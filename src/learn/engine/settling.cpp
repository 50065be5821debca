#include "engine/settling.h"

#include <cmath>

namespace sparselin {

void Settled::apply_to(Model& model, StopSign stop) const {
    const double w_mu = model.centred_bias[0] - model.bias[0];
    size_t kept = 0;
    each_below(model.index.size(), stop, [&](size_t i) {
        const double weight = alpha * model.weight[i];
        check_finite(weight, "weight of a feature", model.steps);
        if (weight == 0) return;
        model.index[kept] = model.index[i];
        model.weight[kept++] = weight;
    });
    model.index.resize(kept);
    model.weight.resize(kept);
    model.centred_bias[0] = beta;
    model.bias[0] = beta - alpha * w_mu;
    check_finite(model.bias[0], "bias", model.steps);
}

Penalty::Penalty(const Settings& settings, const Outline& outline) {
    const auto option = [](double number) { return is_automatic(number) ? 0 : number; };
    const double lambda = option(settings.lambda);
    const bool truncates = settings.learner == LearnerKind::truncated, has_weights = outline.sizes > 0;
    a2 = lambda * outline.squares;
    a1 = truncates ? option(settings.gravity) * outline.small_sizes : option(settings.l1) * outline.sizes;
    if (traits_of(settings.learner).penalises_bias) {
        b2 = lambda;
    } else {
        least_alpha = 0;
    }
    if (has_weights && !(a2 + a1 > 0)) return;
    alpha_moves = has_weights && curves(settings.loss);
    beta_moves = settings.intercept;
}

Newton::Newton(const ChosenLoss& loss, const Penalty& penalty, double b, int64_t rows)
    : loss_(loss), penalty_(penalty), rows_(static_cast<double>(rows)), best_{1, b}, tried_(best_) {}

void Newton::add(const ScoredRows& rows) {
    constexpr size_t size = ScoredRows::size;
    double p[size], value[size], slope[size], curvature[size];
    for (size_t i = 0; i < size; ++i) p[i] = tried_.alpha * rows.s[i] + tried_.beta;
    judge_with_curvature(loss_, curvature_, p, rows.y, value, slope, curvature, size);
    const auto add_to = [](Sum& sum, auto&& term) { sum.add(sum_over(int32_t{size}, StopSign(), term)); };
    add_to(sums_.value, [&](int32_t i) { return rows.omega[i] * value[i]; });
    add_to(sums_.slope, [&](int32_t i) { return rows.omega[i] * slope[i]; });
    add_to(sums_.slope_s, [&](int32_t i) { return rows.omega[i] * slope[i] * rows.s[i]; });
    add_to(sums_.curvature, [&](int32_t i) { return rows.omega[i] * curvature[i]; });
    add_to(sums_.curvature_s, [&](int32_t i) { return rows.omega[i] * curvature[i] * rows.s[i]; });
    add_to(sums_.curvature_ss, [&](int32_t i) { return rows.omega[i] * curvature[i] * rows.s[i] * rows.s[i]; });
}

Newton::Point Newton::point() const {
    const auto& [alpha, beta] = tried_;
    const auto mean = [this](const Sum& sum) { return sum.value() / rows_; };
    return {.value = penalty_.value(alpha, beta) + mean(sums_.value),
            .g_alpha = penalty_.a2 * alpha + penalty_.a1 + mean(sums_.slope_s),
            .g_beta = penalty_.b2 * beta + mean(sums_.slope),
            .h_alpha = penalty_.a2 + mean(sums_.curvature_ss),
            .h_both = mean(sums_.curvature_s),
            .h_beta = penalty_.b2 + mean(sums_.curvature)};
}

bool Newton::Point::is_finite() const {
    return std::isfinite(value + g_alpha + g_beta + h_alpha + h_both + h_beta);
}

// True when the minimum is as near as it gets.
bool Newton::end_round() {
    const Point now = point();
    sums_ = {};
    if (std::exchange(curvature_, Curvature::own) == Curvature::enclosing) return !set_out(now);
    if (!now.is_finite() || !is_lower(now.value)) return turn_back();
    best_ = tried_;
    least_ = now.value;
    stretch_ = goes_by_parabola_ && halvings_ == 0 ? 2 * stretch_ : 1;
    goes_by_parabola_ = false;
    return last_ || ++rounds_ == most_rounds || !set_out(now);
}

// What the last step gains is less than what the sums have lost by rounding.
bool Newton::is_lower(double value) const {
    return rounds_ == 0 || value <= (last_ ? least_ + 1e-14 * least_ : least_);
}

bool Newton::turn_back() {
    if (last_ || rounds_ == 0) return true;
    if (goes_by_parabola_) return ++halvings_ > most_halvings || !go(std::ldexp(1, -halvings_));
    goes_by_parabola_ = true;
    curvature_ = Curvature::enclosing;
    tried_ = best_;
    return false;
}

// False where there is nowhere to go.
bool Newton::set_out(const Point& from) {
    step_ = direction(from);
    const double gain = -(from.g_alpha * step_.alpha + from.g_beta * step_.beta) / 2;
    if (!(gain > 0)) return false;
    if (goes_by_parabola_) step_ = {stretch_ * step_.alpha, stretch_ * step_.beta};
    halvings_ = 0;
    to_bound_ = best_.alpha + step_.alpha < penalty_.least_alpha;
    if (to_bound_) {
        const double share = (penalty_.least_alpha - best_.alpha) / step_.alpha;
        step_ = {share * step_.alpha, share * step_.beta};
    }
    last_ = !to_bound_ && !goes_by_parabola_ && gain <= 1e-12 * least_;
    return go(1);
}

// False where that is no step any more.
bool Newton::go(double share) {
    tried_ = {best_.alpha + share * step_.alpha, best_.beta + share * step_.beta};
    if (to_bound_ && share == 1) tried_.alpha = penalty_.least_alpha;
    return tried_ != best_;
}

// Where the curvature is 0 in some direction, there is next to none instead. No number is multiplied by another of its
// size, as weights may be of any.
Newton::Direction Newton::direction(const Point& from) const {
    const bool held = best_.alpha == penalty_.least_alpha && from.g_alpha > 0;
    const bool alpha_moves = penalty_.alpha_moves && !held, both = alpha_moves && penalty_.beta_moves;
    double a = alpha_moves ? from.h_alpha : 0, b = penalty_.beta_moves ? from.h_beta : 0;
    const double c = both ? from.h_both : 0, trace = a + b;
    const bool singular = both ? !(b - c * (c / a) > 1e-12 * b) : trace == 0;
    const double little = singular ? 1e-12 * (trace > 0 ? trace : 1) : 0;
    a += little;
    b += little;
    if (!both) return {alpha_moves ? -from.g_alpha / a : 0, penalty_.beta_moves ? -from.g_beta / b : 0};
    const double beta = -(from.g_beta - c / a * from.g_alpha) / (b - c * (c / a));
    return {-(from.g_alpha + c * beta) / a, beta};
}

Sections::Sections(const ChosenLoss& loss, const Penalty& penalty, double b, int64_t rows)
    : strength_(static_cast<double>(rows) * penalty.b2), result_{1, b} {
    slope_below_ = with_loss(loss, [](const auto& its) { return its.slope(-1, 0); });
    jump_ = with_loss(loss, [](const auto& its) { return its.slope(1, 0); }) - slope_below_;
}

void Sections::add(const ScoredRows& rows) {
    const bool first = rounds_ == 0;
    for (size_t i = 0; i < ScoredRows::size; ++i) {
        const double r = rows.y[i] - rows.s[i], omega = rows.omega[i];
        if (omega == 0 || r > high_) continue;
        if (first) omega_ += omega;
        if (r < low_) {
            omega_below_ += omega;
            continue;
        }
        Section& its = sections_[first ? 0 : section_of(r)];
        its.omega += omega;
        its.least = std::min(its.least, r);
        its.most = std::max(its.most, r);
    }
}

// It grows with r, so that rows of a later section have a larger one.
size_t Sections::section_of(double r) const {
    const double place = (r - low_) * (static_cast<double>(count) / (high_ - low_));
    if (!(place > 0)) return 0;
    return place < static_cast<double>(count) ? static_cast<size_t>(place) : count - 1;
}

// m times that of phi, right of beta; omega_up_to is that of the rows up to beta.
double Sections::slope(double beta, double omega_up_to) const {
    return strength_ * beta + slope_below_ * omega_ + jump_ * omega_up_to;
}

// Where the slope is 0 between two r, as the penalty alone changes it there.
double Sections::zero_between(double low, double high, double omega_up_to) const {
    if (strength_ == 0) return std::isfinite(high) ? high : low;
    return std::clamp(-(slope_below_ * omega_ + jump_ * omega_up_to) / strength_, low, high);
}

bool Sections::end_round() {
    double before = -infinity, omega = omega_below_;
    const Section* found = nullptr;
    for (const Section& section : sections_) {
        if (section.is_empty()) continue;
        if (found != nullptr) {
            before = found->most;
            omega += found->omega;
        }
        found = &section;
        if (slope(section.most, omega + section.omega) >= 0) break;
    }
    if (found == nullptr) return true;
    const Section section = *found;
    sections_ = {};
    omega_below_ = 0;
    return narrow_to(section, before, omega);
}

// True when beta is known.
bool Sections::narrow_to(const Section& section, double before, double omega_before) {
    const auto& [omega, least, most] = section;
    if (!std::isfinite(least) || !std::isfinite(most) || !std::isfinite(omega_)) return true;
    if (slope(least, omega_before) >= 0) return end_at(zero_between(before, least, omega_before));
    if (slope(most, omega_before + omega) < 0) return end_at(zero_between(most, infinity, omega_before + omega));
    if (least == most || ++rounds_ == most_rounds) return end_at(most);
    low_ = least;
    high_ = most;
    return false;
}

bool Sections::end_at(double beta) {
    result_.beta = beta;
    return true;
}

}  // namespace sparselin
