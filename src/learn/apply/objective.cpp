#include "apply/objective.h"

#include "base/sum.h"

#include <cmath>
#include <limits>

namespace sparselin {

double penalty_of(const Model& model, Memory memory, StopSign stop) {
    const Options options = parse_options(model.options, memory, stop);
    if (!is_automatic(options.scale) && static_cast<Scaling>(options.scale) != Scaling::none)
        return std::numeric_limits<double>::quiet_NaN();
    const bool has_sizes = model.learner == LearnerKind::elasticnet;
    Sum squares, sizes;
    each_below(model.weight.size(), stop, [&](size_t i) {
        squares.add(model.weight[i] * model.weight[i]);
        if (has_sizes) sizes.add(std::fabs(model.weight[i]));
    });
    const double share = traits_of(model.loss).joint ? 1 : 1 / static_cast<double>(model.runs());
    if (!has_sizes) {
        for (const double bias : model.centred_bias) squares.add(bias * bias);
        return share * (model.lambda / 2 * squares.value());
    }
    const double l1 = is_automatic(options.l1) ? find_option("l1").default_for(model.learner) : options.l1;
    return share * (model.lambda / 2 * squares.value() + l1 * sizes.value());
}

}  // namespace sparselin
