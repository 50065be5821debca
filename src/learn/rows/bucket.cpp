#include "rows/bucket.h"

#include <cmath>

namespace sparselin {

static void validate_bounds(std::span<const double> bounds, StopSign stop) {
    if (bounds.empty())
        throw Error(Fault::bad_value, "there are no bounds")
            .hint("Give those between the buckets, as in '{18,30,65}'.");
    for (size_t i = 0; i < bounds.size(); ++i) {
        stop.poll_every_so_often(i);
        if (!std::isfinite(bounds[i]))
            throw Error(Fault::bad_value, "bound %zu is %s", i + 1, std::isnan(bounds[i]) ? "NaN" : "infinite")
                .hint("What lies below the first bound and above the last one has buckets of its own.");
        if (i > 0 && !(bounds[i - 1] < bounds[i]))
            throw Error(Fault::bad_value, "bounds are not ascending: %s is followed by %s",
                        NumberText(bounds[i - 1]).c_str(), NumberText(bounds[i]).c_str())
                .hint("Give them in ascending order, each once, as in '{18,30,65}'.");
    }
}

// -0 is 0.
static NumberText text_of(double bound) {
    return NumberText(bound + 0.0);
}

Phrase bucket_of(double value, std::span<const double> bounds, StopSign stop) {
    validate_bounds(bounds, stop);
    if (std::isnan(value))
        throw Error(Fault::bad_value, "NaN lies in no bucket")
            .hint("nullif(value, 'NaN') makes it a NULL, which stays one.");
    const auto above = std::ranges::upper_bound(bounds, value);
    Phrase name;
    if (above == bounds.begin()) return name.add("below %s", text_of(*above).c_str());
    if (above == bounds.end()) return name.add("%s and above", text_of(above[-1]).c_str());
    return name.add("%s to %s", text_of(above[-1]).c_str(), text_of(*above).c_str());
}

}  // namespace sparselin
