// A model made ready to be applied to many rows: score(row) = w.x + b, of each run; where the model normalises rows,
// w.x / |x/s| + b. Nothing else makes a score of a model and a row.
//
// The products go into four lanes in turn, by their place in the row, and the lanes are added as
// (0 + 1) + (2 + 3): one order, whatever the weights are kept in and however it is computed.
// Cost: O(non-zeros of the row) for each run. Weights lie in a plain array where that takes little more than a table
// would; those of several runs lie side by side, in groups that are gone through at once: a last one is filled up with
// zeros.
#pragma once

#include "rows/sparse.h"
#include "rows/feature_table.h"
#include "rows/frame.h"
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
        : loss_(loss_of(model, memory, stop)),
          coding_(model.coding),
          bias_(model.bias, memory),
          dimension_(model.dimension),
          normalizes_(sparselin::normalizes(model, memory, stop)),
          balances_classes_(sparselin::balances_classes(model, memory, stop)),
          scale_(memory),
          classes_(memory),
          dense_(memory),
          scattered_(memory, {model.runs()}) {
        for (const String& name : model.classes) classes_.emplace_back(name);
        const size_t size = places(model);
        is_dense_ = size <= 8 * model.index.size() + 1024;
        if (is_dense_) dense_ = Slab<double>(memory, size * runs(), stop);
        each_below(model.index.size(), stop, [&](size_t i) {
            double* const place = is_dense_ ? dense_.data() + static_cast<size_t>(model.index[i]) * runs()
                                            : scattered_.at(model.index[i], stop);
            std::ranges::copy(model.weights_at(i), place);
        });
        each_below(model.scale.index.size(), stop,
                   [&](size_t i) { scale_.set(model.scale.index[i], model.scale.s[i], stop); });
    }

    size_t runs() const { return bias_.size(); }

    // Of the only run. Features the model has not seen weigh 0; two known, different dimensions are an Error, and so is
    // a score that is not finite.
    double score(const SparseRow& row, StopSign stop) const { return score(row, factor(row, stop), stop); }

    // Of all runs, each the same as if it were the only one.
    void scores(const SparseRow& row, double* scores, StopSign stop) const {
        return this->scores(row, factor(row, stop), scores, stop);
    }

    // The same where the row's factor is known.
    double score(const SparseRow& row, double factor, StopSign stop) const {
        common_dimension(dimension_, row.dim);
        return checked((is_dense_ ? dense_dot(row, stop) : scattered_dot(row, stop)) * factor + bias_[0]);
    }
    void scores(const SparseRow& row, double factor, double* scores, StopSign stop) const;

    // What every product of a weight and a value is multiplied by: 1 where rows are taken as they are.
    double factor(const SparseRow& row, StopSign stop) const {
        return normalizes_ ? factor_to_one(row, scale_, stop) : 1;
    }

    // Of the positive class, by the only run. A class that is learned about together with others, and is alone, has
    // all.
    double probability(const SparseRow& row, StopSign stop) const {
        const double its = score(row, stop);
        return traits_of(loss()).link == Link::softmax ? 1 : sigmoid(its);
    }

    // Features below this one, a power of two, have their weights in an array; 0: they lie too thinly for one.
    size_t array_size() const { return is_dense_ ? std::bit_ceil(dense_.size() / runs()) : 0; }

    // Of all runs, by 0-based index; nullptr for a feature that the model has not seen.
    const double* weights(int32_t feature) const {
        if (!is_dense_) return scattered_.find(feature);
        const size_t place = static_cast<uint32_t>(feature) * runs();
        return place < dense_.size() ? dense_.data() + place : nullptr;
    }
    double weight(int32_t feature, size_t run = 0) const {
        const double* const its = weights(feature);
        return its != nullptr ? its[run] : 0;
    }

    Loss loss() const { return loss_.loss; }
    const ChosenLoss& chosen_loss() const { return loss_; }
    bool gives_probabilities() const { return sparselin::gives_probabilities(loss()); }
    Coding coding() const { return coding_; }
    double bias(size_t run = 0) const { return bias_[run]; }
    int32_t dimension() const { return dimension_; }
    bool balances_classes() const { return balances_classes_; }  // where it learns; a score is what it is
    const Vector<String>& classes() const { return classes_; }   // that have names

private:
    static double checked(double score) {
        if (score - score != 0)
            throw Error(Fault::out_of_range, "the score is out of range")
                .hint("Some features or weights are too large; scale the features.");
        return score;
    }

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
        return dot(row, stop, [this](int32_t i) { return weight(i); });
    }

    // Looks at each index, so that a damaged row reads nothing that is not there.
    static double in_array(const double* w, size_t size, int32_t feature) {
        const size_t place = static_cast<uint32_t>(feature);
        return place < size ? w[place] : 0.0;
    }

    ChosenLoss loss_;
    Coding coding_;
    Vector<double> bias_;
    int32_t dimension_;
    bool normalizes_, balances_classes_;
    Scale scale_;
    Vector<String> classes_;
    bool is_dense_;
    Slab<double> dense_;
    FeatureTable<Numbers> scattered_;
};

}  // namespace sparselin
