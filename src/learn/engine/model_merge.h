// Several models, learned from different rows, become one: each weight, and the bias, is the mean over the models,
// weighted by their steps. Where all of them can go on learning and began with the same settings, whoever
// chose them, so can the result. Given is what all were given. The result is not settled, as there are no rows: where
// all can go on, it is the mean of what they were before they were settled.
#pragma once

#include "base/sum.h"
#include "engine/training.h"

namespace sparselin {

// Whether its lambda is 1/rows of its own, or what a search has made of that, which nobody has asked for.
bool has_lambda_by_rows(const Model& model, Memory memory);

class ModelMerge {
public:
    explicit ModelMerge(Memory memory) : memory_(memory), mean_(memory), weights_(memory, {1}) {}

    // An Error that names both when the models do not fit together. Changes nothing when it throws Interrupted.
    void add(const Model& model, StopSign stop);

    void write(Model& model, Memory memory, StopSign stop);

    int64_t models() const { return models_; }

    // Whether there were models that are settled, and there is one that is not.
    bool unsettles() const { return models_ > 1 && any_settled_; }

private:
    void check_fits(const Model& model, bool coding_open) const;
    bool goes_with(Coding coding, bool coding_open) const;
    void check_normalizing(const Model& model) const;
    void check_dimension(const Model& model) const;
    void check_counts(const Model& model) const;
    void add_state(const Model& model, StopSign stop);
    void begin(const Model& model);
    double lambda_for_all() const;
    void choose_options(const Model& model);

    Memory memory_;
    int64_t models_ = 0;
    int64_t most_steps_ = 0;   // of the model whose options are in mean_
    Model mean_;               // without its weights; its biases and losses are sums over steps
    bool coding_open_ = true;  // no model yet that had rows of a class other than 1
    int32_t largest_index_ = -1;
    bool any_settled_ = false;
    bool lambda_is_given_ = true;    // the same for all, and not 1/rows of each
    Sum rows_by_lambda_;             // of 1/lambda
    FeatureTable<Numbers> weights_;  // sums over steps, of all runs
    Box<Training> together_;         // the state of all, as long as there is one
};

}  // namespace sparselin
