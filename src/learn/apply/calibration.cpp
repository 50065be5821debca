#include "apply/calibration.h"

#include "apply/predictor.h"

#include <algorithm>
#include <cmath>

namespace sparselin {

// Of a row that has below it what came so far. Boundaries are met in spite of rounding.
int32_t Calibration::bin_of_rest() const {
    constexpr double rounding = 1e-12;
    const double place = bins_ * (below_.value() / weight_);
    return static_cast<int32_t>(std::clamp(place * (1 + rounding), 0.0, bins_ - 1.0)) + 1;
}

bool Calibration::take(Stack stack, uint64_t order, double weight) {
    if (bin_ == 0 || order != order_) {
        order_ = order;
        const double probability = sigmoid(score_of(order));
        if (bin_ == 0 || probability != probability_) {
            const int32_t bin = bin_of_rest();
            if (bin != bin_) end_bin();
            bin_ = bin;
        }
        probability_ = probability;
    }
    const double size = std::fabs(weight);
    below_.add(size);
    rows_.add(size);
    predicted_.add(size * probability_);
    if (is_positive(stack, weight)) positives_.add(size);
    return true;
}

void Calibration::end_bin() {
    if (bin_ == 0) return;
    const double rows = rows_.value();
    done_.push_back({bin_, rows, predicted_.value() / rows, positives_.value() / rows});
    rows_ = predicted_ = positives_ = Sum();
}

Vector<CalibrationBin> Calibration::finish() {
    end_bin();
    bin_ = 0;
    if (!std::isfinite(below_.value()))
        throw Error(Fault::out_of_range, "the sum of the weights is out of range").hint("Scale the weights.");
    return std::move(done_);
}

}  // namespace sparselin
