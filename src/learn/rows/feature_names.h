// What features of stored rows are called outside, where the rows call them by number (stored_features.h).
#pragma once

#include "base/error.h"

namespace sparselin {

class FeatureNames {
public:
    FeatureNames() = default;
    explicit FeatureNames(std::span<const int32_t> index) : index_(index) {}

    bool are_indices() const { return index_.empty(); }
    int32_t operator()(int32_t feature) const {
        return are_indices() || feature < 0 ? feature : index_[static_cast<size_t>(feature)];
    }

private:
    std::span<const int32_t> index_;  // of each number; empty: features are called by their index
};

}  // namespace sparselin
