// Where learners, layouts and losses come together: nothing is chosen inside the loops over a row.
#include "learners/runs.h"

#include "learners/asgd.h"
#include "learners/casgd.h"
#include "learners/elasticnet.h"
#include "learners/onepass.h"
#include "learners/runs_of.h"
#include "learners/sgd.h"
#include "learners/step.h"
#include "learners/truncated.h"

namespace sparselin {

namespace {

template <typename L, typename LossFunction>
class LoneRun final : public RunsOf<L, Alone<L>> {
public:
    LoneRun(std::span<const Settings> settings, const LossFunction& loss, Frame& frame, Memory memory, StopSign stop)
        : RunsOf<L, Alone<L>>(settings, frame, memory, stop), loss_(loss) {}

    void learn(const SparseRow& x, const double* y, double omega, Seen* seen, StopSign stop) override {
        L& learner = this->layout_.learner;
        Scale& scale = this->frame_.scale;
        *seen = scale.is_one() ? take_step(learner, this->features_, loss_, x, *y, omega, stop)
                               : take_step(learner, this->features_, loss_, scale.apply(x, stop), *y, omega, stop);
    }

private:
    [[no_unique_address]] LossFunction loss_;
};

template <typename L>
class ManyRuns final : public RunsOf<L, SideBySide<L>> {
public:
    ManyRuns(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop)
        : RunsOf<L, SideBySide<L>>(settings, frame, memory, stop),
          loss_(settings.front().loss),
          p_(settings.size(), memory),
          g_(settings.size(), memory),
          loss_hat_(settings.size(), memory) {}

    void learn(const SparseRow& x, const double* y, double omega, Seen* seen, StopSign stop) override {
        Scale& scale = this->frame_.scale;
        if (scale.is_one()) {
            take_steps(x, y, omega, seen, stop);
        } else {
            take_steps(scale.apply(x, stop), y, omega, seen, stop);
        }
    }

private:
    template <typename Value>
    void take_steps(const RowOf<Value>& row, const double* y, double omega, Seen* seen, StopSign stop) {
        fold_where_due(stop);
        const auto work = [&](auto cell) {
            RowInFrame<Value> x{row, stop};
            if constexpr (Centres<L>) x.mu_x = x.sum([&](int32_t i) { return this->layout_.mu(cell(i)) * x[i]; });
            predict(cell, x);
            with_loss(loss_, [&](const auto& loss) { judge(loss, y, omega, seen); });
            update(cell, x, omega, seen);
            with_loss(loss_, [&](const auto& loss) { judge_idleness(loss, x, y, omega, seen); });
        };
        if constexpr (Forgets<L>) {
            this->features_.with_cells(row, stop, work,
                                       [this](const double* numbers) { return this->layout_.alive(numbers); });
        } else {
            this->features_.with_cells(row, stop, work);
        }
    }

    // A run at a time: an interrupted fold goes on with the run it was at, since that one still wants it.
    void fold_where_due(StopSign stop) {
        if constexpr (Folds<L>) {
            this->layout_.each([&](L& learner, size_t run) {
                if (!learner.wants_fold()) return;
                this->features_.change_all(stop, [&](double* numbers) {
                    this->layout_.set_cell(numbers, run, learner.folded(this->layout_.cell(numbers, run)));
                });
                learner.end_fold();
            });
        }
    }

    // The row's cells, as a group of runs sees them.
    template <typename Learner>
    auto cells_of(const auto& cell, const Learner&, size_t run) const {
        using Real = decltype(std::declval<Learner>().step_size());
        return [&cell, run, this](int32_t i) { return this->layout_.template cell<Real>(cell(i), run); };
    }

    [[gnu::flatten]] void predict(const auto& cell, const auto& x) {
        this->layout_.each([&](auto& learner, size_t run) {
            const auto p = learner.predict(cells_of(cell, learner, run), x);
            reinterpret_cast<std::remove_cvref_t<decltype(p)>&>(p_[run]) = p;
        });
    }

    // The slopes, and what the predictions cost. A run that has diverged learns nothing more.
    void judge(const auto& loss, const double* y, double omega, Seen* seen) {
        for (size_t run = 0; run < p_.size(); ++run) {
            seen[run].finite = std::isfinite(p_[run]);
            if (!seen[run].finite) {
                g_[run] = 0;
                continue;
            }
            seen[run].loss = loss.value(p_[run], y[run]);
            g_[run] = omega * loss.slope(p_[run], y[run]);
        }
        this->layout_.each([&](auto& learner, size_t run) {
            if constexpr (requires { learner.clipped(p_[run]); }) {
                if (seen[run].finite) g_[run] = omega * loss.slope(learner.clipped(p_[run]), y[run]);
            }
            if constexpr (HearsLosses<L>) loss_hat_[run] = learner.searching() ? loss.value(learner.p_hat, y[run]) : 0;
        });
    }

    [[gnu::flatten]] void update(const auto& cell, const auto& x, double omega, const Seen* seen) {
        this->layout_.each([&](auto& learner, size_t run) {
            const auto g = reinterpret_cast<const decltype(learner.step_size())&>(g_[run]);
            auto moved = x;
            if (!any(g)) moved.x.nnz = 0;
            learner.update(cells_of(cell, learner, run), moved, g);
            if constexpr (HearsLosses<L>) learner.end_step(omega * seen[run].loss, omega * loss_hat_[run]);
        });
    }

    void judge_idleness(const auto& loss, const auto& x, const double* y, double omega, Seen* seen) const {
        using LossFunction = std::remove_cvref_t<decltype(loss)>;
        if constexpr (requires { LossFunction::moves_where_right; }) {
            for (size_t run = 0; run < p_.size(); ++run) {
                const L learner = this->layout_.run(run);
                const double q = learner.step_size() * omega * (learner.one + squared_length_of(learner, x));
                seen[run].idle_loss = idle_loss_after(loss, y[run], q);
            }
        } else {
            for (size_t run = 0; run < p_.size(); ++run) seen[run].idle_loss = value_of_zero(loss, y[run]);
        }
    }

    const Loss loss_;
    Vector<double> p_, g_, loss_hat_;
};

template <typename L>
Box<Runs> runs_of(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop) {
    if (settings.size() > 1) return Box<Runs>::make<ManyRuns<L>>(memory, settings, frame, memory, stop);
    return with_loss(settings.front().loss, [&](const auto& loss) {
        using LossFunction = std::remove_cvref_t<decltype(loss)>;
        return Box<Runs>::make<LoneRun<L, LossFunction>>(memory, settings, loss, frame, memory, stop);
    });
}

}  // namespace

Box<Runs> make_runs(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop) {
    switch (settings.front().learner) {
        case LearnerKind::sgd: return runs_of<Sgd>(settings, frame, memory, stop);
        case LearnerKind::asgd: return runs_of<Asgd>(settings, frame, memory, stop);
        case LearnerKind::casgd: return runs_of<Casgd>(settings, frame, memory, stop);
        case LearnerKind::onepass: return runs_of<Onepass>(settings, frame, memory, stop);
        case LearnerKind::truncated: return runs_of<Truncated>(settings, frame, memory, stop);
        case LearnerKind::elasticnet: break;
    }
    return runs_of<ElasticNet>(settings, frame, memory, stop);
}

}  // namespace sparselin
