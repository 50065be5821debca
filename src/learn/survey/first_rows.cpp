#include "survey/first_rows.h"

namespace sparselin {

void FirstRows::Side::note(float value) {
    low = rows() == 0 ? value : std::min(low, value);
    high = rows() == 0 ? value : std::max(high, value);
    ++(value > 0 ? above : below);
}

// Of so many rows, those that lack the feature among them.
FirstRows::Side FirstRows::Side::with_zeros(uint32_t all_rows) const {
    if (rows() == 0) return {0, 0, 0, 0};
    if (rows() == all_rows) return *this;
    return {above, below, std::min(low, 0.0f), std::max(high, 0.0f)};
}

void FirstRows::add(const SparseRow& x, double y, StopSign stop) {
    if (ended_) return;
    const int side = side_of(y);
    if (!wanted_.any()) return end();
    // Without a look at each feature whether there are too many.
    if (used_ + x.features().size() <= most_features) {
        features_.with_cells(x, StopSign(), [&](auto cell) {
            for (int32_t i = 0; i < x.nnz; ++i) note(cell(i), x.value[i], side);
        });
    } else {
        note_one_by_one(x, side, stop);
    }
    ++rows_[side];
    if (rows() == most_rows) end();
}

// A third label ends the look for what tells them.
int FirstRows::side_of(double y) {
    if (rows_[0] == 0) label_[0] = y;
    if (y == label_[0]) return 0;
    if (rows_[1] == 0) label_[1] = y;
    if (y != label_[1]) wanted_.telltale = false;
    return 1;
}

void FirstRows::note_one_by_one(const SparseRow& x, int side, StopSign stop) {
    each_of(x.nnz, stop, [&](int32_t i) {
        if (used_ < most_features) return note(features_.at(x.index[i], StopSign()), x.value[i], side);
        Feature* const known = features_.find(x.index[i]);
        if (known != nullptr && known->rows() > 0) note(*known, x.value[i], side);
    });
}

void FirstRows::note(Feature& feature, float value, int side) {
    used_ += feature.rows() == 0;
    feature.of[side].note(value);
}

void FirstRows::end() {
    gap_ = judge_scale();
    telltale_ = judge_labels();
    ended_ = true;
    features_ = FeatureTable<Feature>(memory_);
}

ScaleGap FirstRows::judge_scale() const {
    ScaleGap gap;
    if (!wanted_.scale || rows() < fewest_for_scale) return gap;
    features_.walk(StopSign(), [&](int32_t index, const Feature& feature) {
        // With those that lack it, where there are such: a side without rows has none to lack it.
        const bool lacks = feature.rows() < rows();
        double low = lacks ? 0 : HUGE_VAL, high = lacks ? 0 : -HUGE_VAL;
        for (const Side& side : feature.of) {
            if (side.rows() == 0) continue;
            low = std::min(low, double{side.low});
            high = std::max(high, double{side.high});
        }
        const double range = high - low;
        if (range == 0) return;
        if (gap.narrow < 0 || range < gap.least) {
            gap.narrow = index;
            gap.least = range;
        }
        if (range > gap.most) {
            gap.wide = index;
            gap.most = range;
        }
    });
    return gap;
}

uint32_t FirstRows::errors(const Feature& feature) const {
    const Side one = feature.of[0].with_zeros(rows_[0]), other = feature.of[1].with_zeros(rows_[1]);
    if (one.high < other.low || other.high < one.low) return 0;
    return std::min(one.above, other.above) + std::min(one.below, other.below) +
           std::min(rows_[0] - one.rows(), rows_[1] - other.rows());
}

Telltale FirstRows::judge_labels() const {
    Telltale best;
    const uint32_t rarer = std::min(rows_[0], rows_[1]);
    if (!wanted_.telltale || rows() < fewest_for_telltale || rarer < fewest_of_a_label) return best;
    features_.walk(StopSign(), [&](int32_t index, const Feature& feature) {
        const uint32_t wrong = errors(feature);
        if (200 * wrong >= rows() || 10 * wrong > rarer) return;
        if (best.feature < 0 || wrong < best.errors) best = {index, rows(), wrong};
    });
    return best;
}

}  // namespace sparselin
