// The features of stored rows, looked at before anything is made for them.
//
// How many there are: so that a table for them begins as large as it will be, in place of growing again and again. And,
// where less than half of the indices up to the last are in use, which they are: then the rows are made to call them by
// number, 0 for the lowest index and so on, and a table for them is an array without gaps. Numbers are in the order of
// the indices, so that nothing is computed in another order.
//
// Not worth its time, and memory, where the set of them (feature_set.h) would take more than a third of what the rows
// take, or than 16 MB; and not to the end where rows go on and on with the same few features, as a table is then
// quickly there. So the count is a guess from below, which nothing but speed may depend on; it is exact where features
// have numbers.
#pragma once

#include "rows/feature_names.h"
#include "rows/feature_table.h"
#include "rows/row_store.h"

namespace sparselin {

class StoredFeatures {
public:
    explicit StoredFeatures(Memory memory) : memory_(memory), names_(memory) {}

    // Once. Nothing of rows that lie in a file. With a cancel the rows are lost.
    void look_at(const RowStore& store, bool may_number, StopSign stop);

    bool looked_at() const { return looked_at_; }
    const FeatureWidths& widths() const { return widths_; }
    FeatureNames names() const { return FeatureNames(names_); }

private:
    // In bytes of rows: the table for fewer lies in a cache, however it is made.
    static constexpr size_t worth_numbering = size_t{64} << 10;

    void look_at_rows(const RowStore& store, bool may_number, StopSign stop);

    Memory memory_;
    bool looked_at_ = false;
    FeatureWidths widths_{};
    Vector<int32_t> names_;
};

}  // namespace sparselin
