// A learner with a table of its own, where a test or a benchmark wants to see its numbers.
#pragma once

#include "learners/lone_learner.h"

namespace sparselin {

template <typename L>
struct LearnerAlone {
    explicit LearnerAlone(const Settings& settings, Memory memory = std::pmr::new_delete_resource())
        : learner(settings), features(memory), reach(settings.reach()) {}

    template <typename LossFunction>
    Seen step(const LossFunction& loss, const Example& example, StopSign stop = StopSign()) {
        Seen seen{};
        double e;
        take_step(learner, features, loss, example, example.y, reach, seen, e, stop);
        add_logs<LossFunction>(&seen, &e, 1);
        return seen;
    }

    double weight(int32_t index) const {
        const typename L::Cell* cell = features.find(index);
        return cell == nullptr ? 0 : learner.weight(*cell);
    }

    L learner;
    FeatureTable<typename L::Cell> features;
    double reach;
};

}  // namespace sparselin
