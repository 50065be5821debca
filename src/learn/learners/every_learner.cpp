// Where learners, layouts and losses come together: nothing is chosen inside the loops over a row.
#include "learners/learners.h"

#include "learners/asgd.h"
#include "learners/casgd.h"
#include "learners/elasticnet.h"
#include "learners/lone_learner.h"
#include "learners/many_learners.h"
#include "learners/onepass.h"
#include "learners/sgd.h"
#include "learners/truncated.h"

namespace sparselin {

template <typename L>
static Box<Learners> runs_of(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop) {
    if (settings.size() > 1) return Box<Learners>::make<ManyLearners<L>>(memory, settings, frame, memory, stop);
    return with_loss(settings.front().chosen_loss(), [&](const auto& loss) {
        using LossFunction = std::remove_cvref_t<decltype(loss)>;
        return Box<Learners>::make<LoneLearner<L, LossFunction>>(memory, settings, loss, frame, memory, stop);
    });
}

Box<Learners> make_learners(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop) {
    switch (settings.front().learner) {
        case LearnerKind::sgd: return runs_of<Sgd>(settings, frame, memory, stop);
        case LearnerKind::asgd: return runs_of<Asgd>(settings, frame, memory, stop);
        case LearnerKind::casgd: return runs_of<Casgd>(settings, frame, memory, stop);
        case LearnerKind::onepass: return runs_of<Onepass>(settings, frame, memory, stop);
        case LearnerKind::truncated: return runs_of<Truncated>(settings, frame, memory, stop);
        case LearnerKind::elasticnet: break;
    }
    return runs_of<ElasticNet>(settings, frame, memory, stop);
}

}  // namespace sparselin
