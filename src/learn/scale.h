// What each feature is divided by before anything is learned from it: s_j.
//
// Rows stay as they are stored; apply() makes the scaled values of one row at a time. A model is learned on x_j / s_j,
// and its weights are divided by s_j at the end, so that it takes features as they are.
#pragma once

#include "example.h"
#include "feature_table.h"

namespace sparselin {

class Scale {
public:
    explicit Scale(Memory memory) : s_(memory), scaled_(memory) {}

    // Nothing is divided before the first set().
    bool is_one() const { return is_one_; }

    void set(int32_t index, double s, StopSign stop) {
        s_.at(index, stop) = s;
        is_one_ = false;
    }

    // 1 for a feature that was never measured.
    double of(int32_t index) const {
        const double* s = s_.find(index);
        return s == nullptr || *s == 0 ? 1 : *s;
    }

    // The scaled row: valid until the next call.
    RowOf<double> apply(const SparseRow& x) {
        const size_t nnz = static_cast<size_t>(x.nnz);
        if (scaled_.size() < nnz) scaled_.resize(std::bit_ceil(nnz));
        for (size_t i = 0; i < nnz; ++i) scaled_[i] = double{x.value[i]} / of(x.index[i]);
        return {x.index, scaled_.data(), x.nnz, x.dim};
    }

    // Calls visit(index, s) in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        s_.walk(stop, visit);
    }

private:
    FeatureTable<double> s_;
    Vector<double> scaled_;
    bool is_one_ = true;
};

}  // namespace sparselin
