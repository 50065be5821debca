// Two learners that learned from different rows become one whose predictors, the last iterate and the average, are the
// means of theirs, weighted by their steps. How that is done each learner says itself:
//
//   L::merged(both, lambda)    the learner of both, as far as it needs no cells
//   add(cell, part, its)       on that one: adds a feature's cell in a part to its cell in both; a feature that a part
//                              has not seen weighs 0 there
//   finish(cells)              where the cells have to be gone through once more (casgd, for its centre)
#pragma once

#include <cstdint>

namespace sparselin {

template <typename L>
struct Both {
    Both(const L& x, const L& y) : x(x), y(y), t(x.schedule.t + y.schedule.t) {}

    const L& x;
    const L& y;
    const int64_t t;  // steps of both

    double x_share() const { return static_cast<double>(x.schedule.t) / static_cast<double>(t); }
    double y_share() const { return static_cast<double>(y.schedule.t) / static_cast<double>(t); }

    // The mean of number(part) over the steps.
    template <typename Number>
    double mean(Number&& number) const {
        return x_share() * number(x) + y_share() * number(y);
    }
};

// One of the two, and how much of it counts for a feature: its share of the steps, times what one of its weights is in
// the scale of both.
template <typename L>
struct Part {
    const L& learner;
    double share;
    double ratio;
};

}  // namespace sparselin
