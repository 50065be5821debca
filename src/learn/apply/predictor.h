// A model made ready to be applied to many rows: score(row) = w.x + b, of each run; where the model normalises rows,
// w.x / |x/s| + b. Nothing else makes a score of a model and a row.
//
// The products go into four lanes in turn, by their place in the row, and the lanes are added as
// (0 + 1) + (2 + 3): one order, whatever the weights are kept in and however it is computed.
// Cost: O(non-zeros of the row) for each run. Weights lie in a plain array: by index, where most of the indices up to
// the last have a weight; by number (feature_set.h) where many have; elsewhere, where numbers would take more than the
// weights themselves, in a hash table. Those of several runs lie side by side, in groups that are gone through at once:
// a last one is filled up with zeros.
#pragma once

#include "rows/sparse.h"
#include "rows/feature_set.h"
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
    Predictor(const Model& model, Memory memory, StopSign stop);

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
        return checked(dot(row, stop) * factor + bias_[0]);
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

    // Features below this one, a power of two, have their weights in an array by index; 0: they lie too thinly for one.
    size_t array_size() const { return kept_ == Kept::by_index ? std::bit_ceil(places_) : 0; }

    // Of all runs, by 0-based index; nullptr for a feature that the model has not seen.
    const double* weights(int32_t feature) const {
        if (kept_ == Kept::scattered) return scattered_.find(feature);
        const size_t place = place_of(feature);
        return place < places_ ? array_.data() + place * runs() : nullptr;
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
    enum class Kept : uint8_t { by_index, by_number, scattered };
    static Kept best_for(const Model& model);

    static double checked(double score) {
        if (score - score != 0) refuse_score();
        return score;
    }
    [[noreturn]] static void refuse_score();

    double dot(const SparseRow& row, StopSign stop) const {
        switch (kept_) {
            case Kept::by_index: return dense_dot(row, stop);
            case Kept::by_number: return numbered_dot(row, stop);
            case Kept::scattered: break;
        }
        return sum_over(row.nnz, stop, [this, &row](int32_t i) { return weight(row.index[i]) * double{row.value[i]}; });
    }

    double dense_dot(const SparseRow& row, StopSign stop) const {
        const double* const w = array_.data();
        if (is_far()) {
            for (const int32_t feature : first_of(row)) __builtin_prefetch(w + static_cast<uint32_t>(feature));
        }
        return sum_over(row.nnz, stop, [w, size = places_, index = row.index, value = row.value](int32_t i) {
            return in_array(w, size, index[i]) * double{value[i]};
        });
    }

    // Weights are asked for as their places are found.
    double numbered_dot(const SparseRow& row, StopSign stop) const {
        const double* const w = array_.data();
        const auto none = static_cast<uint32_t>(places_);
        uint32_t place[most_ahead];
        const std::span first = first_of(row);
        numbers_.numbers_of(first, none, place, w);
        return sum_over(row.nnz, stop, [&, w, index = row.index, value = row.value](int32_t i) {
            const auto at = static_cast<size_t>(i);
            return w[at < most_ahead ? place[at] : numbers_.number_of(index[i], none)] * double{value[i]};
        });
    }

    // Looks at each index, so that a damaged row reads nothing that is not there.
    static double in_array(const double* w, size_t size, int32_t feature) {
        const size_t place = static_cast<uint32_t>(feature);
        return place < size ? w[place] : 0.0;
    }

    uint32_t place_of(int32_t feature) const {
        return kept_ == Kept::by_index ? static_cast<uint32_t>(feature) : numbers_.number_of(feature, UINT32_MAX);
    }

    // The features of a row that are asked for before it is gone through.
    static constexpr size_t most_ahead = 512;
    static std::span<const int32_t> first_of(const SparseRow& row) {
        const std::span index = row.features();
        return index.first(std::min(index.size(), most_ahead));
    }

    // Whether weights are beyond the caches.
    bool is_far() const { return array_.size() * sizeof(double) > size_t{4} << 20; }

    ChosenLoss loss_;
    Coding coding_;
    Vector<double> bias_;
    int32_t dimension_;
    bool normalizes_, balances_classes_;
    Scale scale_;
    Vector<String> classes_;
    Kept kept_;
    size_t places_;  // in the array, of the weights of a feature each; behind them zeros
    Slab<double> array_;
    FeatureSet numbers_;
    FeatureTable<Numbers> scattered_;
};

}  // namespace sparselin
