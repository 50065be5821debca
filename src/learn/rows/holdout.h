// Which rows are kept back from training, to measure on: decided by the features alone, or by a key, a text.
//
// A row is held out or not wherever and whenever it comes, so what a model was not trained on yesterday the next one is
// not trained on today, and equal rows are on the same side. The label has no say: rows with the same features and
// different labels would be torn apart, and either side would have a false picture of both. Nor has the dimension. A
// larger share holds out the same rows and more. The cost is that of reading the row.
//
// Features may change from day to day, and then a row changes sides; a key is for those that do.
//
// Each deal holds out rows of its own, whatever the others do: what a search is judged by are not the rows that its
// model will be measured on, which it never sees.
#pragma once

#include "base/hash.h"
#include "rows/sparse.h"

#include <algorithm>

namespace sparselin {

enum class Deal : uint8_t { measured, searched };

inline Hasher128 hasher_of(Deal deal) {
    Hasher128 hasher;
    if (deal == Deal::searched) hasher.add("searched");
    return hasher;
}

inline Hash128 hash_of(const SparseRow& row, StopSign stop, Deal deal = Deal::measured) {
    Hasher128 hasher = hasher_of(deal);
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
    return hasher.result();
}

inline Hash128 hash_of(std::string_view key, StopSign stop, Deal deal = Deal::measured) {
    Hasher128 hasher = hasher_of(deal);
    hasher.add(key, stop);
    return hasher.result();
}

// `share` is from 0 (none) to 1 (all). 53 bits are a double's: from 0 to below 1, evenly.
inline bool is_within(const Hash128& hash, double share) {
    return static_cast<double>(hash.low >> 11) * 0x1p-53 < share;
}

inline bool is_held_out(const SparseRow& row, double share, StopSign stop, Deal deal = Deal::measured) {
    return is_within(hash_of(row, stop, deal), share);
}
inline bool is_held_out(std::string_view key, double share, StopSign stop, Deal deal = Deal::measured) {
    return is_within(hash_of(key, stop, deal), share);
}

}  // namespace sparselin
