// Several runs of one learner: one step of all of them with a row.
#pragma once

#include "options/losses.h"
#include "learners/implicit_step.h"
#include "learners/tabled_learners.h"

namespace sparselin {

template <typename L>
class ManyLearners final : public TabledLearners<L, SideBySide<L>> {
public:
    ManyLearners(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop)
        : TabledLearners<L, SideBySide<L>>(settings, frame, memory, stop),
          loss_(settings.front().chosen_loss()),
          joint_(settings.front().joint == 0 ? settings.size() : settings.front().joint),
          memory_(memory),
          values_(memory),
          expected_(memory),
          p_(settings.size(), memory),
          losses_(settings.size(), memory),
          g_(settings.size(), memory),
          loss_hat_(settings.size(), memory) {}

    size_t learn(const Batch& rows, const double* y, Seen* seen, StopSign stop) override {
        const Example& row = rows[0];
        Frame& frame = this->frame_;
        CellsAhead ahead(expected_.data(), std::exchange(expects_, 0), this->features_.shape().count);
        if (frame.leaves_rows()) {
            take_steps(row, y, seen, ahead, stop);
        } else {
            take_steps(this->example_in(frame, row, stop), y, seen, ahead, stop);
        }
        return 1;
    }

    // Small tables are in a processor's own caches, or so near that to ask costs more than it saves (6 % at 3 MB);
    // and no cache holds more than so much of a row.
    void expect(const SparseRow& next) override {
        constexpr size_t small = size_t{6} << 20, most = size_t{1} << 19;
        expects_ = 0;
        if (this->features_.bytes() < small) return;
        const size_t of_cell = this->features_.shape().count * sizeof(double);
        const size_t enough = std::min(next.features().size(), most / of_cell);
        if (expected_.size() < enough) expected_ = Slab<const double*>(memory_, std::bit_ceil(enough), StopSign());
        for (const int32_t index : next.features().first(enough))
            if (const double* const cell = this->features_.find(index)) expected_[expects_++] = cell;
    }

private:
    using Runs = SideBySide<L>;

    template <typename Value>
    void take_steps(const ExampleOf<Value>& row, const double* y, Seen* seen, CellsAhead& ahead, StopSign stop) {
        const double omega = row.omega;
        fold_where_due(stop);
        double* const* const cells = cells_of<L>(this->features_, this->layout_, row.x, stop);
        const auto x = row_in_frame<L>(RowInFrame<Value>{row.x, stop, row.most_length},
                                       [&](auto i) { return this->layout_.mu(cells[i]); });
        const auto for_group = row_for_group(x, ahead);
        predict(cells, for_group);
        this->layout_.each([](auto& learner, size_t, size_t) { learner.schedule.advance(); });
        with_loss(loss_, [&](const auto& loss) {
            judge(loss, y, seen);
            shorten_steps(loss, x, y, omega, seen);
        });
        for (double& g : g_) g *= omega;
        update(cells, for_group, omega, seen);
        with_loss(loss_, [&](const auto& loss) { judge_idleness(loss, x, y, omega, seen); });
    }

    // A run at a time: an interrupted fold goes on with the run it was at, since that one still wants it.
    void fold_where_due(StopSign stop) {
        if constexpr (Folds<L>) {
            this->layout_.each([&](L& learner, size_t run, size_t) {
                if (!learner.wants_fold()) return;
                this->features_.change_all(stop, [&](double* numbers) {
                    this->layout_.set_cell(numbers, run, learner.folded(this->layout_.cell(numbers, run)));
                });
                learner.end_fold();
            });
        }
    }

    // The row, and the cells of its features, as a group of runs sees them.
    template <typename Value>
    auto row_for_group(const RowInFrame<Value>& x, CellsAhead& ahead) {
        if constexpr (Runs::in_groups) {
            return WideRow(as_doubles(x.x, x.stop), x.mu_x, ahead, x.stop);
        } else {
            return x;
        }
    }
    auto cells_for_group(double* const* cells, size_t run, size_t runs) const {
        if constexpr (Runs::in_groups) {
            return [columns = this->layout_.columns(cells, run, runs)](Every) { return columns; };
        } else {
            return [cells, run, this](int32_t i) { return this->layout_.cell(cells[i], run); };
        }
    }

    // All loops over the runs want a value as a double.
    static const RowOf<double>& as_doubles(const RowOf<double>& x, StopSign) { return x; }
    RowOf<double> as_doubles(const SparseRow& x, StopSign stop) {
        const size_t nnz = x.features().size();
        if (values_.size() < nnz) values_ = Slab<double>(memory_, std::bit_ceil(nnz), stop);
        each_below(nnz, stop, [to = values_.data(), from = x.value](size_t i) { to[i] = double{from[i]}; });
        return {x.index, values_.data(), x.nnz, x.dim};
    }

    [[gnu::flatten]] void predict(double* const* cells, const auto& x) {
        this->layout_.each([&](auto& learner, size_t run, size_t runs) {
            copy_numbers(learner.predict(cells_for_group(cells, run, runs), x), &p_[run], runs);
        });
    }

    // The slopes, and what the predictions cost. A run that has diverged learns nothing more.
    void judge(const auto& loss, const double* y, Seen* seen) {
        if constexpr (requires { loss.judge(p_, y, g_.data()); }) return judge_together(loss, y, seen);
        judge_each(loss, y);
        for (size_t run = 0; run < p_.size(); ++run) {
            seen[run].finite = std::isfinite(p_[run]);
            seen[run].loss = losses_[run];
            if (!seen[run].finite) g_[run] = 0;
        }
        this->layout_.each([&](auto& learner, size_t run, size_t) {
            if constexpr (requires { learner.clipped(p_[run]); }) {
                if (seen[run].finite) g_[run] = loss.slope(learner.clipped(p_[run]), y[run]);
            }
            if constexpr (HearsLosses<L>) loss_hat_[run] = learner.searching() ? loss.value(learner.p_hat, y[run]) : 0;
        });
    }

    void judge_each(const auto& loss, const double* y) {
        if constexpr (requires { loss.judge_each(y, y, g_.data(), g_.data(), size_t{}); }) {
            loss.judge_each(p_.data(), y, losses_.data(), g_.data(), p_.size());
        } else {
            for (size_t run = 0; run < p_.size(); ++run) {
                losses_[run] = loss.value(p_[run], y[run]);
                g_[run] = loss.slope(p_[run], y[run]);
            }
        }
    }

    // Of a loss of several runs together. Where one of them has diverged, so have all.
    void judge_together(const auto& loss, const double* y, Seen* seen) {
        for (size_t first = 0; first < p_.size(); first += joint_) {
            const std::span<const double> p(&p_[first], joint_);
            const bool finite = std::ranges::all_of(p, [](double its) { return std::isfinite(its); });
            const double its_loss = finite ? loss.judge(p, y + first, &g_[first]) : 0;
            for (size_t run = first; run < first + joint_; ++run) {
                if (!finite) g_[run] = 0;
                seen[run].finite = finite;
                seen[run].loss = its_loss;
            }
        }
    }

    // As slope_of_step() does for one run.
    void shorten_steps(const auto& loss, const auto& x, const double* y, double omega, const Seen* seen) {
        if constexpr (ShortensSteps<L>) {
            this->layout_.each([&](auto& learner, size_t first, size_t runs) {
                const auto eta = learner.step_size();
                MoveOfRow move(learner, x, omega, this->reach_);
                for (size_t k = 0, run = first; k < runs; ++k, ++run) {
                    const double q = move.beyond_reach(number_of(eta, k));
                    if (q == 0 || !seen[run].finite) continue;
                    const double p0 = number_of(learner.shrinking(), k) * p_[run];
                    g_[run] = heavy_slope(loss, g_[run], p0, y[run], q, this->reach_);
                }
            });
        }
    }

    [[gnu::flatten]] void update(double* const* cells, const auto& x, double omega, const Seen* seen) {
        this->layout_.each([&](auto& learner, size_t run, size_t runs) {
            const std::span its(&g_[run], runs);
            auto moved = x;
            if (std::ranges::all_of(its, [](double g) { return g == 0; })) moved.x.nnz = 0;
            learner.update(cells_for_group(cells, run, runs), moved, numbers_of<decltype(learner.step_size())>(its));
            if constexpr (HearsLosses<L>) learner.end_step(omega * seen[run].loss, omega * loss_hat_[run]);
        });
    }

    void judge_idleness(const auto& loss, const auto& x, const double* y, double omega, Seen* seen) {
        using LossFunction = std::remove_cvref_t<decltype(loss)>;
        if constexpr (requires { LossFunction::moves_where_right; }) {
            // The predictions have done their work: how far each run has moved its own takes their place.
            this->layout_.each([&](auto& learner, size_t run, size_t runs) {
                const double length = learner.one + squared_length_of(learner, x);
                copy_numbers(learner.step_size() * omega * length, &p_[run], runs);
            });
            for (size_t run = 0; run < p_.size(); ++run) seen[run].idle_loss = idle_loss_after(loss, y[run], p_[run]);
        } else if constexpr (requires { loss.judge(p_, y, g_.data()); }) {
            for (size_t run = 0; run < p_.size(); ++run) seen[run].idle_loss = std::log(static_cast<double>(joint_));
        } else {
            for (size_t run = 0; run < p_.size(); ++run) seen[run].idle_loss = value_of_zero(loss, y[run]);
        }
    }

    const ChosenLoss loss_;
    const size_t joint_;  // runs that a loss of all classes together takes at once
    Memory memory_;
    Slab<double> values_;           // as_doubles()'s result
    Slab<const double*> expected_;  // where the numbers of a row are that comes after the next one
    size_t expects_ = 0;            // how many of them; none but between expect() and learn()
    Vector<double> p_, losses_, g_, loss_hat_;
};

}  // namespace sparselin
