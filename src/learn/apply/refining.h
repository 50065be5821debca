// A model on its way to the minimum of F over certain rows, scan by scan: somebody else adds up the rows at the model
// that is to be tried, and hands in the sums (loss_sums.h). Knows nothing of where rows come from.
//
// The first scan is a survey, at the model as it was given: it finds mu and s (goal.h), lambda, and curvatures. Each
// part of F has a minimiser of its own; all of them are fed by the same scans. Done when gap <= tolerance F, when so
// many scans are made, or when F falls no further.
#pragma once

#include "apply/goal.h"
#include "engine/lbfgs.h"

namespace sparselin {

class Refining {
public:
    // The model is worked on, in its own memory.
    Refining(Model& model, int64_t scans, double tolerance, Memory memory, StopSign stop);

    // At which model rows are to be added up next, and whether as a survey.
    const Model& tried() const { return model_; }
    bool surveys() const { return scans_ == 0; }

    // True when it is done: then the model is the best there was. Not to be taken up again after an interrupt, or
    // Error.
    bool take(const LossSums& sums, StopSign stop);

    int64_t scans() const { return scans_; }
    double before() const { return before_; }  // F at the model that was given
    double after() const { return after_; }
    double gap() const { return gap_; }  // F is above its minimum by this at most
    bool has_improved() const { return after() < before_; }

private:
    // With more numbers fewer steps are remembered, in what they take for half as many.
    static constexpr size_t many_numbers = size_t{1} << 20;

    void begin(const LossSums& sums, StopSign stop);
    void check_rows(const LossSums& sums) const;
    bool step(const LossSums& sums, StopSign stop);
    // Where the numbers of each run begin, of those that its part gives.
    template <typename Give>
    auto runs_of(Give&& give) const;
    Vector<double*> point() const;

    Model& model_;
    Memory memory_;
    Goal goal_;
    Vector<Box<Lbfgs>> parts_;
    int64_t scans_ = 0, most_scans_;
    double tolerance_;
    double before_ = 0, after_ = 0, gap_ = 0;
};

}  // namespace sparselin
