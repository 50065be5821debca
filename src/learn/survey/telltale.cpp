#include "survey/telltale.h"

namespace sparselin {

void Telltale::add(const SparseRow& x, double y, StopSign stop) {
    if (ended_) return;
    if (rows_[0] == 0) label_[0] = y;
    const int label = y == label_[0] ? 0 : 1;
    if (label == 1 && rows_[1] == 0) label_[1] = y;
    if (y != label_[label]) return end();  // a third one
    each_of(x.nnz, stop, [&](int32_t i) { note(x.index[i], x.value[i], label); });
    ++rows_[label];
    if (rows_[0] + rows_[1] < most_rows) return;
    found_ = judge();
    end();
}

void Telltale::end() {
    ended_ = true;
    cells_ = FeatureTable<Cell>(memory_);
}

void Telltale::note(int32_t index, float value, int label) {
    if (used_ == most_features && !cells_.has(index)) return;
    Cell& cell = cells_.at(index, StopSign());
    if (cell.of[0].rows() + cell.of[1].rows() == 0) ++used_;
    Side& its = cell.of[label];
    its.low = its.rows() == 0 ? value : std::min(its.low, value);
    its.high = its.rows() == 0 ? value : std::max(its.high, value);
    ++(value > 0 ? its.above : its.below);
}

uint32_t Telltale::errors(const Cell& cell) const {
    const auto wider = [this](Side its, int label) {
        if (its.rows() == 0) its.low = its.high = 0;
        if (its.rows() < rows_[label]) its = {its.above, its.below, std::min(its.low, 0.0f), std::max(its.high, 0.0f)};
        return its;
    };
    const Side one = wider(cell.of[0], 0), other = wider(cell.of[1], 1);
    if (one.high < other.low || other.high < one.low) return 0;
    return std::min(one.above, other.above) + std::min(one.below, other.below) +
           std::min(rows_[0] - one.rows(), rows_[1] - other.rows());
}

Telltale::Found Telltale::judge() const {
    Found best;
    const uint32_t rows = rows_[0] + rows_[1], rarer = std::min(rows_[0], rows_[1]);
    if (rows < fewest_rows || rarer < fewest_of_a_label) return best;
    cells_.walk(StopSign(), [&](int32_t index, const Cell& cell) {
        const uint32_t wrong = errors(cell);
        if (200 * wrong >= rows || 10 * wrong > rarer) return;
        if (best.feature < 0 || wrong < best.errors) best = {index, rows, wrong};
    });
    return best;
}

}  // namespace sparselin
