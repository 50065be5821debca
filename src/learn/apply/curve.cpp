#include "apply/curve.h"

#include <cmath>

namespace sparselin {

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

bool Curve::take(Stack stack, uint64_t order, double weight) {
    if (!begun_ || order != order_) {
        order_ = order;
        const double level = levels_.of(score_of(order));
        if (!begun_ && level > levels_.lowest()) {
            cut_.threshold = levels_.lowest();
            end_tie();
        } else if (begun_ && level > cut_.threshold) {
            end_tie();
        }
        cut_.threshold = level;
        begun_ = true;
    }
    (is_positive(stack, weight) ? cut_.positives : cut_.negatives).add(std::fabs(weight));
    return true;
}

// Along the ROC curve, of all its length.
double Curve::progress() const {
    const Sum* const done[] = {&cut_.negatives, &cut_.positives};
    double share = 0, classes = 0;
    for (const int k : {0, 1}) {
        if (!(totals_[k] > 0)) continue;
        share += done[k]->value() / totals_[k];
        ++classes;
    }
    return classes > 0 ? share / classes : 0;
}

void Curve::end_tie() {
    if (cuts_++ < most) all_.push_back(cut_);
    const double steps = progress() * (most - 1);
    if (steps < static_cast<double>(steps_)) return;
    steps_ = static_cast<size_t>(steps) + 1;
    spread_.push_back(cut_);
}

Vector<CurvePoint> Curve::finish() {
    Vector<CurvePoint> points(all_.get_allocator());
    if (!begun_) return points;
    end_tie();
    Vector<Cut>& cuts = cuts_ <= most ? all_ : spread_;
    // Rounding may leave the last one out, or bring one too many.
    if (cuts.size() >= most) cuts.resize(most - 1);
    if (cuts.empty() || cuts.back().threshold != cut_.threshold) cuts.push_back(cut_);
    points.reserve(cuts.size());
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) points.push_back(point_of(*cut));
    return points;
}

CurvePoint Curve::point_of(const Cut& cut) const {
    CurvePoint point{};
    const double positives = cut_.positives.value(), negatives = cut_.negatives.value();
    if (!std::isfinite(positives + negatives))
        throw Error(Fault::out_of_range, "the sum of the weights is out of range").hint("Scale the weights.");
    point.threshold = cut.threshold;
    const double tp = point.true_positives = cut_.positives.minus(cut.positives);
    const double fp = point.false_positives = cut_.negatives.minus(cut.negatives);
    point.true_negatives = cut.negatives.value();
    point.false_negatives = cut.positives.value();
    point.precision = ratio(tp, tp + fp);
    point.recall = ratio(tp, positives);
    point.false_positive_rate = ratio(fp, negatives);
    point.lift = ratio(point.precision, ratio(positives, positives + negatives));
    return point;
}

}  // namespace sparselin
