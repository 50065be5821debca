// The sum of many sparse rows, or of (index, value) pairs, or in how many rows each feature is: what sparsearray_sum,
// _avg and _agg keep, and sparselin_idf.
//
// Sums are doubles and are rounded to float once, at the end. Memory follows the distinct indices seen.
#pragma once

#include "rows/feature_table.h"

namespace sparselin {

class SparseSum {
public:
    explicit SparseSum(Memory memory) : sums_(memory) {}

    // One row. An Error when it is damaged, or its dimension is not that of the rows before it.
    void add(const SparseRow& row, StopSign stop);

    // One entry, its index from 1.
    void add(int64_t index, double value, StopSign stop);

    // The same for rows of this dimension, 0 being an open one. An Error where others had a different one.
    void add(int64_t index, double value, int32_t dim, StopSign stop);

    // One row, of which each feature counts 1.
    void count(const SparseRow& row, StopSign stop);

    // A row that is NULL adds nothing, but has a number.
    void skip() { ++skipped_; }

    // The number of the next row, from 1.
    int64_t next_row() const { return rows_ + skipped_ + 1; }

    // Without rows there is no sum.
    bool is_empty() const { return rows_ == 0; }

    // All that is in another sum. An interrupted one cannot be made again: for a sum that is thrown away then.
    void add(const SparseSum& other, StopSign stop);

    // The sum, or the mean of the rows; zeros are dropped.
    SparseVector total(Memory memory, StopSign stop) const { return scaled(1, memory, stop); }
    SparseVector mean(Memory memory, StopSign stop) const { return scaled(static_cast<double>(rows_), memory, stop); }

    // The inverse document frequency of each feature that was counted: log((1 + rows) / (1 + rows with it)) + 1.
    SparseVector idf(Memory memory, StopSign stop) const;

    // For another process: versioned, little-endian, checked when it is read.
    Vector<char> encode(Memory memory, StopSign stop) const;
    static SparseSum decode(std::span<const char> bytes, Memory memory, StopSign stop);

private:
    SparseVector scaled(double divisor, Memory memory, StopSign stop) const;

    FeatureTable<double> sums_;
    int64_t rows_ = 0, skipped_ = 0;
    int32_t dimension_ = 0;  // 0: no row has said
};

}  // namespace sparselin
