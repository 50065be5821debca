// Where the numbers of runs lie: those of a lone run in a cell of its learner's own, those of many side by side.
#pragma once

#include "learners/learner.h"
#include "learners/wide_row.h"
#include "rows/feature_table.h"

namespace sparselin {

// How many numbers each run has in a cell; one that they share may come behind those of all.
template <typename L>
constexpr size_t numbers_of_run = sizeof(typename L::Cell) / sizeof(double) - (Centres<L> ? 1 : 0);

template <typename L>
class Alone {
public:
    using Table = FeatureTable<typename L::Cell>;
    static constexpr bool in_groups = false;

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

// Learners of plain arithmetic go in groups, as few as can be and about as large as each other; the others one by one.
// The number n of run k is at n * count + k.
template <typename L>
class SideBySide {
    template <typename Any>
    struct InGroups {
        static constexpr size_t most = 1;
        using Group = L;
        using Pair = L;
    };
    template <template <typename> typename Any>
    struct InGroups<Any<double>> {
        static constexpr size_t most = Wide::most;
        using Group = Any<Wide>;
        using Pair = Any<Two>;
    };

public:
    using Table = FeatureTable<Numbers>;
    using Group = typename InGroups<L>::Group;
    static constexpr bool in_groups = InGroups<L>::most > 1;
    static_assert(!in_groups || !(Forgets<L> || Folds<L> || HearsLosses<L>), "those look at one run at a time");

    SideBySide(std::span<const Settings> settings, Memory memory)
        : settings_(settings.front()),
          count_(settings.size()),
          group_size_(group_size_for(settings.size())),
          groups_(memory) {
        for (size_t run = 0; run < count_; run += group_size_) groups_.emplace_back(settings[run]);
        for (size_t run = 0; run < count_; ++run) set_run(run, L(settings[run]));
    }

    size_t count() const { return count_; }
    size_t groups() const { return groups_.size(); }
    typename Table::Shape shape() const {
        const size_t numbers = numbers_of_run<L> * count_ + (Centres<L> ? 1 : 0);
        // As text a weight takes twice its bytes at least, and the state a third more than its own.
        const size_t in_model = 2 * count_ + (settings_.resumable ? numbers + numbers / 3 : 0);
        return {numbers, settings_.largest_model / (sizeof(double) * in_model), refuse_features};
    }

    // As the learner's own cell, made of references to the numbers of one run.
    auto cell(double* numbers, size_t run) const {
        return view(numbers, [=](double* number) -> double& { return number[run]; });
    }
    auto cell(const double* numbers, size_t run) const {
        return view(numbers, [=](const double* number) -> const double& { return number[run]; });
    }
    // The same of the runs that go together, in the cells of a row's features, which lie in groups where those do.
    auto columns(double* const* cells, size_t run, size_t runs) const {
        return columns(cells, run, runs, std::make_index_sequence<numbers_of_run<L>>());
    }

    void set_cell(double* numbers, size_t run, const typename L::Cell& its) const {
        const auto number = std::bit_cast<std::array<double, sizeof its / sizeof(double)>>(its);
        for (size_t n = 0; n < numbers_of_run<L>; ++n) numbers[n * count_ + run] = number[n];
    }
    auto& mu(auto* numbers) const { return numbers[numbers_of_run<L> * count_]; }

    L run(size_t run) const {
        const Group& group = groups_[run / group_size_];
        if constexpr (in_groups) {
            return from_group(group, run % group_size_);
        } else {
            return group;
        }
    }

    // A run and the next one, which is of the same group where the first is an even one, as one learner; and their
    // cell.
    auto two_runs(size_t run) const { return two_from_group(groups_[run / group_size_], run % group_size_); }
    auto cell_of_two(const double* numbers, size_t run) const {
        return view(numbers, [=](const double* number) { return Two::at(number + run); });
    }

    void set_run(size_t run, const L& changed) {
        Group& group = groups_[run / group_size_];
        if constexpr (in_groups) {
            into_group(group, run % group_size_, size_of_group(run), changed);
        } else {
            group = changed;
        }
    }

    Vector<L> all(Memory memory) const {
        Vector<L> runs(memory);
        for (size_t k = 0; k < count_; ++k) runs.push_back(run(k));
        return runs;
    }

    void resume_at(int64_t t) {
        each([t](auto& learner, size_t, size_t) { resume(learner, t); });
    }

    // Calls work(learner, first run, runs) for each group.
    template <typename Work>
    void each(Work&& work) {
        for (size_t i = 0, run = 0; i < groups_.size(); ++i, run += group_size_)
            work(groups_[i], run, size_of_group(run));
    }

    // As long as it is for one of the runs.
    bool alive(const double* numbers) const {
        if constexpr (Forgets<L>) {
            for (size_t run = 0; run < count_; ++run)
                if (groups_[run].alive(cell(numbers, run))) return true;
            return false;
        }
        return true;
    }

private:
    [[noreturn]] static void refuse_features(const typename Table::Shape& shape) {
        throw Error(Fault::too_large, "a model of %zu classes and more than %zu features would be too large",
                    shape.count / numbers_of_run<L>, shape.most)
            .hint(
                "Train with resumable => false, with fewer features (for hashed ones: fewer bits), or with fewer "
                "classes, rare ones being one.");
    }

    // A multiple of 4, as runs go that many at a time, where there is more than one group.
    static size_t group_size_for(size_t count) {
        if (count <= InGroups<L>::most) return count;
        const size_t groups = (count + InGroups<L>::most - 1) / InGroups<L>::most, size = (count + groups - 1) / groups;
        return in_groups ? (size + 3) / 4 * 4 : size;
    }

    size_t size_of_group(size_t run) const {
        const size_t first = run / group_size_ * group_size_;
        return std::min(group_size_, count_ - first);
    }

    // of_run(where number n of all runs is) for each n.
    auto view(auto* numbers, auto&& of_run) const {
        return view(numbers, of_run, std::make_index_sequence<numbers_of_run<L>>());
    }
    template <size_t... n>
    auto view(auto* numbers, auto&& of_run, std::index_sequence<n...>) const {
        using Number = decltype(of_run(numbers));
        if constexpr (Centres<L>) {
            return
                typename L::template CellOf<Number, decltype(*numbers)>{of_run(numbers + n * count_)..., mu(numbers)};
        } else {
            return typename L::template CellOf<Number>{of_run(numbers + n * count_)...};
        }
    }

    // As long as a group learns from a row, what its runs share stays as it is.
    template <size_t... n>
    auto columns(double* const* cells, size_t run, size_t runs, std::index_sequence<n...>) const {
        struct Nothing {};
        if constexpr (Centres<L>) {
            return typename L::template CellOf<Column, Nothing>{{cells, n * count_ + run, runs}..., {}};
        } else {
            return typename L::template CellOf<Column>{{cells, n * count_ + run, runs}...};
        }
    }

    L from_group(const Group& group, size_t place) const {
        L one(settings_);
        const auto theirs = Group::state_of(group);
        const auto its = L::state_of(one);
        for (size_t i = 0; i < its.size(); ++i) *its[i] = number_of(*theirs[i], place);
        resume(one, group.schedule.t);
        return one;
    }

    auto two_from_group(const Group& group, size_t place) const {
        typename InGroups<L>::Pair two(settings_);
        const auto theirs = Group::state_of(group);
        const auto its = decltype(two)::state_of(two);
        for (size_t i = 0; i < its.size(); ++i)
            *its[i] = Two(number_of(*theirs[i], place), number_of(*theirs[i], place + 1));
        resume(two, group.schedule.t);
        return two;
    }

    static void into_group(Group& group, size_t place, size_t runs, const L& changed) {
        const auto theirs = Group::state_of(group);
        const auto its = L::state_of(changed);
        for (size_t i = 0; i < its.size(); ++i) set_number(*theirs[i], place, runs, *its[i]);
        resume(group, changed.schedule.t);
    }

    const Settings settings_;  // of any run: all but what the runs' numbers say
    const size_t count_, group_size_;
    Vector<Group> groups_;
};

}  // namespace sparselin
