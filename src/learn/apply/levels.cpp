#include "apply/levels.h"

#include "base/words.h"

#include <cmath>

namespace sparselin {

void check_threshold(Loss loss, double threshold) {
    if (std::isnan(threshold))
        throw Error(Fault::bad_value, "the threshold is NaN").hint("Give a number, or leave the threshold out.");
    if (gives_probabilities(loss) && (threshold < 0 || threshold > 1))
        throw Error(Fault::bad_value, "%s is no threshold for a probability", NumberText(threshold).c_str())
            .hint("For a model with loss %s the threshold is between 0 and 1.", name_of(loss));
}

}  // namespace sparselin
