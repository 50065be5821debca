// Learning goes on from the merged predictor, as a dense run of the definitions does.
#include "engine/merge_cases.h"

#include <gtest/gtest.h>

using namespace sparselin;
using namespace merge_cases;
using parts::Part;

namespace {

using Wide = long double;

// A training as it goes on after a merge, dense: the predictor (w, b), the last iterate and the average, with the
// schedule's numbers as the merged state has them.
struct DenseDekel {
    std::vector<Wide> last, average, mu;  // the bias comes last
    Wide lambda, K, q, Omega, t;
    bool intercept;
    Wide reach = std::numeric_limits<Wide>::infinity();
    size_t heavy = 0;

    void step(const dense::Row& row, Loss loss) {
        std::vector<Wide> z(last.size(), 0);
        for (const auto& [position, value] : row.features) z.at(static_cast<size_t>(position)) = value;
        for (size_t j = 0; j < mu.size(); ++j) z[j] -= mu[j];
        z.back() = intercept ? 1 : 0;
        const Wide p = dense::dot(last, z);
        const Wide before = lambda * t + K;
        t += 1;
        const Wide eta = 1 / (lambda * t + K), power = std::pow(t, q), move = eta * row.weight * dense::dot(z, z);
        const auto its = static_cast<dense::Loss>(loss);
        const Wide g = row.weight * dense::slope_of_step(its, p, before * eta * p, row.label, move, reach);
        heavy += move > reach;
        for (size_t j = 0; j < z.size(); ++j) {
            last[j] = before * eta * last[j] - eta * g * z[j];
            average[j] = (Omega * average[j] + power * last[j]) / (Omega + power);
        }
        Omega += power;
    }
};

std::vector<dense::Row> with_long_rows(std::vector<dense::Row> rows) {
    for (size_t i = 4; i < rows.size(); i += 9)
        for (auto& [position, value] : rows[i].features) value = static_cast<float>(value) * 100;
    return rows;
}

}  // namespace

// The last iterates of asgd and casgd are those of sgd, with the same options, where there is no centre.
TEST(Merge, DekelGoesOnFromTheMergedPredictor) {
    constexpr size_t d = 13;
    const double lambda = 0.01;
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::absolute}) {
        const auto x = some_rows(1, 1250, loss), y = some_rows(2, 3750, loss),
                   next = with_long_rows(some_rows(3, 600, loss));
        for (const bool intercept : {true, false}) {
            for (const char* offset : {"0", "50", "auto"}) {
                for (const double q : {0.0, 1.0, 2.0, 2.5}) {
                    const std::string of_last = streaming(loss, "lambda=0.01 step_offset=" + std::string(offset) +
                                                                    " intercept=" + (intercept ? "true" : "false"));
                    const std::string of_average = of_last + " average_power=" + std::to_string(q);
                    SCOPED_TRACE(of_average);
                    const auto merged = [&](LearnerKind learner, const std::string& options) {
                        Part a(learner, options), b(learner, options), both(learner, options);
                        a.take(x);
                        b.take(y);
                        return both.combine(a).combine(b).finish();
                    };
                    const Model last = merged(LearnerKind::sgd, of_last);
                    const Model average = merged(LearnerKind::asgd, of_average);
                    DenseDekel dense{
                        std::vector<Wide>(d + 1), std::vector<Wide>(d + 1), {}, lambda, 0, q, 0, 0, intercept};
                    for (size_t j = 0; j < d; ++j) {
                        dense.last[j] = parts::weight_of(last, static_cast<int32_t>(j));
                        dense.average[j] = parts::weight_of(average, static_cast<int32_t>(j));
                    }
                    dense.last[d] = last.bias[0];
                    dense.average[d] = average.bias[0];
                    dense.t = static_cast<Wide>(last.steps);
                    for (int64_t t = 1; t <= last.steps; ++t) dense.Omega += std::pow(static_cast<Wide>(t), q);
                    const Wide k = parse_options(last.options, parts::heap()).step_offset;
                    dense.K = k * lambda;
                    const auto k_alone = [&](const auto& rows) {
                        const Model alone = Part(LearnerKind::sgd, of_last).take(rows).finish();
                        return static_cast<Wide>(alone.steps) * parse_options(alone.options, parts::heap()).step_offset;
                    };
                    ASSERT_NEAR(static_cast<double>((k_alone(x) + k_alone(y)) / dense.t - k), 0, 1e-9);

                    // How far a step may go follows the labels of both.
                    const auto unit_alone = [](const auto& rows) { return dense::unit_of(dense::learned(rows), 1000); };
                    const auto x_rows = static_cast<Wide>(dense::learned(x).size());
                    const Wide S = (x_rows * unit_alone(x) + (dense.t - x_rows) * unit_alone(y)) / dense.t;
                    dense.reach = dense::reach_of(static_cast<dense::Loss>(loss), 8, S);
                    for (const dense::Row& row : next)
                        if (row.weight != 0) dense.step(row, loss);
                    EXPECT_GT(dense.heavy, 10u);
                    const Model sgd = Part(parts::through_bytes(last)).take(next).finish();
                    const Model asgd = Part(parts::through_text(average)).take(next).finish();
                    for (size_t j = 0; j <= d; ++j) {
                        const auto number = [&](const Model& model) {
                            return j == d ? model.bias[0] : parts::weight_of(model, static_cast<int32_t>(j));
                        };
                        ASSERT_NEAR(number(sgd), static_cast<double>(dense.last[j]), 1e-10) << j;
                        ASSERT_NEAR(number(asgd), static_cast<double>(dense.average[j]), 1e-10) << j;
                    }
                }
            }
        }
    }
}

// Casgd from its definition on both sides of the merge: around its own centre in each part, and around the mean of the
// centres afterwards.
TEST(Merge, CasgdGoesOnAroundTheMeanOfTheCentres) {
    constexpr size_t d = 13;
    const auto x = some_rows(1, 1250, Loss::logistic), y = some_rows(2, 500, Loss::logistic);
    const auto next = some_rows(3, 600, Loss::logistic);
    const dense::Dense given = {0.5L, 0, -0.25L, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    for (const double q : {0.0, 1.0, 2.0, 2.5}) {
        for (const double k : {0.0, 50.0}) {
            for (const bool centre_given : {true, false}) {
                for (const bool intercept : {true, false}) {
                    // Around different centres nothing without a bias is the mean of both.
                    if (!intercept && !centre_given) continue;
                    const std::string options =
                        streaming(Loss::logistic, "lambda=0.01 step_offset=" + std::to_string(k) +
                                                      " average_power=" + std::to_string(q) +
                                                      " intercept=" + (intercept ? "true" : "false") +
                                                      (centre_given ? " center={1:0.5,3:-0.25,13:1}" : ""));
                    SCOPED_TRACE(options);
                    const auto start = [&](const std::vector<dense::Row>& rows) {
                        const dense::Dense mu = centre_given ? given : dense::mean_of(dense::learned(rows), d);
                        DenseDekel dense{std::vector<Wide>(d + 1),
                                         std::vector<Wide>(d + 1),
                                         mu,
                                         0.01,
                                         0.01L * k,
                                         q,
                                         0,
                                         0,
                                         intercept,
                                         dense::reach_of(dense::Loss::logistic, 8, 1)};
                        for (const dense::Row& row : dense::learned(rows)) dense.step(row, Loss::logistic);
                        return dense;
                    };
                    const DenseDekel a = start(x), b = start(y);
                    DenseDekel both = a;
                    both.t = a.t + b.t;
                    both.Omega = 0;
                    for (Wide t = 1; t <= both.t; t += 1) both.Omega += std::pow(t, static_cast<Wide>(q));
                    const auto mean = [&](Wide of_a, Wide of_b) { return (a.t * of_a + b.t * of_b) / both.t; };
                    for (size_t j = 0; j < d; ++j) both.mu[j] = mean(a.mu[j], b.mu[j]);
                    const auto merge = [&](std::vector<Wide> DenseDekel::*it) {
                        Wide bias = 0;
                        for (size_t j = 0; j <= d; ++j) {
                            (both.*it)[j] = mean((a.*it)[j], (b.*it)[j]);
                            if (j == d) break;
                            bias -= mean((a.*it)[j] * a.mu[j], (b.*it)[j] * b.mu[j]) - (both.*it)[j] * both.mu[j];
                        }
                        (both.*it)[d] += bias;
                    };
                    merge(&DenseDekel::last);
                    merge(&DenseDekel::average);
                    for (const dense::Row& row : dense::learned(next)) both.step(row, Loss::logistic);

                    Part of_x(LearnerKind::casgd, options), of_y(LearnerKind::casgd, options);
                    of_x.take(x).learn_alone();
                    of_y.take(y).learn_alone();
                    const Model merged = Part(LearnerKind::casgd, options).combine(of_x).combine(of_y).finish();
                    const Model model = Part(parts::through_text(merged)).take(next).finish();
                    Wide moved = both.average[d];
                    for (size_t j = 0; j < d; ++j) {
                        moved -= both.average[j] * both.mu[j];
                        ASSERT_NEAR(parts::weight_of(model, static_cast<int32_t>(j)),
                                    static_cast<double>(both.average[j]), 1e-10);
                    }
                    ASSERT_NEAR(model.bias[0], static_cast<double>(moved), 1e-10);
                    ASSERT_NEAR(model.centred_bias[0], static_cast<double>(both.average[d]), 1e-10);
                }
            }
        }
    }
}

namespace {

// Xu, with a feature more that is 1: theta, the sum of those averaged, and how many; until t0 is known, theta^.
struct DenseXu {
    static constexpr Wide unknown = 1e300L;
    std::vector<Wide> theta, sum, hat;
    Wide t0, t = 0, count = 0, m = 0, m_hat = 0;

    explicit DenseXu(size_t d, Wide start) : theta(d + 1), sum(d + 1), hat(d + 1), t0(start) {}

    bool searching() const { return t0 == unknown; }

    void step(const dense::Row& row) {
        std::vector<Wide> z(theta.size(), 0);
        for (const auto& [position, value] : row.features) z.at(static_cast<size_t>(position)) = value;
        z.back() = 1;
        const Wide p = dense::dot(theta, z), p_hat = dense::dot(hat, z);
        m = 0.99L * m + 0.01L * row.weight * dense::loss_of(dense::Loss::logistic, p, row.label);
        m_hat = 0.99L * m_hat + 0.01L * row.weight * dense::loss_of(dense::Loss::logistic, p_hat, row.label);
        t += 1;
        const Wide gamma = 0.05L * std::pow(1 + 0.002L * 0.05L * t, -0.75L);
        const Wide g = row.weight * dense::derivative_of(dense::Loss::logistic, p, row.label);
        if (t > t0) count += 1;
        for (size_t j = 0; j < z.size(); ++j) {
            theta[j] = (1 - 0.002L * gamma) * theta[j] - gamma * g * z[j];
            hat[j] = 0.99L * hat[j] + 0.01L * theta[j];
            if (t > t0) sum[j] += theta[j];
        }
        if (searching() && t >= 100 && m_hat < m) t0 = t;
    }

    Wide weight(size_t j) const { return count > 0 ? sum[j] / count : theta[j]; }

    // MATH says nothing about t0 here: as many are averaged as in both, or averaging begins when it would have.
    static DenseXu merged(const DenseXu& a, const DenseXu& b) {
        DenseXu both = a;
        const auto mean = [&](Wide of_a, Wide of_b) { return (a.t * of_a + b.t * of_b) / (a.t + b.t); };
        both.t = a.t + b.t;
        both.count = a.count + b.count;
        both.m = mean(a.m, b.m);
        both.m_hat = mean(a.m_hat, b.m_hat);
        for (size_t j = 0; j < a.theta.size(); ++j) {
            both.theta[j] = mean(a.theta[j], b.theta[j]);
            both.hat[j] = mean(a.hat[j], b.hat[j]);
            both.sum[j] = both.count * mean(a.weight(j), b.weight(j));
        }
        if (!a.searching() || !b.searching())
            both.t0 = both.count > 0 ? both.t - both.count : std::max(std::min(a.t0, b.t0), both.t);
        return both;
    }
};

}  // namespace

TEST(Merge, OnepassGoesOnFromTheMergedPredictor) {
    constexpr size_t d = 13;
    const auto next = some_rows(3, 1200, Loss::logistic);
    for (const double t0 : {-1.0, 0.0, 300.0, 700.0, 1450.0, 5000.0}) {
        for (const auto& [of_x_rows, of_y_rows] :
             {std::pair{1250, 500}, std::pair{60, 90}, std::pair{40, 2000}, std::pair{30, 30}, std::pair{45, 50},
              std::pair{70, 20}, std::pair{10, 85}, std::pair{98, 99}}) {
            const auto x = some_rows(1, static_cast<size_t>(of_x_rows), Loss::logistic);
            const auto y = some_rows(2, static_cast<size_t>(of_y_rows), Loss::logistic);
            const std::string start = t0 < 0 ? "auto" : std::to_string(static_cast<int>(t0));
            const std::string options = streaming(Loss::logistic, "lambda=0.002 gamma0=0.05 average_start=" + start);
            SCOPED_TRACE(options + " " + std::to_string(of_x_rows));
            const auto run = [&](const std::vector<dense::Row>& rows) {
                DenseXu xu(d, t0 < 0 ? DenseXu::unknown : static_cast<Wide>(t0));
                for (const dense::Row& row : dense::learned(rows)) xu.step(row);
                return xu;
            };
            DenseXu dense = DenseXu::merged(run(x), run(y));
            Part of_x(LearnerKind::onepass, options), of_y(LearnerKind::onepass, options);
            of_x.take(x);
            of_y.take(y);
            const Model merged = Part(LearnerKind::onepass, options).combine(of_x).combine(of_y).finish();
            const Model model = Part(parts::through_text(merged)).take(next).finish();
            for (const dense::Row& row : dense::learned(next)) dense.step(row);
            if (!dense.searching()) {
                ASSERT_NEAR(parse_options(model.options, parts::heap()).average_start, static_cast<double>(dense.t0),
                            1e-9);
            }
            for (size_t j = 0; j <= d; ++j) {
                const double number = j == d ? model.bias[0] : parts::weight_of(model, static_cast<int32_t>(j));
                ASSERT_NEAR(number, static_cast<double>(dense.weight(j)), 1e-10);
            }
        }
    }
}

// The lazy learners keep no more than the predictor and t.
TEST(Merge, TruncatedAndElasticNetGoOnFromTheMergedPredictor) {
    constexpr size_t d = 13;
    const auto x = some_rows(1, 1250, Loss::logistic), y = some_rows(2, 500, Loss::logistic);
    const auto next = some_rows(3, 600, Loss::logistic);
    for (const char* more : {"truncated threshold=0.3", "truncated method=round threshold=0.01", "truncated ",
                             "elasticnet method=sgd", "elasticnet method=fobos"}) {
        SCOPED_TRACE(more);
        const std::string kind = std::string(more).substr(0, std::string(more).find(' '));
        const bool truncates = kind == "truncated", rounds = std::string(more).find("round") != std::string::npos;
        const bool fobos = std::string(more).find("fobos") != std::string::npos;
        const Wide threshold = rounds ? 0.01L : std::string(more).find("0.3") != std::string::npos ? 0.3L : 1e300L;
        const std::string options = streaming(Loss::logistic, std::string("eta0=0.1 ") + (more + kind.size()) +
                                                                  (rounds      ? " truncate_every=7"
                                                                   : truncates ? " gravity=0.01 truncate_every=7"
                                                                               : " lambda=0.002 l1=0.003"));
        const LearnerKind learner = truncates ? LearnerKind::truncated : LearnerKind::elasticnet;
        Part of_x(learner, options), of_y(learner, options);
        of_x.take(x);
        of_y.take(y);
        const Model merged = Part(learner, options).combine(of_x).combine(of_y).finish();
        std::vector<Wide> w(d);
        for (size_t j = 0; j < d; ++j) w[j] = parts::weight_of(merged, static_cast<int32_t>(j));
        Wide b = merged.bias[0];
        int64_t t = merged.steps;
        for (const dense::Row& row : dense::learned(next)) {
            const dense::Dense z = dense::dense_row(row, d);
            const Wide g = row.weight * dense::derivative_of(dense::Loss::logistic, dense::dot(w, z) + b, row.label);
            const Wide eta = 0.1L / std::sqrt(static_cast<Wide>(++t));
            b -= eta * g;
            for (size_t j = 0; j < d; ++j) {
                w[j] -= eta * g * z[j];
                const Wide size = std::fabs(w[j]);
                Wide left = size;
                if (!truncates && fobos) left = std::max(size - eta * 0.003L, Wide(0)) / (1 + eta * 0.002L);
                if (!truncates && !fobos) left = std::max((1 - eta * 0.002L) * size - eta * 0.003L, Wide(0));
                if (truncates && t % 7 == 0 && size <= threshold)
                    left = rounds ? 0 : std::max(size - eta * 7 * 0.01L, Wide(0));
                w[j] = std::copysign(left, w[j]);
            }
        }
        const Model model = Part(parts::through_text(merged)).take(next).finish();
        for (size_t j = 0; j < d; ++j)
            ASSERT_NEAR(parts::weight_of(model, static_cast<int32_t>(j)), static_cast<double>(w[j]), 1e-10) << j;
        ASSERT_NEAR(model.bias[0], static_cast<double>(b), 1e-10);
    }
}
