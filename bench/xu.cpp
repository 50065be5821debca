// xu [FOLDER]: the two synthetic problems of Xu, sections 6.1 and 6.2, on the step sizes and the averages of
// onepass_train.
//
// Prints the excess risk of each method after so many samples, the mean over the runs, and whether its ratios keep
// their bounds; exit status 1 when one does not. Writes xu_quadratic.svg and xu_regression.svg to the folder, where one
// is given.
#include "options/losses.h"
#include "learners/onepass.h"
#include "support/learner_alone.h"

#include "chart.h"

#include <numeric>
#include <random>

namespace {

using namespace sparselin;

constexpr size_t dimension = 100;
constexpr size_t runs = 20;
constexpr size_t samples[] = {156, 312, 625, 1250, 2500, 5000, 10000, 20000, 40000, 80000};
constexpr size_t most_samples = samples[std::size(samples) - 1];

using Point = std::vector<double>;  // of the parameter space

class Normal {
public:
    explicit Normal(size_t seed) : bits_(seed) {}
    double next() { return normal_(bits_); }
    Point point() {
        Point x(dimension);
        for (double& x_j : x) x_j = next();
        return x;
    }

private:
    std::mt19937_64 bits_;
    std::normal_distribution<double> normal_;
};

double dot(const Point& a, const Point& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Point difference(const Point& a, const Point& b) {
    Point c = a;
    for (size_t j = 0; j < dimension; ++j) c[j] -= b[j];
    return c;
}

constexpr double never = 1e15;

Settings settings_with(double gamma0, double decay_rate, double decay, double average_start) {
    Settings settings{};
    settings.learner = LearnerKind::onepass;
    settings.gamma0 = gamma0;
    settings.decay_rate = decay_rate;
    settings.decay = decay;
    settings.average_start = average_start;
    return settings;
}

// The mean excess risk of some methods at each number of samples.
struct Table {
    std::vector<const char*> methods;
    std::vector<std::vector<double>> risk;  // [method][samples]

    explicit Table(std::vector<const char*> names)
        : methods(std::move(names)), risk(methods.size(), std::vector<double>(std::size(samples))) {}

    void add(size_t method, size_t n, double excess) {
        for (size_t k = 0; k < std::size(samples); ++k)
            if (samples[k] == n) risk[method][k] += excess / runs;
    }

    double at(size_t method, size_t n) const {
        return risk[method][static_cast<size_t>(std::find(samples, std::end(samples), n) - samples)];
    }

    void print(const char* title) const {
        std::printf("%s\n\n| samples |", title);
        for (const char* method : methods) std::printf(" %s |", method);
        std::printf("\n|---|");
        for (size_t m = 0; m < methods.size(); ++m) std::printf("---|");
        for (size_t k = 0; k < std::size(samples); ++k) {
            std::printf("\n| %zu |", samples[k]);
            for (const auto& of_method : risk) std::printf(" %.3g |", of_method[k]);
        }
        std::printf("\n\n");
    }

    void draw(const char* title, const std::string& path) const {
        Chart chart(title, "samples", "excess risk");
        for (size_t m = 0; m < methods.size(); ++m) {
            std::vector<std::pair<double, double>> points;
            for (size_t k = 0; k < std::size(samples); ++k)
                points.emplace_back(static_cast<double>(samples[k]), risk[m][k]);
            chart.add(methods[m], points);
        }
        chart.write(path);
    }
};

bool is_reported(size_t n) {
    return std::find(samples, std::end(samples), n) != std::end(samples);
}

// Section 6.1: E 1/2 (theta - x)' A (theta - x) for x ~ N(theta*, I), where A has the eigenvalues 1, 1, 1 and 97 times
// 0.02. A = 0.02 I + 0.98 (q1 q1' + q2 q2' + q3 q3') with random orthonormal q; theta starts at 0, |theta*| = 1.
class Quadratic {
public:
    explicit Quadratic(Normal& normal) : optimum_(unit(normal.point())) {
        for (Point& q : q_) {
            q = normal.point();
            for (const Point* before = q_; before != &q; ++before) {
                const double along = dot(q, *before);
                for (size_t j = 0; j < dimension; ++j) q[j] -= along * (*before)[j];
            }
            q = unit(q);
        }
    }

    Point sample(Normal& normal) const {
        Point x = normal.point();
        for (size_t j = 0; j < dimension; ++j) x[j] += optimum_[j];
        return x;
    }

    Point times_A(const Point& v) const {
        Point product = v;
        for (double& product_j : product) product_j *= 0.02;
        for (const Point& q : q_) {
            const double along = 0.98 * dot(v, q);
            for (size_t j = 0; j < dimension; ++j) product[j] += along * q[j];
        }
        return product;
    }

    double excess(const Point& theta) const {
        const Point apart = difference(theta, optimum_);
        return dot(apart, times_A(apart)) / 2;
    }

private:
    static Point unit(Point v) {
        const double length = std::sqrt(dot(v, v));
        for (double& v_j : v) v_j /= length;
        return v;
    }

    Point optimum_;
    Point q_[3];
};

// Xu's schedule and average with gradients that have no zeros.
struct Descent {
    explicit Descent(const Settings& settings)
        : schedule(settings), average(0, settings.average_start), cells(dimension) {}

    void step(const Quadratic& problem, const Point& x) {
        Point theta(dimension);
        for (size_t j = 0; j < dimension; ++j) theta[j] = average.theta(cells[j]);
        const Point gradient = problem.times_A(difference(theta, x));
        schedule.advance();
        average.begin_step(schedule.gamma);
        for (size_t j = 0; j < dimension; ++j) average.move(cells[j], schedule.gamma * gradient[j]);
        average.end_step(0, 0);
    }

    Point result() const {
        Point theta(dimension);
        for (size_t j = 0; j < dimension; ++j) theta[j] = average.weight(cells[j]);
        return theta;
    }

    XuSchedule schedule;
    XuAverage average;
    std::vector<XuAverage::Cell> cells;
};

Table quadratic() {
    Table table({"batch", "ASGD", "SGD", "ASGD, bad schedule"});
    for (size_t run = 0; run < runs; ++run) {
        Normal normal(run);
        const Quadratic problem(normal);
        Descent methods[] = {Descent(settings_with(1, 0.02, 2.0 / 3, 0)), Descent(settings_with(1, 0.02, 1, never)),
                             Descent(settings_with(1, 1, 2.0 / 3, 0))};
        Point sum(dimension);
        for (size_t n = 1; n <= most_samples; ++n) {
            const Point x = problem.sample(normal);
            for (size_t j = 0; j < dimension; ++j) sum[j] += x[j];
            for (Descent& method : methods) method.step(problem, x);
            if (!is_reported(n)) continue;
            Point mean = sum;
            for (double& mean_j : mean) mean_j /= static_cast<double>(n);
            table.add(0, n, problem.excess(mean));
            for (size_t m = 0; m < 3; ++m) table.add(m + 1, n, problem.excess(methods[m].result()));
        }
    }
    return table;
}

// Ordinary least squares: X'X theta = X'y by Cholesky's decomposition.
class LeastSquares {
public:
    LeastSquares() : XX_(dimension, Point(dimension)), Xy_(dimension) {}

    void add(const Point& x, double y) {
        for (size_t i = 0; i < dimension; ++i) {
            for (size_t j = 0; j <= i; ++j) XX_[i][j] += x[i] * x[j];
            Xy_[i] += x[i] * y;
        }
    }

    Point solve() const {
        std::vector<Point> L = XX_;
        Point theta = Xy_;
        for (size_t i = 0; i < dimension; ++i) {
            for (size_t j = 0; j <= i; ++j) {
                for (size_t k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[j][k];
                L[i][j] = i == j ? std::sqrt(L[i][i]) : L[i][j] / L[j][j];
            }
            for (size_t k = 0; k < i; ++k) theta[i] -= L[i][k] * theta[k];
            theta[i] /= L[i][i];
        }
        for (size_t i = dimension; i-- > 0;) {
            for (size_t k = i + 1; k < dimension; ++k) theta[i] -= L[k][i] * theta[k];
            theta[i] /= L[i][i];
        }
        return theta;
    }

private:
    std::vector<Point> XX_;
    Point Xy_;
};

// Section 6.2: y = theta*.x + noise, with x, theta* and the noise N(0, I). The excess risk is 1/2 |theta - theta*|^2.
class Regression {
public:
    explicit Regression(Normal& normal) : optimum_(normal.point()), index_(dimension), value_(dimension) {
        std::iota(index_.begin(), index_.end(), 0);
    }

    // The next sample: x in float, as rows are stored.
    void draw(Normal& normal) {
        for (float& x_j : value_) x_j = static_cast<float>(normal.next());
        y_ = dot(optimum_, x()) + normal.next();
    }

    Point x() const { return Point(value_.begin(), value_.end()); }
    double y() const { return y_; }
    Example example() const { return {{index_.data(), value_.data(), dimension, 0}, y_, 1}; }

    double excess(const Point& theta) const {
        const Point apart = difference(theta, optimum_);
        return dot(apart, apart) / 2;
    }

    double excess(const LearnerAlone<Onepass>& run) const {
        Point theta(dimension);
        for (size_t j = 0; j < dimension; ++j) theta[j] = run.weight(static_cast<int32_t>(j));
        return excess(theta);
    }

private:
    Point optimum_;
    std::vector<int32_t> index_;
    std::vector<float> value_;
    double y_ = 0;
};

Table regression() {
    Table table({"batch", "ASGD, automatic start", "SGD", "ASGD, from the start"});
    constexpr double trace = dimension;
    const auto learner = [&](double decay, double average_start) {
        return LearnerAlone<Onepass>(settings_with(1 / trace, 0.01, decay, average_start));
    };
    for (size_t run = 0; run < runs; ++run) {
        Normal normal(run);
        Regression problem(normal);
        LeastSquares batch;
        LearnerAlone<Onepass> methods[] = {learner(2.0 / 3, automatic), learner(1, never), learner(2.0 / 3, 0)};
        for (size_t n = 1; n <= most_samples; ++n) {
            problem.draw(normal);
            batch.add(problem.x(), problem.y());
            for (LearnerAlone<Onepass>& method : methods) method.step(SquaredLoss{}, problem.example());
            if (!is_reported(n)) continue;
            table.add(0, n, problem.excess(batch.solve()));
            for (size_t m = 0; m < 3; ++m) table.add(m + 1, n, problem.excess(methods[m]));
        }
    }
    return table;
}

// How often one risk is another, and whether it should be.
class Bounds {
public:
    void at_most(double bound, const char* what, double ratio) {
        report(ratio <= bound, what, ratio, "at most", bound);
    }
    void at_least(double bound, const char* what, double ratio) {
        report(ratio >= bound, what, ratio, "at least", bound);
    }
    bool all_hold() const { return all_hold_; }

private:
    void report(bool holds, const char* what, double ratio, const char* side, double bound) {
        std::printf("%-46s %6.2f   %-8s %4g   %s\n", what, ratio, side, bound, holds ? "pass" : "FAIL");
        all_hold_ = all_hold_ && holds;
    }

    bool all_hold_ = true;
};

}  // namespace

int main(int count, char** arguments) {
    const Table first = quadratic();
    first.print("Quadratic, 100 dimensions (Xu, section 6.1)");
    Bounds bounds;
    const auto quadratic_at = [&](size_t method) { return first.at(method, 10000); };
    bounds.at_most(2, "ASGD / batch, 10000 samples", quadratic_at(1) / quadratic_at(0));
    bounds.at_least(10, "SGD / batch, 10000 samples", quadratic_at(2) / quadratic_at(0));
    bounds.at_least(1, "bad schedule / ASGD, 10000 samples", quadratic_at(3) / quadratic_at(1));
    bounds.at_most(1, "bad schedule / SGD, 10000 samples", quadratic_at(3) / quadratic_at(2));

    const Table second = regression();
    std::printf("\n");
    second.print("Linear regression, 100 dimensions (Xu, section 6.2)");
    bounds.at_most(4, "ASGD / batch, 10000 samples", second.at(1, 10000) / second.at(0, 10000));
    bounds.at_most(2, "ASGD / batch, 40000 samples", second.at(1, 40000) / second.at(0, 40000));
    bounds.at_least(5, "SGD / ASGD, 10000 samples", second.at(2, 10000) / second.at(1, 10000));
    bounds.at_least(5, "SGD / ASGD, 40000 samples", second.at(2, 40000) / second.at(1, 40000));

    if (count > 1) {
        first.draw("Quadratic, 100 dimensions", arguments[1] + std::string("/xu_quadratic.svg"));
        second.draw("Linear regression, 100 dimensions", arguments[1] + std::string("/xu_regression.svg"));
    }
    return bounds.all_hold() ? 0 : 1;
}
