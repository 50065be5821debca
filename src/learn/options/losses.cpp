#include "options/losses.h"

#include "base/processors.h"

namespace sparselin {

// Four at a time: a few more take no longer than one by itself.
SPARSELIN_FOR_EACH_PROCESSOR
static void judge_logistic(const double* __restrict p, const double* __restrict y, double* __restrict value,
                           double* __restrict slope, size_t count) {
    constexpr LogisticLoss loss;
    constexpr size_t four = 4;
    const size_t rest = count % four;
    for (size_t i = 0; i < count - rest; ++i) {
        value[i] = loss.value(p[i], y[i]);
        slope[i] = loss.slope(p[i], y[i]);
    }
    if (rest == 0) return;
    double its_p[four] = {}, its_y[four] = {}, its_value[four], its_slope[four];
    const size_t first = count - rest;
    for (size_t i = 0; i < rest; ++i) {
        its_p[i] = p[first + i];
        its_y[i] = y[first + i];
    }
    for (size_t i = 0; i < four; ++i) {
        its_value[i] = loss.value(its_p[i], its_y[i]);
        its_slope[i] = loss.slope(its_p[i], its_y[i]);
    }
    for (size_t i = 0; i < rest; ++i) {
        value[first + i] = its_value[i];
        slope[first + i] = its_slope[i];
    }
}

SPARSELIN_FOR_EACH_PROCESSOR
static void logs_of_one_and(double* e, size_t count) {
    for (size_t i = 0; i < count; ++i) e[i] = log_of_one_and(e[i]);
}

void take_logs(double* e, size_t count) {
    logs_of_one_and(e, count);
}

void LogisticLoss::judge_each(const double* p, const double* y, double* value, double* slope, size_t count) {
    judge_logistic(p, y, value, slope, count);
}

// Of labels that are -1 and 1: q (1 - q), q being the size of the slope, the probability of the other class.
SPARSELIN_FOR_EACH_PROCESSOR
static void curvature_of_logistic(const double* __restrict slope, double* __restrict curvature, size_t count) {
    for (size_t i = 0; i < count; ++i) curvature[i] = std::fabs(slope[i]) * (1 - std::fabs(slope[i]));
}

template <typename LossFunction>
static void judge_all(const LossFunction& its, Curvature which, const double* __restrict p, const double* __restrict y,
                      double* __restrict value, double* __restrict slope, double* __restrict curvature, size_t count) {
    const LossFunction loss = its;
    if constexpr (std::is_same_v<LossFunction, LogisticLoss>) {
        judge_logistic(p, y, value, slope, count);
        if (which == Curvature::own) return curvature_of_logistic(slope, curvature, count);
    } else {
        for (size_t i = 0; i < count; ++i) {
            value[i] = loss.value(p[i], y[i]);
            slope[i] = loss.slope(p[i], y[i]);
        }
    }
    for (size_t i = 0; i < count; ++i)
        curvature[i] = which == Curvature::own ? loss.curvature(p[i], y[i]) : loss.enclosing_curvature(p[i], y[i]);
}

void judge_with_curvature(const ChosenLoss& chosen, Curvature which, const double* p, const double* y, double* value,
                          double* slope, double* curvature, size_t count) {
    with_loss(chosen, [&](const auto& loss) {
        if constexpr (Curves<std::remove_cvref_t<decltype(loss)>>)
            judge_all(loss, which, p, y, value, slope, curvature, count);
    });
}

// log x for x >= 1, in plain arithmetic as well.
static double log_of(double x) {
    const int exponent = std::ilogb(x);
    return exponent * 0x1.62e42fefa39efp-1 + log_of_one_and(std::ldexp(x, -exponent) - 1);
}

// Near the root for short steps, and for long ones, whose ends lie where exp(s') is about r.
static double first_guess(double s, double r, double share) {
    const double guess = s + r * share / (1 + r / 4);
    if (r <= 8) return guess;
    const double log_r = log_of(r);
    return std::max(guess, std::min(s + r, log_r - log_of(std::max(1.0, log_r - s))));
}

// By Newton's method in the bracket [s, s + r], in which the root lies: beyond a bound it is halved.
ImplicitScore implicit_score(double s, double r) {
    if (r == std::numeric_limits<double>::infinity()) return {r, 0};
    const auto share_at = [](double at) { return -LogisticLoss().slope(at, 1); };
    double low = s, high = s + r, root = first_guess(s, r, share_at(s));
    double change;
    int rounds = 0;
    do {
        const double share = share_at(root), ahead = root - s - r * share;
        (ahead > 0 ? high : low) = root;
        double next = root - ahead / (1 + r * share * (1 - share));
        if (!(next >= low && next <= high)) next = low + (high - low) / 2;
        change = std::fabs(next - root);
        root = next;
    } while (++rounds < 60 && change > 1e-12 * std::max({1.0, std::fabs(s), std::fabs(root)}));
    return {root, rounds};
}

}  // namespace sparselin
