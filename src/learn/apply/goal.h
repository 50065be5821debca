// What a learner minimises, F, over certain rows: as a function of numbers, which is how a minimiser takes it. A run k
// has a number for each feature, and one more:
//
//   point      u_jk = s_j w_jk for each feature j, ascending; then b_k = b'_k + w_k.mu, the bias of centred rows
//   F          lambda/2 (|u|^2 + |b|^2) + (1/m) sum_i omega_i loss
//   gradient   lambda u_jk + (G_jk - mu_j A_k) / (m s_j)  and  lambda b_k + A_k / m
//
// with w and b' as the model has them, for raw rows; mu is 0 but for casgd, s is 1 without a scale, and both are those
// of the rows. Where the model brings rows to length 1, they are raw rows divided by |x/s|: then s is the model's, as
// it decides what a row is, and a feature that it does not have is none. Of several classes, one against the rest, F is
// the mean over them: a sum of parts that share no number, one for each run, divided by how many there are. Else it is
// one part, with the numbers of all runs.
//
// F curves by `curvature()` at least, so that it is above its minimum by |gradient|^2 / (2 curvature()) at most.
//
// Losses that jump, or bend, and penalties on |w| have no such gradient: an Error.
#pragma once

#include "apply/loss_sums.h"
#include "rows/frame.h"

namespace sparselin {

// Where those of each run begin.
using RunNumbers = std::span<double* const>;
using ConstRunNumbers = std::span<const double* const>;

// What F is of a model's options.
class Goal {
public:
    // An Error where F of this model is not smooth.
    Goal(const Model& model, Memory memory, StopSign stop);

    // Whether mu or s have to be found in the rows.
    bool needs_survey() const { return finds_centre() || finds_scale(); }

    // The rows are those of these sums, which have a survey where it needs one; the features are theirs and the
    // model's.
    void set_rows(const LossSums& sums, const Model& model, StopSign stop);

    // The lambda that the learner would take for these rows, where it follows their number; else that of the model.
    void set_lambda(double lambda) { lambda_ = lambda; }
    double lambda_for_rows(const Model& model, Memory memory) const;
    double lambda() const { return lambda_; }
    int64_t rows() const { return rows_; }
    double curvature() const { return share_ * lambda_; }

    // Whether the model's own numbers may be none of a point.
    bool may_move() const { return centres_ && !intercept_; }

    // How many numbers a run has; how many parts F has, each with the numbers of so many runs.
    size_t size() const { return index_.size() + 1; }
    size_t parts() const { return runs_ / runs_of_part(); }
    size_t runs_of_part() const { return is_joint_ ? runs_ : 1; }

    // A model's numbers, and back. Without an intercept b is 0, wherever the model's is.
    void read(const Model& model, RunNumbers point, StopSign stop) const;
    void write(ConstRunNumbers point, Model& model, StopSign stop) const;

    // At the point at which the rows were added up: what a part adds to F, and the gradient.
    double value(const LossSums& sums, size_t part, ConstRunNumbers point, StopSign stop) const;
    void write_gradient(const LossSums& sums, ConstRunNumbers point, RunNumbers gradient, StopSign stop) const;

    // How much F curves along each number at the point of a survey that looks at it. Not less than a hundredth of what
    // it may curve at most anywhere: a loss may run straight at the point, and bend beside it.
    void write_curvature(const LossSums& survey, RunNumbers curvature, StopSign stop) const;

    // The gradient as the numbers of a model.
    void write_as_it_is(ConstRunNumbers gradient, Model& model, StopSign stop) const;

private:
    bool finds_centre() const { return centres_ && !has_centre_; }
    bool keeps_scale() const { return normalizes_ && scale_ != Scaling::none; }
    bool finds_scale() const { return !normalizes_ && scale_ != Scaling::none; }
    void add_feature(int32_t index, const LossSums::Lie* lie, const KeptScale& kept);
    // Calls visit(j, feature) for each feature in turn; feature is nullptr where the rows do not have it.
    template <typename Visit>
    void walk(const LossSums& sums, StopSign stop, Visit&& visit) const;
    double scale_in_rows(const LossSums::Lie& lie) const;
    double scale_of(int32_t index, const LossSums::Lie* lie, const KeptScale& kept) const;
    double centre_of(int32_t index, const LossSums::Lie* lie) const;

    size_t runs_;
    bool is_joint_;
    double share_;  // what F is multiplied by
    double L_;      // of the loss
    double lambda_;
    bool intercept_, centres_, has_centre_, normalizes_;
    Scaling scale_;
    int64_t rows_ = 0;
    Vector<int32_t> centre_index_;  // where it was given
    Vector<float> centre_;
    Vector<int32_t> index_;
    Vector<double> s_, mu_, square_;  // raw mu; the mean of ((x - mu) / s)^2
};

// F and its gradient at a model, the goal's rows being those of the sums.
class SlopeAt {
public:
    SlopeAt(const Goal& goal, const LossSums& sums, const Model& model, Memory memory, StopSign stop);

    double value() const { return value_; }
    ConstRunNumbers gradient() const { return gradient_; }
    double square() const { return square_; }  // of the gradient's length

private:
    Vector<double> numbers_;
    Vector<double*> gradient_;
    double value_ = 0, square_;
};

// The square of the length of a gradient, or of any numbers.
double squared_length(std::span<const double> numbers, StopSign stop);

}  // namespace sparselin
