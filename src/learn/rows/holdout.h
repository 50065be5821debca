// Which rows are kept back from training, to measure on: decided by the features alone.
//
// A row is held out or not wherever and whenever it comes, so what a model was not trained on yesterday the next one is
// not trained on today, and equal rows are on the same side. The label has no say: rows with the same features and
// different labels would be torn apart, and either side would have a false picture of both. Nor has the dimension. A
// larger share holds out the same rows and more. The cost is that of reading the row.
//
// Each deal holds out rows of its own, whatever the others do: what a search is judged by are not the rows that its
// model will be measured on, which it never sees.
#pragma once

#include "base/hash.h"
#include "rows/sparse.h"

#include <algorithm>

namespace sparselin {

enum class Deal : uint8_t { measured, searched };

// `share` is from 0 (none) to 1 (all).
inline bool is_held_out(const SparseRow& row, double share, StopSign stop, Deal deal = Deal::measured) {
    Hasher128 hasher;
    if (deal == Deal::searched) hasher.add("searched");
    constexpr int block = 32;  // entries
    char bytes[8 * block];
    for (int32_t start = 0; start < row.nnz; start += block) {
        stop.poll_every_so_often(static_cast<size_t>(start));
        const int32_t count = std::min(block, row.nnz - start);
        for (int32_t i = 0; i < count; ++i) {
            store_little(bytes + 8 * i, row.index[start + i]);
            store_little(bytes + 8 * i + 4, row.value[start + i]);
        }
        hasher.add({bytes, 8 * static_cast<size_t>(count)});
    }
    // 53 bits are a double's: from 0 to below 1, evenly.
    return static_cast<double>(hasher.result().low >> 11) * 0x1p-53 < share;
}

}  // namespace sparselin
