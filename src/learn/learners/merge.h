// Two learners that learned from different rows become one whose predictors, the last iterate and the average, are the
// means of theirs, weighted by their steps.
//
// The first of the two is overwritten at the very end: a merge that was interrupted has changed nothing. A feature that
// one of them has not seen weighs 0 there. Cost: O(features of both).
#pragma once

#include "learners/asgd.h"
#include "learners/casgd.h"
#include "learners/elasticnet.h"
#include "learners/onepass.h"
#include "learners/power_sum.h"
#include "learners/sgd.h"
#include "learners/truncated.h"

namespace sparselin {

template <typename Algorithm>
struct Part {
    const Algorithm& learner;
    const Scale& scale;
};

template <typename Algorithm>
class Pair {
public:
    using Cell = typename Algorithm::Cell;

    // `scale` becomes that of both: it takes over what only y has measured.
    Pair(const Algorithm& x, Scale& scale, const Part<Algorithm>& y)
        : t(x.schedule.t + y.learner.schedule.t), x_(x), scale_(scale), y_(y) {
        x_share_ = static_cast<double>(x.schedule.t) / static_cast<double>(t);
        y_share_ = static_cast<double>(y.learner.schedule.t) / static_cast<double>(t);
    }

    // The mean of number(part) over the steps.
    template <typename Number>
    double mean(Number&& number) const {
        return x_share_ * number(x_) + y_share_ * number(y_.learner);
    }

    // A table of all features: add(cell, share, ratio, part, cell of the part) for each of each part. A weight of the
    // part times `ratio` is one in the scale of both.
    template <typename Add>
    FeatureTable<Cell> features(Memory memory, StopSign stop, Add&& add) {
        FeatureTable<Cell> both(memory);
        both.begin_with(std::max(x_.features.array_size(), y_.learner.features.array_size()), stop);
        x_.features.walk(stop, [&](int32_t j, const Cell& cell) { add(both.at(j, stop), x_share_, 1.0, x_, cell); });
        y_.learner.features.walk(stop, [&](int32_t j, const Cell& cell) {
            add(both.at(j, stop), y_share_, ratio(j, stop), y_.learner, cell);
        });
        return both;
    }

    const int64_t t;  // steps of both

private:
    double ratio(int32_t j, StopSign stop) {
        const double theirs = y_.scale.of(j);
        if (theirs != 1 && !scale_.has(j) && !x_.features.has(j)) scale_.set(j, theirs, stop);
        return scale_.of(j) / theirs;
    }

    const Algorithm& x_;
    Scale& scale_;
    Part<Algorithm> y_;
    double x_share_, y_share_;
};

// Dekel: k is the step-weighted mean as well.
template <typename Algorithm>
DekelSchedule merged_schedule(const Pair<Algorithm>& both, const Algorithm& x, double lambda) {
    DekelSchedule schedule = x.schedule;
    schedule.lambda = lambda;
    schedule.K = both.mean([&](const Algorithm& part) { return part.schedule.K * (lambda / part.schedule.lambda); });
    schedule.Omega = power_sum(both.t, schedule.q);
    schedule.resume(both.t);
    return schedule;
}

inline void merge(Sgd& x, Scale& scale, const Part<Sgd>& y, double lambda, Memory memory, StopSign stop) {
    Pair<Sgd> both(x, scale, y);
    const DekelSchedule schedule = merged_schedule(both, x, lambda);
    const double eta = schedule.eta;
    x.features =
        both.features(memory, stop, [eta](auto& cell, double share, double ratio, const Sgd& part, const auto& its) {
            cell.v += share * ratio * part.schedule.eta / eta * its.v;
        });
    x.a = both.mean([](const Sgd& part) { return part.schedule.eta * part.a; }) / eta;
    x.schedule = schedule;
}

inline void merge(Asgd& x, Scale& scale, const Part<Asgd>& y, double lambda, Memory memory, StopSign stop) {
    Pair<Asgd> both(x, scale, y);
    const DekelSchedule schedule = merged_schedule(both, x, lambda);
    const double eta = schedule.eta, Omega = schedule.Omega;
    auto features =
        both.features(memory, stop, [&](auto& cell, double share, double ratio, const Asgd& part, const auto& its) {
            cell.v += share * ratio * part.schedule.eta / eta * its.v;
            cell.u += Omega * share * ratio * part.weight(its);
        });
    const double a = both.mean([](const Asgd& part) { return part.schedule.eta * part.a; }) / eta;
    const double c = -Omega * both.mean([](const Asgd& part) { return part.bias(); });
    x.features = std::move(features);
    x.schedule = schedule;
    x.a = a;
    x.c = c;
    x.h = 0;
}

// The centres may differ: the new one is their mean, and both predictors are written anew around it.
inline void merge(Casgd& x, Scale& scale, const Part<Casgd>& y, double lambda, Memory memory, StopSign stop) {
    Pair<Casgd> both(x, scale, y);
    const DekelSchedule schedule = merged_schedule(both, x, lambda);
    const double eta = schedule.eta, Omega = schedule.Omega;
    auto features =
        both.features(memory, stop, [](auto& cell, double share, double ratio, const Casgd& part, const auto& its) {
            cell.v += share * ratio * -part.schedule.eta * (its.v - part.a * its.mu);  // the last iterate; v below
            cell.u += share * ratio * part.weight(its);                                // and the average
            cell.mu += share / ratio * its.mu;
        });
    double last_mu = 0, average_mu = 0, mu_mu = 0;
    features.walk(stop, [&](int32_t, const Casgd::Cell& cell) {
        last_mu += cell.v * cell.mu;
        average_mu += cell.u * cell.mu;
        mu_mu += cell.mu * cell.mu;
    });
    const double last_bias = both.mean([](const Casgd& part) { return -part.schedule.eta * part.r; });
    const double average_bias = both.mean([](const Casgd& part) { return part.bias(); });
    const double a = -(last_bias + last_mu) / eta;
    features.change_all(stop, [&](Casgd::Cell& cell) {
        cell.v = -cell.v / eta + a * cell.mu + 0.0;  // no negative zero: a cell of zeros has to stay one
        cell.u *= Omega;
    });
    double z = 0;
    features.walk(stop, [&](int32_t, const Casgd::Cell& cell) { z += cell.v * cell.mu; });

    x.features = std::move(features);
    x.schedule = schedule;
    x.mu_mu = mu_mu;
    x.theta = x.one + mu_mu;
    x.a = a;
    x.z = z;
    x.r = a * x.theta - z;
    x.s = -Omega * average_bias;
    x.c_before = -Omega * (average_bias + average_mu);
    x.c = x.h = 0;
}

// As many iterates have been averaged as in both; where neither has begun, averaging begins when it would have, but not
// before the next step.
inline void merge(Onepass& x, Scale& scale, const Part<Onepass>& y, double, Memory memory, StopSign stop) {
    Pair<Onepass> both(x, scale, y);
    const auto averaged = [](const Onepass& part) {
        return part.average.averaging() ? part.average.t - part.average.t0 : 0;
    };
    const double count = averaged(x) + averaged(y.learner), t = static_cast<double>(both.t);
    const bool searching = x.average.searching() && y.learner.average.searching();
    const double start = std::max(std::min(x.average.t0, y.learner.average.t0), t);
    const auto cell_of = [&](const Onepass& part, const Onepass::Cell& its) {
        const XuAverage& average = part.average;
        return Onepass::Cell{average.theta(its), searching ? average.theta_hat(its) : count * average.weight(its)};
    };
    auto features =
        both.features(memory, stop, [&](auto& cell, double share, double ratio, const Onepass& part, const auto& its) {
            const Onepass::Cell number = cell_of(part, its);
            cell.u += share * ratio * number.u;
            cell.u_hat += share * ratio * number.u_hat;
        });
    const Onepass::Cell bias = {both.mean([&](const Onepass& part) { return cell_of(part, part.bias_cell).u; }),
                                both.mean([&](const Onepass& part) { return cell_of(part, part.bias_cell).u_hat; })};
    const double m = both.mean([](const Onepass& part) { return part.average.m; });
    const double m_hat = both.mean([](const Onepass& part) { return part.average.m_hat; });

    x.features = std::move(features);
    x.bias_cell = bias;
    x.schedule.gamma0 = std::min(x.schedule.gamma0, y.learner.schedule.gamma0);  // it is a bound
    x.schedule.resume(both.t);
    x.average.t = t;
    if (!searching) x.average.t0 = count > 0 ? t - count : start;
    x.average.m = m;
    x.average.m_hat = m_hat;
    x.average.end_fold();
}

inline void merge(Truncated& x, Scale& scale, const Part<Truncated>& y, double, Memory memory, StopSign stop) {
    Pair<Truncated> both(x, scale, y);
    auto features =
        both.features(memory, stop, [](auto& cell, double share, double ratio, const Truncated& part, const auto& its) {
            cell.w += share * ratio * part.current(its);
        });
    const double b = both.mean([](const Truncated& part) { return part.b; });
    x.features = std::move(features);
    x.schedule.resume(both.t);
    x.b = b;
    x.G = 0;
}

inline void merge(ElasticNet& x, Scale& scale, const Part<ElasticNet>& y, double, Memory memory, StopSign stop) {
    Pair<ElasticNet> both(x, scale, y);
    auto features = both.features(memory, stop,
                                  [](auto& cell, double share, double ratio, const ElasticNet& part, const auto& its) {
                                      cell.W += share * ratio * part.weight(its);
                                  });
    const double b = both.mean([](const ElasticNet& part) { return part.b; });
    x.features = std::move(features);
    x.schedule.resume(both.t);
    x.b = b;
    x.P = 1;
    x.B = 0;
}

}  // namespace sparselin
