// Settling: after the last epoch F is made as small as it gets over the scale alpha of the weights and the bias beta,
//
//   phi(alpha, beta) = P(alpha, beta) + (1/m) sum_i omega_i loss(alpha s_i + beta, y_i)
//   P(alpha, beta) = a2/2 alpha^2 + a1 alpha + b2/2 beta^2
//
// from (1, b), where s_i = w.(x_i - mu) is a row's score and P what F says of weights alpha w and bias beta:
//
//   sgd, asgd, casgd, onepass   a2 = lambda |w|^2, a1 = 0, b2 = lambda; b is the bias of centred rows
//   elasticnet                  a2 = l2 |w|^2, a1 = l1 |w|_1, b2 = 0; alpha >= 0
//   truncated                   a2 = 0, a1 = gravity |w|_1 of the weights up to the threshold, b2 = 0; alpha >= 0
//
// What cannot move stays: beta without an intercept, alpha where w = 0 or the loss jumps at its label. phi is convex,
// and never rises. It has a least value where a2 + a1 > 0, and where b2 > 0 or there are labels of both classes: the
// rest is not settled.
//
// This is the mathematics alone. Scores come in chunks, in the same order round after round, so that no digit hangs on
// whether they were kept or made again.
#pragma once

#include "base/sum.h"
#include "learners/learners.h"

#include <array>
#include <limits>

namespace sparselin {

// What the model's weights and its bias of centred rows become: alpha w and beta.
struct Settled {
    double alpha = 1, beta = 0;

    // Of a model of one run, as the learner has it.
    void apply_to(Model& model, StopSign stop) const;

    friend bool operator==(const Settled&, const Settled&) = default;
};

// P, and what may move.
struct Penalty {
    double a2 = 0, a1 = 0, b2 = 0;
    bool alpha_moves = false, beta_moves = false;
    double least_alpha = -std::numeric_limits<double>::infinity();

    Penalty() = default;
    Penalty(const Settings& settings, const Outline& outline);

    bool nothing_moves() const { return !alpha_moves && !beta_moves; }
    // Whether phi has no least value where all labels are of one class.
    bool leaves_bias_free() const { return beta_moves && b2 == 0; }

    double value(double alpha, double beta) const { return a2 / 2 * alpha * alpha + a1 * alpha + b2 / 2 * beta * beta; }
};

// So many rows with their scores. Places without a row weigh nothing.
struct ScoredRows {
    static constexpr size_t size = 256;
    double s[size], y[size], omega[size];
};

// Newton's method, for losses that curve, in two numbers or one. Where its step does not make phi fall, as the loss
// runs straight for long and then bends, the parabola that encloses phi gives one that does; and a step is halved until
// phi falls.
class Newton {
public:
    Newton(const ChosenLoss& loss, const Penalty& penalty, double b, int64_t rows);

    void add(const ScoredRows& rows);
    bool end_round();
    Settled result() const { return best_; }

private:
    static constexpr int most_rounds = 100, most_halvings = 60;

    // At one place: value, gradient and Hessian of phi.
    struct Point {
        double value, g_alpha, g_beta, h_alpha, h_both, h_beta;
        bool is_finite() const;
    };

    // Of a step.
    struct Direction {
        double alpha, beta;
    };

    Point point() const;
    bool is_lower(double value) const;
    bool turn_back();
    bool set_out(const Point& from);
    Direction direction(const Point& from) const;
    bool go(double share);

    const ChosenLoss loss_;
    const Penalty penalty_;
    const double rows_;
    Settled best_, tried_;
    double least_ = 0;       // phi at best_
    Direction step_{};       // from best_
    bool to_bound_ = false;  // it ends at the least alpha
    bool last_ = false;      // it promises no more than rounding takes away
    bool goes_by_parabola_ = false;
    double stretch_ = 1;                    // of such steps, one after the other
    Curvature curvature_ = Curvature::own;  // of the round
    int rounds_ = 0, halvings_ = 0;
    struct Sums {
        Sum value, slope, slope_s, curvature, curvature_s, curvature_ss;
    } sums_;
};

// For losses whose slope jumps at the label, and over beta alone. The slope of phi grows with beta, by a jump at each
// row's r = y - s: a range of them is looked at in 256 sections, then the section in which the slope comes to 0, and so
// on, until a single r is left, or a place between two.
class Sections {
public:
    Sections(const ChosenLoss& loss, const Penalty& penalty, double b, int64_t rows);

    void add(const ScoredRows& rows);
    bool end_round();
    Settled result() const { return result_; }

private:
    static constexpr size_t count = 256;
    static constexpr int most_rounds = 200;
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Section {
        double omega = 0, least = infinity, most = -infinity;  // of the rows in it
        bool is_empty() const { return omega == 0; }
    };

    size_t section_of(double r) const;
    double slope(double beta, double omega_up_to) const;
    double zero_between(double low, double high, double omega_up_to) const;
    bool narrow_to(const Section& section, double before, double omega_before);
    bool end_at(double beta);

    double slope_below_, jump_, strength_;  // strength: m b2
    Settled result_;
    double low_ = -infinity, high_ = infinity;  // the range
    int rounds_ = 0;
    double omega_ = 0, omega_below_ = 0;  // of all rows, and of those below the range
    std::array<Section, count> sections_;
};

}  // namespace sparselin
