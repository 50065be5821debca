// L-BFGS against minima that are known, and what its steps promise.
#include "engine/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

using Values = std::span<const double>;
using Function = std::function<double(Values x, std::span<double> g)>;

struct Course {
    int points = 0;
    double least = 0;
    std::vector<double> x;
    std::vector<double> leasts;  // after each point
};

Course minimise(const Function& f, std::vector<double> start, double curvature, int most) {
    Lbfgs search(start.size(), Lbfgs::most_remembered, heap, go);
    std::ranges::fill(search.curvature(), curvature);
    std::ranges::copy(start, search.point().begin());
    Course course;
    for (bool on = true; on && course.points < most; ++course.points) {
        const double value = f(search.point(), search.gradient());
        on = search.take(value, go);
        course.leasts.push_back(search.least());
    }
    search.settle_for_lowest();
    course.least = search.least();
    course.x.assign(search.best().begin(), search.best().end());
    return course;
}

// sum of c_j (x_j - a_j)^2 / 2, whose curvatures differ by a factor of 100.
double bowl(Values x, std::span<double> g) {
    double value = 0;
    for (size_t j = 0; j < x.size(); ++j) {
        const double c = std::pow(10.0, 2.0 * static_cast<double>(j) / static_cast<double>(x.size() - 1));
        const double off = x[j] - static_cast<double>(j % 7);
        value += c * off * off / 2;
        g[j] = c * off;
    }
    return value;
}

// sum of log(1 + exp(-j x_j)) + 0.01 x_j^2: runs straight for long, and then bends.
double slide(Values x, std::span<double> g) {
    double value = 0;
    for (size_t j = 0; j < x.size(); ++j) {
        const double k = static_cast<double>(j + 1), e = std::exp(-k * x[j]);
        value += (std::isinf(e) ? -k * x[j] : std::log1p(e)) + 0.01 * x[j] * x[j];
        g[j] = -k * (std::isinf(e) ? 1 : e / (1 + e)) + 0.02 * x[j];
    }
    return value;
}

TEST(Lbfgs, FindsTheBottomOfABowl) {
    const Course course = minimise(bowl, std::vector<double>(40, 100.0), 1, 400);
    EXPECT_LT(course.least, 1e-9);
    for (size_t j = 0; j < course.x.size(); ++j) EXPECT_NEAR(course.x[j], static_cast<double>(j % 7), 1e-4);
}

TEST(Lbfgs, TakesFewPointsHoweverFarOffTheExpectedCurvatureIs) {
    for (const double expected : {1e-8, 1e-3, 1.0, 1e6}) {
        const Course course = minimise(bowl, std::vector<double>(40, 100.0), expected, 200);
        EXPECT_LT(course.least, 1e-6) << expected;
    }
}

TEST(Lbfgs, IsSoonDoneWhereTheExpectedCurvatureIsRight) {
    const auto points = [](bool knows) {
        Lbfgs search(40, Lbfgs::most_remembered, heap, go);
        for (size_t j = 0; j < 40; ++j) {
            search.point()[j] = 100;
            search.curvature()[j] = knows ? std::pow(10.0, 2.0 * static_cast<double>(j) / 39) : 1;
        }
        int count = 1;
        while (search.take(bowl(search.point(), search.gradient()), go) && search.least() > 1e-9) ++count;
        return count;
    };
    EXPECT_LE(points(true), 8);
    EXPECT_GT(points(false), 20);
}

// Each number curves by 1 where the search begins, and by up to 100 where it ends: more of them than steps are
// remembered, so that the diagonal has to follow.
TEST(Lbfgs, LearnsTheDiagonal) {
    Lbfgs search(60, 2, heap, go);
    for (size_t j = 0; j < 60; ++j) {
        search.point()[j] = 100 + static_cast<double>(j);
        search.curvature()[j] = 1;
    }
    int count = 1;
    while (search.take(bowl(search.point(), search.gradient()), go) && search.least() > 1e-6) ++count;
    EXPECT_LE(search.least(), 1e-6);
    EXPECT_LE(count, 60);
    for (const double its : search.curvature()) {
        EXPECT_GT(its, 0);
        EXPECT_TRUE(std::isfinite(its));
    }
    EXPECT_GT(search.curvature()[59], 10 * search.curvature()[0]);
}

TEST(Lbfgs, StaysAtTheBestPointWhenItIsDone) {
    Lbfgs search(20, 5, heap, go);
    std::ranges::fill(search.curvature(), 1);
    std::ranges::fill(search.point(), -3);
    while (search.take(slide(search.point(), search.gradient()), go)) continue;
    const double least = search.least();
    EXPECT_TRUE(std::ranges::equal(search.point(), search.best()));
    EXPECT_EQ(slide(search.point(), search.gradient()), least);
    EXPECT_FALSE(search.take(least - 1, go));
    EXPECT_EQ(search.least(), least);
}

TEST(Lbfgs, FollowsWhatRunsStraightAndThenBends) {
    const Course course = minimise(slide, std::vector<double>(20, -500.0), 1, 200);
    std::vector<double> g(20);
    slide(course.x, g);
    for (const double its : g) EXPECT_NEAR(its, 0, 1e-4);
}

TEST(Lbfgs, NeverGetsWorse) {
    for (const Function& f : {Function(bowl), Function(slide)}) {
        const Course course = minimise(f, std::vector<double>(20, -30.0), 1.0, 100);
        for (size_t i = 1; i < course.leasts.size(); ++i) EXPECT_LE(course.leasts[i], course.leasts[i - 1]);
        std::vector<double> g(20);
        EXPECT_EQ(course.least, f(course.x, g));
    }
}

TEST(Lbfgs, SettlesForTheLowestPointOfASearchThatIsNotDone) {
    // With steps of 1e-9 the curvature condition does not hold for long.
    const Function f = [](Values x, std::span<double> g) {
        g[0] = x[0] - 1;
        return (x[0] - 1) * (x[0] - 1) / 2;
    };
    const Course three = minimise(f, {0}, 1e9, 3);
    EXPECT_LT(three.least, 0.5);
    EXPECT_GT(three.x[0], 0);
}

TEST(Lbfgs, EndsWhereNothingIsToBeGained) {
    const Course at_minimum = minimise(
        bowl,
        [] {
            std::vector<double> x(40);
            for (size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(j % 7);
            return x;
        }(),
        1, 100);
    EXPECT_EQ(at_minimum.points, 1);
    EXPECT_LT(minimise(slide, std::vector<double>(20, 1.0), 1, 1000).points, 200);
}

TEST(Lbfgs, GoesBackFromWhereThereIsNoNumber) {
    const Function wall = [](Values x, std::span<double> g) {
        g[0] = x[0] < 3 ? -1 + 1 / (3 - x[0]) / 10 : std::nan("");
        return x[0] < 3 ? -x[0] - std::log(3 - x[0]) / 10 : std::nan("");
    };
    const Course course = minimise(wall, {0}, 0.02, 100);
    EXPECT_NEAR(course.x[0], 2.9, 1e-5);
}

TEST(Lbfgs, GivesUpWhenCancelled) {
    volatile std::sig_atomic_t none = 0, cancelled = 0;
    static StopSign::Flag flags[2];
    flags[0] = &cancelled;
    flags[1] = &none;
    const StopSign stop(nullptr, flags);
    Lbfgs search(1000, Lbfgs::most_remembered, heap, stop);
    std::ranges::fill(search.curvature(), 1);
    const double value = slide(search.point(), search.gradient());
    cancelled = 1;
    EXPECT_THROW(search.take(value, stop), GivenUp);
}

}  // namespace
}  // namespace sparselin
