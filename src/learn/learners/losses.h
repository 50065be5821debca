// Dekel's Table 1: the loss of a prediction p for a label y, and its slope, the derivative in p.
//
// For any y, though labels of classes are -1 and 1.
#pragma once

#include "options/options.h"

#include <algorithm>
#include <cmath>

namespace sparselin {

struct LogisticLoss {
    static constexpr double value_of_zero = 0.69314718055994530942;  // log 2, whatever the label
    double value(double p, double y) const {
        const double s = p * y;
        return std::max(-s, 0.0) + std::log1p(std::exp(-std::fabs(s)));
    }
    double slope(double p, double y) const { return -y / (1 + std::exp(p * y)); }
};

struct HingeLoss {
    double value(double p, double y) const { return std::max(0.0, 1 - p * y); }
    double slope(double p, double y) const { return p * y <= 1 ? -y : 0; }
};

struct SquaredHingeLoss {
    double value(double p, double y) const {
        const double short_by = std::max(0.0, 1 - p * y);
        return short_by * short_by / 2;
    }
    double slope(double p, double y) const { return -y * std::max(0.0, 1 - p * y); }
};

struct SquaredLoss {
    double value(double p, double y) const { return (p - y) * (p - y) / 2; }
    double slope(double p, double y) const { return p - y; }
};

struct AbsoluteLoss {
    static constexpr bool moves_where_right = true;  // its slope is not 0 at p = y
    double value(double p, double y) const { return std::fabs(p - y); }
    double slope(double p, double y) const { return p <= y ? -1 : 1; }
};

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

// Calls work(loss) with the struct that goes by the name.
template <typename Work>
auto with_loss(Loss loss, Work&& work) {
    switch (loss) {
        case Loss::logistic: return work(LogisticLoss{});
        case Loss::hinge: return work(HingeLoss{});
        case Loss::squared_hinge: return work(SquaredHingeLoss{});
        case Loss::squared: return work(SquaredLoss{});
        case Loss::absolute: break;
    }
    return work(AbsoluteLoss{});
}

}  // namespace sparselin
