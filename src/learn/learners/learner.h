// What a learner is: two functions, and the few numbers between them.
//
//   predict(cell, x)      what it says of a row; nothing has been learned from it yet
//   update(cell, x, g)    one step; g is the slope of the loss at that prediction, times the row's weight
//
// on cells that it is handed, and in this order, so that update() may use what predict() has noted: cell(i) has the
// numbers of the row's i-th feature. Between the two its schedule has gone on to this step, whose size it then says. It
// owns no table, looks at no loss, and checks no divergence: whoever runs it does (learners.h). It says what its cells
// mean, how two of its kind are merged (merge.h), and what it needs besides the cells to go on: t and state_of().
//
// A learner of plain arithmetic is written for any Real, and so runs many times at once (wide.h).
#pragma once

#include "base/wide.h"
#include "learners/merge.h"
#include "options/settings.h"
#include "rows/sparse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

namespace sparselin {

// A row on its way through a learner, scaled, if it is.
template <typename Value>
struct RowInFrame {
    RowOf<Value> x;
    StopSign stop;
    double most_length = std::numeric_limits<double>::infinity();  // |x|^2 is no larger
    double mu_x = 0;                                               // mu.x, for learners that centre

    double operator[](int32_t i) const { return double{x.value[i]}; }

    // Sum of term(i) over the row's features.
    template <typename Term>
    [[gnu::always_inline]] auto sum(Term&& term) const {
        return sum_over(x.nnz, stop, term);
    }

    template <typename Work>
    [[gnu::always_inline]] void each(Work&& work) const {
        each_of(x.nnz, stop, work);
    }
};

// Learners that centre their rows have a number mu in each cell, which all runs share, and say with predict_by(vx, x)
// what predict() does, where v.x is known.
template <typename L>
concept Centres = requires(typename L::Cell cell) {
    cell.mu;
};

// The row with its mu_x, mu_of(i) being what its i-th feature is centred at.
template <typename L, typename Value, typename Mu>
[[gnu::always_inline]] inline RowInFrame<Value> row_in_frame(RowInFrame<Value> x, Mu&& mu_of) {
    if constexpr (Centres<L>) x.mu_x = x.sum([&](int32_t i) { return mu_of(i) * x[i]; });
    return x;
}

// |x - mu|^2 where |x|^2 is this; grows with it.
template <typename L, typename Value>
double length_in_frame(const L& learner, const RowInFrame<Value>& x, double length) {
    if constexpr (Centres<L>) {
        return std::max(0.0, length - 2 * x.mu_x + number_of(learner.mu_mu, 0));
    } else {
        return length;
    }
}

// |x - mu|^2, or |x|^2
template <typename L, typename Value>
double squared_length_of(const L& learner, const RowInFrame<Value>& x) {
    return length_in_frame(learner, x, squared_norm_of(x.x, x.stop));
}

// Learners that average: a weight is its total, divided by Omega, once for a whole sum of them.
template <typename L>
concept Averages = requires(const L& learner, const typename L::Cell cell) {
    learner.total(cell) / learner.schedule.Omega;
};

// Learners whose cells have to be made anew now and then, before their numbers get out of hand.
template <typename L>
concept Folds = requires(L learner, const L& asked, const typename L::Cell cell) {
    { asked.wants_fold() } -> std::same_as<bool>;
    { asked.folded(cell) } -> std::same_as<typename L::Cell>;
    learner.end_fold();
};

// Learners that forget features: a cell that is not alive is as good as none.
template <typename L>
concept Forgets = requires(const L& learner, const typename L::Cell cell) {
    { learner.alive(cell) } -> std::same_as<bool>;
};

// Calls work(cells) with the cells of the row in a table that forgets those for which owner.alive() is false.
template <typename L, typename Value>
void with_cells_of(auto& features, const auto& owner, const RowOf<Value>& row, StopSign stop, auto&& work) {
    if constexpr (Forgets<L>) {
        features.with_cells(row, stop, work, [&owner](const auto& cell) { return owner.alive(cell); });
    } else {
        features.with_cells(row, stop, work);
    }
}

// The same as the addresses of cells.
template <typename L, typename Value>
double* const* cells_of(auto& features, const auto& owner, const RowOf<Value>& row, StopSign stop) {
    if constexpr (Forgets<L>) {
        return features.cells_of(row, stop, [&owner](const auto& cell) { return owner.alive(cell); });
    } else {
        return features.cells_of(row, stop);
    }
}

// Learners whose steps do not end with the gradient: they are told what the predictions cost.
template <typename L>
concept HearsLosses = requires(L learner, double loss) {
    learner.end_step(loss, loss);
    { learner.searching() } -> std::same_as<bool>;
    learner.p_hat;
};

// Learners whose steps are shortened where they would overshoot (implicit_step.h): shrinking() is what a step of slope
// 0 multiplies all weights by.
template <typename L>
concept ShortensSteps = requires(const L& asked) {
    asked.shrinking();
};

// The point after step t of a learner whose other numbers are there.
void resume(auto& learner, int64_t t) {
    learner.schedule.resume(t);
    if constexpr (requires { learner.resume(); }) learner.resume();
}

template <typename L>
using AnyCells = typename L::Cell& (*)(int32_t);

template <typename L>
concept Learner = requires(L learner, const L& asked, const Settings& settings, const typename L::Cell cell,
                           AnyCells<L> cells, const RowInFrame<float>& x, double number) {
    L(settings);
    { learner.predict(cells, x) } -> std::same_as<double>;
    learner.update(cells, x, number);
    { asked.weight(cell) } -> std::same_as<double>;
    { asked.bias() } -> std::same_as<double>;
    { asked.centred_bias() } -> std::same_as<double>;
    { asked.step_size() } -> std::same_as<double>;
    { asked.schedule.t } -> std::convertible_to<int64_t>;
    learner.schedule.advance();
    learner.schedule.resume(int64_t{});
    { *L::state_of(learner)[0] } -> std::same_as<double&>;
    { asked.one } -> std::convertible_to<double>;
    typename L::template CellOf<double>;
}
&&requires(const L& learner, typename L::Cell& cell, const Both<L>& both, const Part<L>& part, double lambda) {
    { L::merged(both, lambda) } -> std::same_as<L>;
    learner.add(cell, part, cell);
};

}  // namespace sparselin
