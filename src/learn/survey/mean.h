// The mean of sparse rows: the centre that casgd learns around.
#pragma once

#include "rows/feature_table.h"
#include "rows/frame.h"

namespace sparselin {

class Mean {
public:
    explicit Mean(Memory memory) : sums_(memory) {}

    void add(const SparseRow& x, StopSign stop) {
        sums_.with_cells(x, stop,
                         [&](auto sum) { each_of(x.nnz, stop, [&](int32_t i) { sum(i) += double{x.value[i]}; }); });
        ++rows_;
    }

    void write(Centre& centre, StopSign stop) const {
        centre.index.clear();
        centre.mu.clear();
        sums_.walk(stop, [&](int32_t index, double sum) {
            centre.index.push_back(index);
            centre.mu.push_back(sum / static_cast<double>(rows_));
        });
    }

private:
    FeatureTable<double> sums_;
    int64_t rows_ = 0;
};

}  // namespace sparselin
