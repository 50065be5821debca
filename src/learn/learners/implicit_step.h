// Steps that would overshoot, as those of rows far longer than most do: what is beyond a bound is taken implicitly.
//
// A step by the slope l' at the prediction p moves the row's own prediction by q l',
//
//   q = eta_t omega (1 + |x|^2)       with |x - mu|^2 for a learner that centres, and no 1 without an intercept
//
// and where q is beyond the reach c/L (Settings), the slope is that of where the excess ends, one equation in one
// unknown:
//
//   g = omega l'(p', y),   p' = p0 - r l'(p', y),   r = q - c/L,   p0 = (1 - lambda eta_t) p
//
// which the loss solves, logistic for a quarter of r (losses.h). Elsewhere not a bit changes. Cost: a row is measured
// only where a bound of its length (most_length) says that it may be one of those.
#pragma once

#include "learners/learner.h"
#include "options/losses.h"

namespace sparselin {

// q of the step at hand, for a run whose step size is eta; 0 where that is not beyond the reach.
template <typename L, typename Value>
class MoveOfRow {
public:
    MoveOfRow(const L& learner, const RowInFrame<Value>& x, double omega, double reach)
        : learner_(learner),
          x_(x),
          omega_(omega),
          reach_(reach),
          at_most_(learner.one + length_in_frame(learner, x, x.most_length)) {}

    double beyond_reach(double eta) {
        if (!(eta * omega_ * at_most_ > reach_)) return 0;
        if (!measured_) at_most_ = learner_.one + squared_length_of(learner_, x_);
        measured_ = true;
        const double q = eta * omega_ * at_most_;
        return q > reach_ ? q : 0;
    }

private:
    const L& learner_;
    const RowInFrame<Value>& x_;
    double omega_, reach_;
    double at_most_;
    bool measured_ = false;
};

}  // namespace sparselin
