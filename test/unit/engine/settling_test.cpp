// The mathematics of settling, on scores that are made up.
#include "engine/dense_settling.h"
#include "engine/settling.h"
#include "support/generated_rows.h"

#include <gtest/gtest.h>

namespace sparselin {
namespace {

constexpr dense::Loss every_loss[] = {dense::Loss::logistic, dense::Loss::squared_hinge, dense::Loss::squared,
                                      dense::Loss::absolute, dense::Loss::huber,         dense::Loss::quantile};

ChosenLoss chosen(dense::Loss loss) {
    const double parameter = loss == dense::Loss::huber      ? dense::huber_delta
                             : loss == dense::Loss::quantile ? dense::quantile_tau
                                                             : 0;
    return {static_cast<Loss>(loss), parameter};
}

// Scores that have something to do with the labels, on a scale and around a point that is not theirs.
dense::Settling made_up(dense::Loss loss, size_t rows, uint64_t seed, double scale = 1, double offset = 0) {
    generated::Random random(seed);
    dense::Settling problem;
    problem.loss = loss;
    for (size_t i = 0; i < rows; ++i) {
        const double y = 4 * random.uniform() - 2, noise = 2 * random.uniform() - 1;
        const bool is_class = loss <= dense::Loss::squared_hinge;
        problem.y.push_back(is_class ? (y > 0.3 ? 1 : -1) : y);
        problem.s.push_back(scale * (y + noise) + offset);
        problem.omega.push_back(static_cast<double>(1 + random.below(24)) / 8);
    }
    problem.a2 = 1e-3, problem.b2 = 2e-3;
    problem.b = 0.75;
    return problem;
}

Penalty penalty_of(const dense::Settling& problem) {
    Penalty penalty;
    penalty.a2 = static_cast<double>(problem.a2);
    penalty.a1 = static_cast<double>(problem.a1);
    penalty.b2 = static_cast<double>(problem.b2);
    penalty.alpha_moves = problem.alpha_moves && curves(chosen(problem.loss).loss);
    penalty.beta_moves = problem.beta_moves;
    if (problem.least_alpha == 0) penalty.least_alpha = 0;
    return penalty;
}

// Rounds over the rows until the method says that it is there.
template <typename Method>
Settled found_by(Method method, const dense::Settling& problem, int most_rounds) {
    for (int round = 1;; ++round) {
        for (size_t i = 0; i < problem.s.size(); i += ScoredRows::size) {
            ScoredRows rows{};
            for (size_t k = 0; k < ScoredRows::size && i + k < problem.s.size(); ++k) {
                rows.s[k] = static_cast<double>(problem.s[i + k]);
                rows.y[k] = static_cast<double>(problem.y[i + k]);
                rows.omega[k] = static_cast<double>(problem.omega[i + k]);
            }
            method.add(rows);
        }
        if (method.end_round()) return method.result();
        EXPECT_LT(round, most_rounds);
        if (round == most_rounds) return method.result();
    }
}

Settled found(const dense::Settling& problem, int most_rounds = 40) {
    const ChosenLoss loss = chosen(problem.loss);
    const double b = static_cast<double>(problem.b);
    const auto rows = static_cast<int64_t>(problem.s.size());
    if (curves(loss.loss)) return found_by(Newton(loss, penalty_of(problem), b, rows), problem, most_rounds);
    return found_by(Sections(loss, penalty_of(problem), b, rows), problem, most_rounds);
}

void compare(dense::Settling problem, int most_rounds = 40) {
    problem.alpha_moves &= curves(chosen(problem.loss).loss);
    const dense::Place expected = dense::settled(problem);
    const Settled settled = found(problem, most_rounds);
    EXPECT_NEAR(settled.alpha, static_cast<double>(expected.alpha), 1e-9 * std::fabs(expected.alpha) + 1e-12);
    EXPECT_NEAR(settled.beta, static_cast<double>(expected.beta), 1e-9 * std::fabs(expected.beta) + 1e-12);
    const dense::Place before{1, problem.b}, after{settled.alpha, settled.beta};
    EXPECT_LE(dense::phi(problem, after), dense::phi(problem, before) * (1 + 1e-14L));
}

TEST(Settling, FindsTheLeastValue) {
    for (const dense::Loss loss : every_loss)
        for (const size_t rows : {1, 2, 3, 255, 256, 257, 700})
            for (const bool alpha_moves : {true, false})
                for (const bool beta_moves : {true, false}) {
                    if (!beta_moves && (!alpha_moves || !curves(chosen(loss).loss))) continue;
                    SCOPED_TRACE(std::string(name_of(chosen(loss).loss)) + " " + std::to_string(rows));
                    dense::Settling problem = made_up(loss, rows, rows + 7);
                    problem.alpha_moves = alpha_moves;
                    problem.beta_moves = beta_moves;
                    compare(problem);
                }
}

// Scores that are far too small, far too large, or all on one side.
TEST(Settling, FindsItFarAway) {
    for (const dense::Loss loss : every_loss)
        for (const double scale : {0.05, 1.0, 200.0, -1.0})
            for (const double offset : {0.0, 30.0, -300.0}) {
                SCOPED_TRACE(std::string(name_of(chosen(loss).loss)) + " " + std::to_string(scale) + " " +
                             std::to_string(offset));
                compare(made_up(loss, 150, 5, scale, offset), 60);
            }
}

// A model that says the opposite is turned round.
TEST(Settling, AlphaMayBeNegative) {
    const dense::Settling problem = made_up(dense::Loss::logistic, 300, 5, -1);
    EXPECT_LT(found(problem).alpha, -0.5);
}

TEST(Settling, WithoutAPriceOnTheBias) {
    for (const dense::Loss loss : every_loss) {
        SCOPED_TRACE(name_of(chosen(loss).loss));
        dense::Settling problem = made_up(loss, 301, 11);
        problem.b2 = 0;
        compare(problem);
    }
}

// Of l1 and of gravity. Where the pull is strong, or the scores are of no use, alpha is 0 and not below.
TEST(Settling, AlphaStaysAtZeroWhereWeightsHaveAPrice) {
    int at_zero = 0;
    for (const dense::Loss loss : every_loss)
        for (const double a1 : {1e-4, 0.05, 5.0})
            for (const double scale : {1.0, 0.01, -1.0}) {
                SCOPED_TRACE(std::string(name_of(chosen(loss).loss)) + " " + std::to_string(a1) + " " +
                             std::to_string(scale));
                dense::Settling problem = made_up(loss, 200, 3, scale);
                problem.a1 = a1;
                problem.a2 = problem.b2 = 0;
                problem.least_alpha = 0;
                compare(problem);
                at_zero += found(problem).alpha == 0;
            }
    EXPECT_GE(at_zero, 8) << "exactly 0, not nearly";
}

// Labels around 1e6 and weights of all sizes.
TEST(Settling, LargeLabelsAndWeights) {
    for (const dense::Loss loss :
         {dense::Loss::squared, dense::Loss::absolute, dense::Loss::huber, dense::Loss::quantile})
        for (const double weight : {1e-30, 1.0, 1e30}) {
            SCOPED_TRACE(std::string(name_of(chosen(loss).loss)) + " " + std::to_string(weight));
            dense::Settling problem = made_up(loss, 300, 13);
            problem.widest_beta = 1 << 22;
            for (dense::Real& y : problem.y) y += 1e6;
            for (dense::Real& omega : problem.omega) omega *= weight;
            problem.a2 *= weight, problem.b2 *= weight * 1e-6;
            compare(problem, 100);
        }
}

// The place where a share tau lies below is a row's own where no penalty moves it: exactly.
TEST(Settling, AQuantileIsARow) {
    for (const double tau : {0.001, 0.1, 0.5, 0.73, 0.999})
        for (const size_t rows : {1, 2, 5, 299, 5000}) {
            SCOPED_TRACE(std::to_string(tau) + " " + std::to_string(rows));
            generated::Random random(rows);
            dense::Settling problem;
            std::vector<double> r;
            for (size_t i = 0; i < rows; ++i) {
                // Many of the same size, and some of very different ones.
                const double y = i % 3 == 0 ? 1.5 : random.sign() * std::exp(60 * random.uniform() - 30);
                problem.y.push_back(y);
                problem.s.push_back(0);
                problem.omega.push_back(1);
                r.push_back(y);
            }
            std::sort(r.begin(), r.end());
            Penalty penalty;
            penalty.beta_moves = true;
            const Settled settled =
                found_by(Sections({Loss::quantile, tau}, penalty, 0.3, static_cast<int64_t>(rows)), problem, 100);
            const auto share = [&](auto upper_or_lower) {
                return static_cast<double>(upper_or_lower(r.begin(), r.end(), settled.beta) - r.begin());
            };
            const double below = share([](auto... of) { return std::lower_bound(of...); });
            const double up_to = share([](auto... of) { return std::upper_bound(of...); });
            EXPECT_LT(below, up_to) << "it is one of them";
            EXPECT_LE(below, tau * static_cast<double>(rows) * (1 + 1e-12));
            EXPECT_GE(up_to, tau * static_cast<double>(rows) * (1 - 1e-12));
            EXPECT_EQ(settled.alpha, 1);
        }
}

// Numbers that are none, or too large, leave all as it was.
TEST(Settling, StaysWhereNumbersEnd) {
    for (const dense::Loss loss : every_loss)
        for (const double broken : {std::numeric_limits<double>::infinity(), 1e308}) {
            SCOPED_TRACE(std::string(name_of(chosen(loss).loss)) + " " + std::to_string(broken));
            dense::Settling problem = made_up(loss, 20, 3);
            problem.s[7] = problem.s[8] = broken;
            problem.s[9] = -broken;
            const Settled settled = found(problem, 200);
            EXPECT_TRUE(std::isfinite(settled.alpha) && std::isfinite(settled.beta));
        }
}

}  // namespace
}  // namespace sparselin
