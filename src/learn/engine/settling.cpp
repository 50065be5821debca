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
    : loss_(loss),
      penalty_(penalty),
      is_enclosed_(is_enclosed(loss.loss)),
      rows_(static_cast<double>(rows)),
      best_{1, b},
      tried_(best_) {}

void Newton::add(const ScoredRows& rows) {
    constexpr size_t size = ScoredRows::size;
    double p[size], value[size], slope[size], curvature[size], enclosing[size];
    for (size_t i = 0; i < size; ++i) p[i] = tried_.alpha * rows.s[i] + tried_.beta;
    judge_with_curvature(loss_, p, rows.y, value, slope, curvature, enclosing, size);
    const auto add_to = [&rows](Sum& sum, const double* number, int power) {
        sum.add(sum_over(int32_t{size}, StopSign(), [&rows, number, power](int32_t i) {
            const double s = rows.s[i], weighted = rows.omega[i] * number[i];
            return power == 0 ? weighted : power == 1 ? weighted * s : weighted * s * s;
        }));
    };
    add_to(sums_.value, value, 0);
    add_to(sums_.slope, slope, 0);
    add_to(sums_.slope_s, slope, 1);
    add_to(sums_.h, curvature, 0);
    add_to(sums_.h_s, curvature, 1);
    add_to(sums_.h_ss, curvature, 2);
    if (!is_enclosed_) return;
    add_to(sums_.enclosing, enclosing, 0);
    add_to(sums_.enclosing_s, enclosing, 1);
    add_to(sums_.enclosing_ss, enclosing, 2);
}

Newton::Point Newton::point() const {
    const auto& [alpha, beta] = tried_;
    const auto& [a2, a1, b2] = std::tie(penalty_.a2, penalty_.a1, penalty_.b2);
    const auto mean = [this](const Sum& sum) { return sum.value() / rows_; };
    return {.value = penalty_.value(alpha, beta) + mean(sums_.value),
            .g_alpha = a2 * alpha + a1 + mean(sums_.slope_s),
            .g_beta = b2 * beta + mean(sums_.slope),
            .h = {a2 + mean(sums_.h_ss), mean(sums_.h_s), b2 + mean(sums_.h)},
            .enclosing = {a2 + mean(sums_.enclosing_ss), mean(sums_.enclosing_s), b2 + mean(sums_.enclosing)}};
}

bool Newton::Point::is_finite() const {
    return std::isfinite(value + g_alpha + g_beta + h.alpha + h.both + h.beta);
}

// True when the minimum is as near as it gets.
bool Newton::end_round() {
    const Point now = point();
    sums_ = {};
    if (!now.is_finite() || !is_lower(now.value)) return turn_back();
    best_ = tried_;
    at_best_ = now;
    encloses_ = false;
    return last_ || ++rounds_ == most_rounds || !set_out(now.h, 1e-12 * now.value);
}

// What the last step gains is less than what the sums have lost by rounding.
bool Newton::is_lower(double value) const {
    return rounds_ == 0 || value <= (last_ ? at_best_.value + 1e-14 * at_best_.value : at_best_.value);
}

bool Newton::turn_back() {
    if (last_ || rounds_ == 0) return true;
    if (is_enclosed_ && !encloses_) {
        encloses_ = true;
        return !set_out(at_best_.enclosing, 0);
    }
    return ++halvings_ > most_halvings || !go(std::ldexp(1, -halvings_));
}

// False where there is nowhere to go. A step that promises no more than the least gain is the last one.
bool Newton::set_out(const Hessian& h, double least_gain) {
    step_ = direction(h);
    const double gain = -(at_best_.g_alpha * step_.alpha + at_best_.g_beta * step_.beta) / 2;
    if (!(gain > 0)) return false;
    halvings_ = 0;
    to_bound_ = best_.alpha + step_.alpha < penalty_.least_alpha;
    if (to_bound_) {
        const double share = (penalty_.least_alpha - best_.alpha) / step_.alpha;
        step_ = {share * step_.alpha, share * step_.beta};
    }
    last_ = !to_bound_ && gain <= least_gain;
    return go(1);
}

// False where that is no step any more.
bool Newton::go(double share) {
    tried_ = {best_.alpha + share * step_.alpha, best_.beta + share * step_.beta};
    if (to_bound_ && share == 1) tried_.alpha = penalty_.least_alpha;
    return tried_ != best_;
}

// Where the curvature is 0 in some direction, there is next to none instead.
Newton::Direction Newton::direction(const Hessian& h) const {
    const double g_alpha = at_best_.g_alpha, g_beta = at_best_.g_beta;
    const bool held = best_.alpha == penalty_.least_alpha && g_alpha > 0;
    const bool alpha_moves = penalty_.alpha_moves && !held, both = alpha_moves && penalty_.beta_moves;
    double a = alpha_moves ? h.alpha : 0, b = penalty_.beta_moves ? h.beta : 0;
    const double c = both ? h.both : 0, trace = a + b;
    const bool singular = both ? !(a * b - c * c > 1e-12 * a * b) : trace == 0;
    const double little = singular ? 1e-12 * (trace > 0 ? trace : 1) : 0;
    a += little;
    b += little;
    if (!both) return {alpha_moves ? -g_alpha / a : 0, penalty_.beta_moves ? -g_beta / b : 0};
    const double determinant = a * b - c * c;
    return {-(b * g_alpha - c * g_beta) / determinant, -(a * g_beta - c * g_alpha) / determinant};
}

Sections::Sections(const ChosenLoss& loss, const Penalty& penalty, double b, int64_t rows)
    : strength_(static_cast<double>(rows) * penalty.b2), result_{1, b} {
    slope_below_ = with_loss(loss, [](const auto& its) { return its.slope(-1, 0); });
    jump_ = with_loss(loss, [](const auto& its) { return its.slope(1, 0); }) - slope_below_;
}

void Sections::add(const ScoredRows& chunk) {
    const bool first = rounds_ == 0;
    for (size_t i = 0; i < ScoredRows::size; ++i) {
        const double r = chunk.y[i] - chunk.s[i], omega = chunk.omega[i];
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
