// The losses (Dekel's Table 1): what a prediction p costs where the label is y, its slope, the derivative in p, and
// what else there is to know of each. For any y, though labels of classes are -1 and 1.
//
// For Newton's method those that are smooth have the curvature, the derivative of the slope, and the enclosing one:
// that of the parabola that touches the loss at p and is nowhere below it.
//
// A step that would overshoot goes by the slope where it ends. implicit_slope(p0, y, r) is slope(p', y) at the p' for
// which p' = p0 - r slope(p', y), r > 0, and never made from p' itself, where it cancels. A loss that has none has its
// steps shortened (heavy_slope).
#pragma once

#include "base/error.h"
#include "base/exponential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace sparselin {

enum class Loss : uint8_t { logistic, hinge, squared_hinge, squared, absolute, multinomial, huber, quantile };

// What makes a score, which is any number, the probability of the positive class.
enum class Link : uint8_t { none, sigmoid, softmax };

struct LossTraits {
    const char* name;
    bool for_classes;       // labels are -1 and 1; else they are numbers
    double L;               // the curvature: how fast the slope grows with the prediction, at most; 1 where it jumps
    bool slope_is_bounded;  // by 1, or its parameter; else it grows with the error
    Link link;
    bool joint = false;               // one loss of all classes together, not one of each
    const char* parameter = nullptr;  // the option that is its parameter
    bool has_unit = false;            // labels in another unit have slopes no larger, or not for long
    double most_explicit = std::numeric_limits<double>::infinity();  // c is no larger: steps beyond 2/L grow, see reach
};

// A loss, and its parameter where it has one.
struct ChosenLoss {
    ChosenLoss(Loss loss, double parameter = 0) : loss(loss), parameter(parameter) {}

    Loss loss;
    double parameter;
};

// The root s' of s' = s + r / (1 + exp(s')), r > 0: where the step of a logistic loss ends, in terms of y p.
struct ImplicitScore {
    double s;
    int rounds;  // that it took
};
ImplicitScore implicit_score(double s, double r);

// What a loss says of a prediction. The value lacks log(1 + e), which is taken of many together.
struct Judged {
    double value, slope;
    double e = 0;
};

struct LogisticLoss {
    static constexpr LossTraits traits = {"logistic", true, 0.25, true, Link::sigmoid};
    static constexpr double value_of_zero = log_of_one_and(1);  // whatever the label
    double value(double p, double y) const {
        const double s = p * y;
        return (std::fabs(s) - s) / 2 + log_of_one_and(exp_of_minus(std::fabs(s)));
    }
    double slope(double p, double y) const {
        const double s = p * y, e = exp_of_minus(std::fabs(s));
        return -y * chosen_by_sign(s, e, 1) / (1 + e);
    }
    // The same two numbers by one exp, and a log to come.
    Judged judged(double p, double y) const {
        const double s = p * y, e = exp_of_minus(std::fabs(s));
        return {(std::fabs(s) - s) / 2, -y * chosen_by_sign(s, e, 1) / (1 + e), e};
    }
    // With L r in place of r: rows that long have scores as large, and F ends lower where they may go some way there.
    double implicit_slope(double p0, double y, double r) const {
        return slope(y * implicit_score(y * p0, traits.L * r).s, y);
    }

    double curvature(double p, double y) const {
        const double e = exp_of_minus(std::fabs(p * y));
        return y * y * e / ((1 + e) * (1 + e));
    }
    double enclosing_curvature(double p, double y) const {
        const double s = std::fabs(p * y), e = exp_of_minus(s);
        return y * y * (s < 1e-5 ? 0.25 : (1 - e) / (1 + e) / (2 * s));
    }

    // Both, of so many predictions.
    static void judge_each(const double* p, const double* y, double* value, double* slope, size_t count);
};

struct HingeLoss {
    static constexpr LossTraits traits = {"hinge", true, 1, true, Link::none};
    double value(double p, double y) const { return std::max(0.0, 1 - p * y); }
    double slope(double p, double y) const { return p * y <= 1 ? -y : 0; }
    double implicit_slope(double p0, double y, double r) const { return -y * std::clamp((1 - y * p0) / r, 0.0, 1.0); }
};

struct SquaredHingeLoss {
    static constexpr LossTraits traits = {"squared_hinge", true, 1, false, Link::none, false, nullptr, false, 1};
    double value(double p, double y) const {
        const double short_by = std::max(0.0, 1 - p * y);
        return short_by * short_by / 2;
    }
    double slope(double p, double y) const { return -y * std::max(0.0, 1 - p * y); }
    double curvature(double p, double y) const { return p * y < 1 ? y * y : 0; }
    double enclosing_curvature(double, double y) const { return y * y; }
    double implicit_slope(double p0, double y, double r) const { return slope(p0, y) / (1 + r); }
};

struct SquaredLoss {
    static constexpr LossTraits traits = {"squared", false, 1, false, Link::none, false, nullptr, false, 1};
    double value(double p, double y) const { return (p - y) * (p - y) / 2; }
    double slope(double p, double y) const { return p - y; }
    double curvature(double, double) const { return 1; }
    double enclosing_curvature(double, double) const { return 1; }
    double implicit_slope(double p0, double y, double r) const { return (p0 - y) / (1 + r); }
};

struct AbsoluteLoss {
    static constexpr LossTraits traits = {"absolute", false, 1, true, Link::none, false, nullptr, true};
    static constexpr bool moves_where_right = true;  // its slope is not 0 at p = y
    double value(double p, double y) const { return std::fabs(p - y); }
    double slope(double p, double y) const { return p <= y ? -1 : 1; }
    double implicit_slope(double p0, double y, double r) const { return std::clamp((p0 - y) / r, -1.0, 1.0); }
};

// log sum_k exp(p_k) - p_y: y[k] is 1 for the row's own class, and -1 for all others.
struct MultinomialLoss {
    static constexpr LossTraits traits = {"multinomial", true, 0.5, true, Link::softmax, true};

    // Of a class that is the only one.
    double value(double, double) const { return 0; }
    double slope(double, double) const { return 0; }

    // Of all; the slopes come into `slope`, which may be p itself.
    double judge(std::span<const double> p, const double* y, double* slope) const {
        const double most = *std::ranges::max_element(p);
        double sum = 0, own = 0;
        for (size_t k = 0; k < p.size(); ++k) {
            if (y[k] == 1) own = p[k] - most;
            slope[k] = std::exp(p[k] - most);
            sum += slope[k];
        }
        for (size_t k = 0; k < p.size(); ++k) slope[k] = slope[k] / sum - (y[k] == 1 ? 1 : 0);
        return std::log(sum) - own;
    }

    // In one of the scores, whose slope is known.
    static double curvature_in_one(double slope, double y) {
        const double probability = y == 1 ? slope + 1 : slope;
        return probability * (1 - probability);
    }
};

// Squared for errors up to delta, and from there on as slow as absolute.
struct HuberLoss {
    static constexpr LossTraits traits = {"huber", false, 1, true, Link::none, false, "delta", true, 2};
    explicit HuberLoss(double delta) : delta(delta) {}
    double value(double p, double y) const {
        const double r = std::fabs(p - y);
        return r <= delta ? r * r / 2 : delta * (r - delta / 2);
    }
    double slope(double p, double y) const { return std::clamp(p - y, -delta, delta); }
    double curvature(double p, double y) const { return std::fabs(p - y) <= delta ? 1 : 0; }
    double enclosing_curvature(double p, double y) const { return delta / std::max(std::fabs(p - y), delta); }
    double curvature_in_unit(double S) const { return std::min(1.0, delta / S); }
    double implicit_slope(double p0, double y, double r) const { return std::clamp((p0 - y) / (1 + r), -delta, delta); }
    double delta;
};

// Least where a share of tau of the labels lies below the prediction.
struct QuantileLoss {
    static constexpr LossTraits traits = {"quantile", false, 1, true, Link::none, false, "quantile", true};
    static constexpr bool moves_where_right = true;
    explicit QuantileLoss(double tau) : tau(tau) {}
    double value(double p, double y) const { return p <= y ? tau * (y - p) : (1 - tau) * (p - y); }
    double slope(double p, double y) const { return p <= y ? -tau : 1 - tau; }
    double implicit_slope(double p0, double y, double r) const { return std::clamp((p0 - y) / r, -tau, 1 - tau); }
    double tau;
};

// Their numbers, in the enum as here, are part of what is stored: a loss may come, at the end, but none may move.
template <typename... Losses>
struct ListOfLosses {
    static constexpr std::array traits = {Losses::traits...};
    template <size_t number>
    using At = std::tuple_element_t<number, std::tuple<Losses...>>;
};
using EveryLoss = ListOfLosses<LogisticLoss, HingeLoss, SquaredHingeLoss, SquaredLoss, AbsoluteLoss, MultinomialLoss,
                               HuberLoss, QuantileLoss>;

constexpr auto loss_table = EveryLoss::traits;

constexpr const LossTraits& traits_of(Loss loss) {
    return loss_table[static_cast<size_t>(loss)];
}
constexpr const char* name_of(Loss loss) {
    return traits_of(loss).name;
}
constexpr bool is_classification(Loss loss) {
    return traits_of(loss).for_classes;
}
constexpr bool gives_probabilities(Loss loss) {
    return traits_of(loss).link != Link::none;
}

// Losses whose value has a log in it.
template <typename LossFunction>
concept HasLog = requires(const LossFunction& loss, double p) {
    loss.judged(p, p).e;
};

template <typename LossFunction>
Judged judged(const LossFunction& loss, double p, double y) {
    if constexpr (HasLog<LossFunction>) return loss.judged(p, y);
    return {loss.value(p, y), loss.slope(p, y)};
}

// log(1 + e) of each, in its place.
void take_logs(double* e, size_t count);

// The loss of predicting 0, which every step asks for.
template <typename LossFunction>
double value_of_zero(const LossFunction& loss, double y) {
    if constexpr (requires { LossFunction::value_of_zero; }) return LossFunction::value_of_zero;
    return loss.value(0, y);
}

// What one step from 0 predicts, with a loss that moves away from predictions that are right: how far the step of this
// row has moved its own prediction is q.
template <typename LossFunction>
double idle_loss_after(const LossFunction& loss, double y, double q) {
    return std::max(value_of_zero(loss, y), loss.value(-q * loss.slope(0, y), y));
}

// The slope for a step that moves the row's own prediction by q slopes, which is further than `reach`: what is beyond
// that goes by the slope where the step ends. `slope` is that of the prediction as it is, p0 that prediction after a
// step of slope 0.
template <typename LossFunction>
double heavy_slope(const LossFunction& loss, double slope, double p0, double y, double q, double reach) {
    if constexpr (requires { loss.implicit_slope(p0, y, q); }) return loss.implicit_slope(p0, y, q - reach);
    return slope * (reach / q);
}

// Calls work(loss) with the struct that goes by the name.
template <size_t number = 0, typename Work>
auto with_loss(const ChosenLoss& chosen, Work&& work) {
    using LossFunction = EveryLoss::At<number>;
    if constexpr (number + 1 < loss_table.size())
        if (chosen.loss != static_cast<Loss>(number)) return with_loss<number + 1>(chosen, work);
    if constexpr (LossFunction::traits.parameter != nullptr) {
        return work(LossFunction(chosen.parameter));
    } else {
        return work(LossFunction());
    }
}

// Losses that have a curvature; and those whose slope is a number below the label and another one above it.
template <typename LossFunction>
concept Curves = requires(const LossFunction& loss, double p) {
    loss.curvature(p, p);
    loss.enclosing_curvature(p, p);
};
template <typename LossFunction>
concept JumpsAtLabel = requires {
    LossFunction::moves_where_right;
};

inline bool curves(Loss loss) {
    return with_loss(loss, [](const auto& its) { return Curves<std::remove_cvref_t<decltype(its)>>; });
}
inline bool jumps_at_label(Loss loss) {
    return with_loss(loss, [](const auto& its) { return JumpsAtLabel<std::remove_cvref_t<decltype(its)>>; });
}
// What settling (engine/settling.h) has a way for.
inline bool can_settle(Loss loss) {
    return curves(loss) || jumps_at_label(loss);
}

enum class Curvature : uint8_t { own, enclosing };

// Value, slope and curvature, of so many predictions of a loss that curves.
void judge_with_curvature(const ChosenLoss& chosen, Curvature which, const double* p, const double* y, double* value,
                          double* slope, double* curvature, size_t count);

// What takes the place of the curvature where labels lie S from their median: steps and a lambda that go by it do the
// same in any unit. 1 for losses that have a curvature of their own.
inline double curvature_per_unit(const ChosenLoss& chosen, double S) {
    if (!traits_of(chosen.loss).has_unit) return 1;
    return with_loss(chosen, [S](const auto& loss) {
        if constexpr (requires { loss.curvature_in_unit(S); }) return loss.curvature_in_unit(S);
        return 1 / S;
    });
}

}  // namespace sparselin
