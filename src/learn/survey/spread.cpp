#include "survey/spread.h"

namespace sparselin {

double Spread::scale_of(const Cell& cell) const {
    if (scaling_ == Scaling::maxabs) return cell.largest;
    const double rows = static_cast<double>(rows_);
    const double lacking = (rows - cell.count) / rows;
    const double M2 = cell.M2 + cell.mean * cell.mean * cell.count * lacking;
    const double s = std::sqrt(M2 / rows);
    return s <= 1e-6 * cell.largest ? cell.largest : s;
}

void Spread::write(Frame& frame, bool centre_unknown, StopSign stop) const {
    const double rows = static_cast<double>(rows_);
    Centre scaled(memory_);
    cells_.walk(stop, [&](int32_t index, const Cell& cell) {
        const double s = scale_of(cell);
        frame.scale.set(index, s, stop);
        if (!centre_unknown) return;
        scaled.index.push_back(index);
        scaled.mu.push_back(cell.mean * (cell.count / rows) / s);
    });
    if (!centre_unknown) {
        const Centre& given = frame.centre;
        scaled.index.reserve(given.index.size());
        scaled.mu.reserve(given.index.size());
        for (size_t j = 0; j < given.index.size(); ++j) {
            stop.poll_every_so_often(j);
            scaled.index.push_back(given.index[j]);
            scaled.mu.push_back(given.mu[j] / frame.scale.of(given.index[j]));
        }
    }
    frame.centre.index.swap(scaled.index);
    frame.centre.mu.swap(scaled.mu);
}

}  // namespace sparselin
