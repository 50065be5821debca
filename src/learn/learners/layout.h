// Where the numbers of runs lie: those of a lone run in a cell of its learner's own, those of many side by side.
#pragma once

#include "learners/learner.h"
#include "rows/feature_table.h"

namespace sparselin {

// How many numbers each run has in a cell; one that they share may come behind those of all.
template <typename L>
constexpr size_t numbers_of_run = sizeof(typename L::Cell) / sizeof(double) - (Centres<L> ? 1 : 0);

template <typename L>
class Alone {
public:
    using Table = FeatureTable<typename L::Cell>;

    Alone(std::span<const Settings> settings, Memory) : learner(settings.front()) {}

    static constexpr size_t count() { return 1; }
    static typename Table::Shape shape() { return {}; }

    static auto& cell(auto& its, size_t) { return its; }
    static auto& mu(auto& its) { return its.mu; }

    const L& run(size_t) const { return learner; }
    void set_run(size_t, const L& changed) { learner = changed; }
    Vector<L> all(Memory memory) const { return Vector<L>(1, learner, memory); }

    void resume_at(int64_t t) { resume(learner, t); }

    bool alive(const typename L::Cell& its) const {
        if constexpr (Forgets<L>) return learner.alive(its);
        return true;
    }

    L learner;
};

// Learners of plain arithmetic go four at a time, as many as there are fours, and the others one by one. The number n
// of run k is at n * count + k.
template <typename L>
class SideBySide {
    template <typename Any>
    struct InFours {
        static constexpr bool possible = false;
        using Four = L;
    };
    template <template <typename> typename Any>
    struct InFours<Any<double>> {
        static constexpr bool possible = true;
        using Four = Any<Lanes>;
    };

public:
    using Table = FeatureTable<Numbers>;
    using Four = typename InFours<L>::Four;
    static constexpr bool in_fours = InFours<L>::possible;
    static_assert(!in_fours || !(Forgets<L> || Folds<L> || HearsLosses<L>), "those look at one run at a time");

    SideBySide(std::span<const Settings> settings, Memory memory)
        : settings_(settings.front()), count_(settings.size()), fours_(memory), singles_(memory) {
        const size_t fours = in_fours ? count_ / 4 : 0;
        for (size_t i = 0; i < fours; ++i) fours_.emplace_back(settings[4 * i]);
        for (size_t run = 4 * fours; run < count_; ++run) singles_.emplace_back(settings[run]);
        for (size_t run = 0; run < 4 * fours; ++run) set_run(run, L(settings[run]));
    }

    size_t count() const { return count_; }
    typename Table::Shape shape() const { return {numbers_of_run<L> * count_ + (Centres<L> ? 1 : 0)}; }

    // As the learner's own cell, made of references to the numbers of one run or of four.
    template <typename Real = double>
    auto cell(double* numbers, size_t run) const {
        return view<Real&>(numbers, run, std::make_index_sequence<numbers_of_run<L>>());
    }
    auto cell(const double* numbers, size_t run) const {
        return view<const double&>(numbers, run, std::make_index_sequence<numbers_of_run<L>>());
    }
    void set_cell(double* numbers, size_t run, const typename L::Cell& its) const {
        const auto number = std::bit_cast<std::array<double, sizeof its / sizeof(double)>>(its);
        for (size_t n = 0; n < numbers_of_run<L>; ++n) numbers[n * count_ + run] = number[n];
    }
    auto& mu(auto* numbers) const { return numbers[numbers_of_run<L> * count_]; }

    L run(size_t run) const {
        if (run >= 4 * fours_.size()) return singles_[run - 4 * fours_.size()];
        return from_four(fours_[run / 4], run % 4);
    }

    void set_run(size_t run, const L& changed) {
        if (run >= 4 * fours_.size()) {
            singles_[run - 4 * fours_.size()] = changed;
        } else {
            into_four(fours_[run / 4], run % 4, changed);
        }
    }

    Vector<L> all(Memory memory) const {
        Vector<L> runs(memory);
        for (size_t k = 0; k < count_; ++k) runs.push_back(run(k));
        return runs;
    }

    void resume_at(int64_t t) {
        each([t](auto& learner, size_t) { resume(learner, t); });
    }

    // Calls work(learner, first run) for each group that goes together.
    template <typename Work>
    void each(Work&& work) {
        for (size_t i = 0; i < fours_.size(); ++i) work(fours_[i], 4 * i);
        for (size_t i = 0; i < singles_.size(); ++i) work(singles_[i], 4 * fours_.size() + i);
    }

    // As long as it is for one of the runs.
    bool alive(const double* numbers) const {
        if constexpr (Forgets<L>) {
            for (size_t run = 0; run < count_; ++run)
                if (singles_[run].alive(cell(numbers, run))) return true;
            return false;
        }
        return true;
    }

private:
    template <typename Ref, size_t... n>
    auto view(auto* numbers, size_t run, std::index_sequence<n...>) const {
        using Real = std::remove_reference_t<Ref>;
        if constexpr (Centres<L>) {
            return typename L::template CellOf<Ref, decltype(*numbers)>{
                reinterpret_cast<Real&>(numbers[n * count_ + run])..., mu(numbers)};
        } else {
            return typename L::template CellOf<Ref>{reinterpret_cast<Real&>(numbers[n * count_ + run])...};
        }
    }

    L from_four(const Four& four, size_t lane) const {
        L one(settings_);
        const auto theirs = Four::state_of(four);
        const auto its = L::state_of(one);
        for (size_t i = 0; i < its.size(); ++i) *its[i] = lane_of(*theirs[i], lane);
        resume(one, four.schedule.t);
        return one;
    }

    static void into_four(Four& four, size_t lane, const L& changed) {
        const auto theirs = Four::state_of(four);
        const auto its = L::state_of(changed);
        for (size_t i = 0; i < its.size(); ++i) set_lane(*theirs[i], lane, *its[i]);
        resume(four, changed.schedule.t);
    }

    const Settings settings_;  // of any run: all but what the runs' numbers say
    size_t count_;
    Vector<Four> fours_;
    Vector<L> singles_;
};

}  // namespace sparselin
