// How many features stored rows have, counted with a bit for each index there may be, before a table is made that is to
// hold them all: it then begins as large as it will be, in place of growing again and again.
//
// Not worth its time, and memory, where indices reach so far that the bits would take more than an eighth of what the
// rows take, or than 16 MB; and not to the end where rows go on and on with the same few features, as a table is then
// quickly there. So the count is a guess from below, which nothing but speed may depend on.
#pragma once

#include "rows/feature_table.h"
#include "rows/row_store.h"

namespace sparselin {

// Nothing for rows that lie in a file.
FeatureWidths count_features(const RowStore& store, Memory memory, StopSign stop);

}  // namespace sparselin
