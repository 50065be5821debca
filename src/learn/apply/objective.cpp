#include "apply/objective.h"

#include "base/sum.h"

#include <cmath>
#include <limits>

namespace sparselin {

double penalty_of(const Model& model, Memory memory, StopSign stop) {
    const Options options = parse_options(model.options, memory, stop);
    if (!is_automatic(options.scale) && static_cast<Scaling>(options.scale) != Scaling::none)
        return std::numeric_limits<double>::quiet_NaN();
    Sum squares, sizes;
    each_below(model.weight.size(), stop, [&](size_t i) {
        squares.add(model.weight[i] * model.weight[i]);
        sizes.add(std::fabs(model.weight[i]));
    });
    if (model.learner != LearnerKind::elasticnet) {
        for (const double bias : model.centred_bias) squares.add(bias * bias);
        return model.lambda / 2 * squares.value();
    }
    const double l1 = is_automatic(options.l1) ? find_option("l1").default_for(model.learner) : options.l1;
    return model.lambda / 2 * squares.value() + l1 * sizes.value();
}

}  // namespace sparselin
