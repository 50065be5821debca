// The least value of a smooth convex function of many numbers, by L-BFGS (Nocedal): whoever knows the function is asked
// for its value and gradient at one point after the other.
//
// A step goes along d = -H g, H being what the last steps say of the inverse of the curvature, beginning with a
// diagonal (Nocedal and Wright, algorithm 7.4), as far as t with
//   F(x + t d) <= F(x) + 1e-4 t g.d     and     g(x + t d).d >= 0.9 g.d        (Armijo, and curvature)
// t = 1 mostly does; else it is found by cubic interpolation.
//
// The diagonal of curvatures, h, is at first what the caller expects. It learns from each step s with the change y of
// the gradient, as the diagonal of the BFGS update of h times a = y.(y/h) / y.s would (Gilbert and Lemarechal 1989, the
// scaling of M1QN3):
//   h := a h + y^2 / y.s - a (h s)^2 / s.(h s)
//
// best() never gets worse. Cost of a point: four numbers read for each there is and each step that is remembered. Knows
// nothing of rows.
#pragma once

#include "base/memory.h"

#include <array>
#include <limits>

namespace sparselin {

class Lbfgs {
public:
    static constexpr size_t most_remembered = 20;

    Lbfgs(size_t size, size_t remembered, Memory memory, StopSign stop);

    // Where value and gradient are wanted: in the end, the best. The first point is whoever begins's to fill in.
    std::span<double> point() { return trial_.x.span(); }
    // To be filled in with the gradient there.
    std::span<double> gradient() { return trial_.g.span(); }

    // How much F curves along each number, about, up to a factor: to be filled in before the first value.
    std::span<double> curvature() { return curvature_.span(); }

    // The value there. False where nothing can be gained any more, and from then on. An interrupted one cannot be taken
    // up again.
    bool take(double value, StopSign stop);

    std::span<const double> best() const { return at_.x.span(); }
    std::span<const double> best_gradient() const { return at_.g.span(); }
    double least() const { return at_.value; }

    // Where the search for t has come to a point that is lower already, that is the best.
    void settle_for_lowest();

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Numbers {
        Numbers(size_t size, Memory memory, StopSign stop) : values(memory, size, stop) {}
        std::span<double> span() { return {values.data(), values.size()}; }
        std::span<const double> span() const { return {values.data(), values.size()}; }
        Slab<double> values;
    };
    struct Point {
        Point(size_t size, Memory memory, StopSign stop) : x(size, memory, stop), g(size, memory, stop) {}
        Numbers x, g;
        double value = infinity;
    };
    // What a step has told: s is the step, y how the gradient changed.
    struct Pair {
        Pair(size_t size, Memory memory, StopSign stop) : s(size, memory, stop), y(size, memory, stop) {}
        Numbers s, y;
        double sy = 0;
        bool tells = false;  // not where rounding leaves nothing of sy
    };
    // A place on the way along d.
    struct Place {
        double t = 0, value = 0, slope = 0;
    };

    bool go_on(double value, StopSign stop);
    bool accept(StopSign stop);
    bool begin_search(StopSign stop);
    bool go(double t, StopSign stop);
    bool search(double value, double slope, StopSign stop);
    double next_place() const;
    void remember(StopSign stop);
    void learn_curvature(const Pair& pair, StopSign stop);
    void find_direction(StopSign stop);
    void keep_lowest();

    size_t size_, remembered_;
    Memory memory_;
    Point at_, trial_, lowest_;  // lowest_: on the way along d, where that is lower than at_
    Numbers d_, curvature_;
    Vector<Box<Pair>> pairs_;  // the oldest is at first_
    size_t first_ = 0;
    Place low_, high_;  // t lies between them; high_.t is infinite at first
    double slope_ = 0;  // g.d at at_
    double t_ = 0;
    int places_ = 0;
    bool begun_ = false, done_ = false, by_gradient_ = true;
};

}  // namespace sparselin
