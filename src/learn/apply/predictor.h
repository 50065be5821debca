// A model made ready to be applied to many rows: score(row) = w.x + b.
//
// The products go into four lanes in turn, by their place in the row, and the lanes are added as
// (0 + 1) + (2 + 3): one order, whatever the weights are kept in and however it is computed.
// Cost: O(non-zeros of the row). Weights lie in a plain array where that takes little more than a table would.
#pragma once

#include "rows/sparse.h"
#include "rows/feature_table.h"
#include "model/model.h"

#include <cmath>

namespace sparselin {

inline double sigmoid(double score) {
    if (score >= 0) return 1 / (1 + std::exp(-score));
    const double e = std::exp(score);
    return e / (1 + e);
}

class Predictor {
public:
    Predictor(const Model& model, Memory memory, StopSign stop)
        : loss_(model.loss),
          coding_(model.coding),
          bias_(model.bias),
          dimension_(model.dimension),
          dense_(memory),
          scattered_(memory) {
        const size_t size = places(model);
        is_dense_ = size <= 8 * model.index.size() + 1024;
        if (is_dense_) dense_ = Slab<double>(memory, size, stop);
        each_below(model.index.size(), stop, [&](size_t i) {
            double& place =
                is_dense_ ? dense_[static_cast<size_t>(model.index[i])] : scattered_.at(model.index[i], stop);
            place = model.weight[i];
        });
    }

    // Features the model has not seen weigh 0; two known, different dimensions are an Error, and so is a score
    // that is not finite.
    double score(const SparseRow& row, StopSign stop) const {
        common_dimension(dimension_, row.dim);
        const double score = (is_dense_ ? dense_dot(row, stop) : scattered_dot(row, stop)) + bias_;
        if (score - score != 0)
            throw Error(Fault::out_of_range, "the score is out of range")
                .hint("Some features or weights are too large; scale the features.");
        return score;
    }

    double probability(const SparseRow& row, StopSign stop) const { return sigmoid(score(row, stop)); }

    // By 0-based index; 0 for a feature that the model has not seen.
    double weight(int32_t feature) const {
        return is_dense_ ? in_array(dense_.data(), dense_.size(), feature) : in_table(feature);
    }

    Loss loss() const { return loss_; }
    bool gives_probabilities() const { return sparselin::gives_probabilities(loss_); }
    Coding coding() const { return coding_; }
    double bias() const { return bias_; }
    int32_t dimension() const { return dimension_; }

private:
    template <typename Weight>
    static double dot(const SparseRow& row, StopSign stop, Weight&& weight) {
        return sum_over(row.nnz, stop, [index = row.index, value = row.value, weight](int32_t i) {
            return weight(index[i]) * double{value[i]};
        });
    }

    double dense_dot(const SparseRow& row, StopSign stop) const {
        return dot(row, stop, [w = dense_.data(), size = dense_.size()](int32_t i) { return in_array(w, size, i); });
    }
    double scattered_dot(const SparseRow& row, StopSign stop) const {
        return dot(row, stop, [this](int32_t i) { return in_table(i); });
    }

    // Looks at each index, so that a damaged row reads nothing that is not there.
    static double in_array(const double* w, size_t size, int32_t feature) {
        const size_t place = static_cast<uint32_t>(feature);
        return place < size ? w[place] : 0.0;
    }
    double in_table(int32_t feature) const {
        const double* const place = scattered_.find(feature);
        return place != nullptr ? *place : 0.0;
    }

    Loss loss_;
    Coding coding_;
    double bias_;
    int32_t dimension_;
    bool is_dense_;
    Slab<double> dense_;
    FeatureTable<double> scattered_;
};

}  // namespace sparselin
