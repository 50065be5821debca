// What a learner minimises, F, over certain rows: as a function of numbers that lie side by side, which is how a
// minimiser takes it.
//
//   point     u_jk = s_j w_jk for each feature j, ascending, and run k; then b_k = b'_k + w_k.mu, the biases of centred
//   rows F         lambda/2 (|u|^2 + |b|^2) + (1/m) sum_i omega_i loss gradient  lambda u_jk + (G_jk - mu_j A_k) / (m
//   s_j)  and  lambda b_k + A_k / m
//
// with w and b' as the model has them, for raw rows; mu is 0 but for casgd, s is 1 without a scale, and both are those
// of the rows. Of several classes, one against the rest, F is the mean over them, and so divided by their number.
// F curves by `curvature()` at least, so that it is above its minimum by |gradient|^2 / (2 curvature()) at most.
//
// Losses that jump, or bend, and penalties on |w| have no such gradient: an Error.
#pragma once

#include "apply/loss_sums.h"
#include "rows/frame.h"

namespace sparselin {

// What F is of a model's options.
class Goal {
public:
    // An Error where F of this model is not smooth.
    Goal(const Model& model, Memory memory, StopSign stop);

    // Whether mu or s have to be found in the rows.
    bool needs_survey() const { return finds_centre() || scale_ != Scaling::none; }

    // The rows are those of these sums, which are a survey where it needs one; the features are theirs and the model's.
    void set_rows(const LossSums& sums, const Model& model, StopSign stop);

    // The lambda that the learner would take for these rows, where it follows their number; else that of the model.
    void set_lambda(double lambda) { lambda_ = lambda; }
    double lambda_for_rows(const Model& model, Memory memory) const;
    double lambda() const { return lambda_; }
    int64_t rows() const { return rows_; }
    double curvature() const { return share_ * lambda_; }

    // Whether the model's own numbers may be none of a point.
    bool may_move() const { return centres_ && !intercept_; }

    // How many numbers there are.
    size_t size() const { return (index_.size() + 1) * runs_; }

    // A model's numbers, and back. Without an intercept b is 0, wherever the model's is.
    void read(const Model& model, std::span<double> point, StopSign stop) const;
    void write(std::span<const double> point, Model& model, StopSign stop) const;

    // At the point at which the rows were added up.
    double value(const LossSums& sums, std::span<const double> point, StopSign stop) const;
    void write_gradient(const LossSums& sums, std::span<const double> point, std::span<double> gradient,
                        StopSign stop) const;

    // How much F may curve along each number: lambda, and the loss's largest curvature times the mean square of what
    // the number is multiplied by; not counting the weights of rows.
    void write_curvature(std::span<double> curvature, StopSign stop) const;

    // The gradient as the numbers of a model.
    void write_as_it_is(std::span<const double> gradient, Model& model, StopSign stop) const;

private:
    bool finds_centre() const { return centres_ && !has_centre_; }
    void add_feature(int32_t index, const LossSums::Lie* lie);
    double scale_of(const LossSums::Lie& lie) const;

    size_t runs_;
    double share_;  // what F is multiplied by
    double L_;      // of the loss
    double lambda_;
    bool intercept_, centres_, has_centre_;
    Scaling scale_;
    int64_t rows_ = 0;
    Vector<int32_t> centre_index_;  // where it was given
    Vector<float> centre_;
    Vector<int32_t> index_;
    Vector<double> s_, mu_, square_;  // raw mu; the mean of ((x - mu) / s)^2
};

// The square of the length of a gradient, or of any numbers.
double squared_length(std::span<const double> numbers, StopSign stop);

}  // namespace sparselin
