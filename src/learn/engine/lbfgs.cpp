#include "engine/lbfgs.h"

#include "base/processors.h"

#include <algorithm>
#include <cmath>

namespace sparselin {

namespace {

using Values = std::span<const double>;

// Calls work(from, to) for stretches of so many places.
template <typename Work>
void in_stretches(size_t size, StopSign stop, Work&& work) {
    constexpr size_t stretch = size_t{1} << 16;
    for (size_t from = 0; from < size; from += stretch) {
        work(from, std::min(size, from + stretch));
        stop.give_up();
    }
}

// A sum in four lanes, one of which takes what is left over.
struct Lanes {
    double lane[4] = {};
    double total() const { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }
};

SPARSELIN_FOR_EACH_PROCESSOR
void dot_in_lanes(const double* a, const double* b, size_t count, double* __restrict lane) {
    Lanes sum;
    std::copy_n(lane, 4, sum.lane);
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; ++k) sum.lane[k] += a[i + k] * b[i + k];
    for (; i < count; ++i) sum.lane[0] += a[i] * b[i];
    std::copy_n(sum.lane, 4, lane);
}

double dot(Values a, Values b, StopSign stop) {
    Lanes sum;
    in_stretches(a.size(), stop,
                 [&](size_t i, size_t end) { dot_in_lanes(a.data() + i, b.data() + i, end - i, sum.lane); });
    return sum.total();
}

SPARSELIN_FOR_EACH_PROCESSOR
void add_in_lanes(double* __restrict to, double factor, const double* __restrict b, const double* __restrict c,
                  size_t count, double* __restrict lane) {
    Lanes sum;
    std::copy_n(lane, 4, sum.lane);
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; ++k) {
            to[i + k] += factor * b[i + k];
            sum.lane[k] += c[i + k] * to[i + k];
        }
    for (; i < count; ++i) {
        to[i] += factor * b[i];
        sum.lane[0] += c[i] * to[i];
    }
    std::copy_n(sum.lane, 4, lane);
}

// to := to + factor b, and c.to after that: what is large is gone through once for both.
double add_and_dot(std::span<double> to, double factor, Values b, Values c, StopSign stop) {
    Lanes sum;
    in_stretches(to.size(), stop, [&](size_t i, size_t end) {
        add_in_lanes(to.data() + i, factor, b.data() + i, c.data() + i, end - i, sum.lane);
    });
    return sum.total();
}

// to := a + factor b
void add(std::span<double> to, Values a, double factor, Values b, StopSign stop) {
    in_stretches(to.size(), stop, [&](size_t i, size_t end) {
        for (; i < end; ++i) to[i] = a[i] + factor * b[i];
    });
}

// to := factor a / b
void divide(std::span<double> to, double factor, Values a, Values b, StopSign stop) {
    in_stretches(to.size(), stop, [&](size_t i, size_t end) {
        for (; i < end; ++i) to[i] = factor * a[i] / b[i];
    });
}

// Where the cubic is least that has these values and slopes at a and b; no number where there is none.
double cubic_minimum(double a, double value_a, double slope_a, double b, double value_b, double slope_b) {
    const double d1 = slope_a + slope_b - 3 * (value_a - value_b) / (a - b);
    const double d2 = std::copysign(std::sqrt(d1 * d1 - slope_a * slope_b), b - a);
    return b - (b - a) * (slope_b + d2 - d1) / (slope_b - slope_a + 2 * d2);
}

}  // namespace

Lbfgs::Lbfgs(size_t size, size_t remembered, Memory memory, StopSign stop)
    : size_(size),
      remembered_(remembered),
      memory_(memory),
      at_(size, memory, stop),
      trial_(size, memory, stop),
      lowest_(size, memory, stop),
      d_(size, memory, stop),
      curvature_(size, memory, stop),
      pairs_(memory) {}

bool Lbfgs::take(double value, StopSign stop) {
    if (done_ || go_on(value, stop)) return !done_;
    done_ = true;
    std::ranges::copy(at_.x.span(), trial_.x.span().begin());
    return false;
}

bool Lbfgs::go_on(double value, StopSign stop) {
    trial_.value = value;
    if (!begun_) {
        begun_ = true;
        std::swap(at_, trial_);
        find_direction(stop);
        return begin_search(stop);
    }
    return search(value, dot(trial_.g.span(), d_.span(), stop), stop);
}

// Where no step has told how much F curves, the first one is such that a fifth of F would go if it ran straight.
bool Lbfgs::begin_search(StopSign stop) {
    slope_ = dot(at_.g.span(), d_.span(), stop);
    const double t = by_gradient_ ? std::min(1.0, 0.2 * std::fabs(at_.value / slope_)) : 1;
    low_ = {0, at_.value, slope_};
    high_ = {infinity, infinity, 0};
    lowest_.value = infinity;
    places_ = 0;
    return go(t, stop);
}

// False where what is to be gained is less than a digit of the value.
bool Lbfgs::go(double t, StopSign stop) {
    if (!(-slope_ * t > 4 * std::numeric_limits<double>::epsilon() * std::fabs(at_.value)) || !std::isfinite(t))
        return false;
    t_ = t;
    add(trial_.x.span(), at_.x.span(), t, d_.span(), stop);
    return true;
}

bool Lbfgs::search(double value, double slope, StopSign stop) {
    constexpr double enough = 1e-4, flat = 0.9;
    constexpr int most_places = 20;
    const bool falls = std::isfinite(value) && std::isfinite(slope) && value <= at_.value + enough * t_ * slope_;
    if (falls && slope >= flat * slope_) return accept(stop);
    if (falls) {
        low_ = {t_, value, slope};
        keep_lowest();
    } else {
        high_ = {t_, value, slope};
    }
    const double t = next_place();
    if (++places_ < most_places && std::fabs(t - t_) > 1e-12 * t && go(t, stop)) return true;
    if (std::isfinite(lowest_.value)) {
        std::swap(trial_, lowest_);
        return accept(stop);
    }
    // The direction is no good: once more from here, by the gradient.
    if (by_gradient_) return false;
    pairs_.clear();
    first_ = 0;
    find_direction(stop);
    return begin_search(stop);
}

void Lbfgs::keep_lowest() {
    if (trial_.value < lowest_.value) std::swap(lowest_, trial_);
}

void Lbfgs::settle_for_lowest() {
    if (lowest_.value < at_.value) std::swap(at_, lowest_);
    lowest_.value = infinity;
}

// Between low_ and high_, and not close to either; beyond low_ where there is no high_ yet.
double Lbfgs::next_place() const {
    if (std::isinf(high_.t)) {
        const double t = cubic_minimum(0, at_.value, slope_, low_.t, low_.value, low_.slope);
        return std::isfinite(t) && t > 2 * low_.t ? std::min(t, 10 * low_.t) : 2 * low_.t;
    }
    const double width = high_.t - low_.t;
    if (!std::isfinite(high_.value) || !std::isfinite(high_.slope)) return low_.t + width / 10;
    const double t = cubic_minimum(low_.t, low_.value, low_.slope, high_.t, high_.value, high_.slope);
    if (!std::isfinite(t)) return low_.t + width / 2;
    return std::clamp(t, low_.t + width / 10, high_.t - width / 10);
}

bool Lbfgs::accept(StopSign stop) {
    remember(stop);
    std::swap(at_, trial_);
    find_direction(stop);
    return begin_search(stop);
}

// A pair that says nothing of the curvature, by rounding, is left out.
void Lbfgs::remember(StopSign stop) {
    size_t place = pairs_.size();
    if (place < remembered_) {
        pairs_.push_back(Box<Pair>::make<Pair>(memory_, size_, memory_, stop));
    } else {
        place = first_;
        first_ = (first_ + 1) % remembered_;
    }
    Pair& pair = *pairs_[place];
    add(pair.s.span(), trial_.x.span(), -1, at_.x.span(), stop);
    add(pair.y.span(), trial_.g.span(), -1, at_.g.span(), stop);
    pair.sy = dot(pair.s.span(), pair.y.span(), stop);
    const double ss = dot(pair.s.span(), pair.s.span(), stop), yy = dot(pair.y.span(), pair.y.span(), stop);
    pair.tells = pair.sy > std::numeric_limits<double>::epsilon() * std::sqrt(ss) * std::sqrt(yy);
    if (pair.tells) learn_curvature(pair, stop);
}

// Above 0 but for rounding.
void Lbfgs::learn_curvature(const Pair& pair, StopSign stop) {
    const Values s = pair.s.span(), y = pair.y.span();
    const std::span<double> h = curvature_.span();
    double shs = 0, yy_h = 0;
    in_stretches(size_, stop, [&](size_t i, size_t end) {
        for (; i < end; ++i) {
            shs += s[i] * s[i] * h[i];
            yy_h += y[i] * y[i] / h[i];
        }
    });
    const double a = yy_h / pair.sy;
    in_stretches(size_, stop, [&](size_t i, size_t end) {
        for (; i < end; ++i) {
            const double scaled = a * h[i], hs = h[i] * s[i];
            const double next = scaled + y[i] * y[i] / pair.sy - a * (hs * hs / shs);
            h[i] = std::max(next, std::numeric_limits<double>::epsilon() * scaled);
        }
    });
}

// d = -H g by two loops over the pairs, the latest first and then the oldest first.
void Lbfgs::find_direction(StopSign stop) {
    const std::span<double> d = d_.span(), g = at_.g.span();
    std::array<const Pair*, most_remembered> pairs;
    std::array<double, most_remembered> alpha;
    size_t count = 0;
    for (size_t i = 0; i < pairs_.size(); ++i)
        if (const Pair& pair = *pairs_[(first_ + i) % pairs_.size()]; pair.tells) pairs[count++] = &pair;
    by_gradient_ = count == 0;
    std::ranges::copy(g, d.begin());
    double product = count > 0 ? dot(pairs[count - 1]->s.span(), d, stop) : 0;  // that the next step needs
    for (size_t i = count; i-- > 0;) {
        alpha[i] = product / pairs[i]->sy;
        const Values next = i > 0 ? pairs[i - 1]->s.span() : curvature_.span();
        product = add_and_dot(d, -alpha[i], pairs[i]->y.span(), next, stop);
    }
    divide(d, -1, d, curvature_.span(), stop);
    product = dot(count > 0 ? pairs[0]->y.span() : Values(g), d, stop);
    for (size_t i = 0; i < count; ++i) {
        const double beta = product / pairs[i]->sy;
        const Values next = i + 1 < count ? pairs[i + 1]->y.span() : Values(g);
        product = add_and_dot(d, -alpha[i] - beta, pairs[i]->s.span(), next, stop);
    }
    if (product < 0) return;
    divide(d, -1, g, curvature_.span(), stop);
    by_gradient_ = true;
}

}  // namespace sparselin
