// A number as a category: between which of some bounds it lies.
#pragma once

#include "base/words.h"

namespace sparselin {

// "18 to 30" for 18 <= value < 30, bounds being 18 and 30; "below 18"; "30 and above". An Error for NaN, and for bounds
// that are not ascending finite numbers, of which there is at least one.
Phrase bucket_of(double value, std::span<const double> bounds, StopSign stop);

}  // namespace sparselin
