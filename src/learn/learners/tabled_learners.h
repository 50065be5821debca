// Learners of one kind, and their table: all that the steps themselves do not need (every_learner.cpp has those).
#pragma once

#include "base/sum.h"
#include "learners/learners.h"
#include "learners/layout.h"
#include "learners/merge.h"

#include <numeric>
#include <optional>
#include <stdexcept>

namespace sparselin {

// Layout: Alone<L> or SideBySide<L>.
template <typename L, typename Layout>
class TabledLearners : public Learners {
public:
    using Table = typename Layout::Table;

    TabledLearners(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop)
        : frame_(frame),
          layout_(settings, memory),
          features_(memory, layout_.shape()),
          reach_(settings.front().reach()) {
        if constexpr (Centres<L>) begin_centre(stop);
    }

    size_t count() const final { return layout_.count(); }
    int64_t steps() const final { return layout_.run(0).schedule.t; }
    size_t bytes() const final { return features_.bytes(); }

    // Learners that forget features keep few of them.
    void make_room_for(const FeatureWidths& features, StopSign stop) final {
        const size_t count = std::accumulate(features.begin(), features.end(), size_t{0});
        if (!Forgets<L> && features_.shape().allows(count)) features_.begin_for(features, stop);
    }

    void expect_no_others(StopSign stop) final {
        if (!Forgets<L>) features_.prefer_array(stop);
    }

    double squared_length(const SparseRow& x, StopSign stop) final {
        return frame_.leaves_rows() ? length_of(x, stop) : length_of(frame_.apply(x, stop), stop);
    }

    void products(const SparseRow& x, double* w_x, StopSign stop) const final {
        frame_.leaves_rows() ? products_with(x, w_x, stop) : products_with(frame_.apply(x, stop), w_x, stop);
    }

    Vector<Outline> outlines(double threshold, Memory memory, StopSign stop) const final {
        struct Sums {
            Sum squares, sizes, small_sizes;
        };
        const Vector<L> learners = layout_.all(memory);
        Vector<Sums> sums(count(), Sums{}, memory);
        features_.walk(stop, [&](int32_t, auto&& numbers) {
            for (size_t run = 0; run < count(); ++run) {
                const double size = std::fabs(learners[run].weight(layout_.cell(numbers, run)));
                sums[run].squares.add(size * size);
                sums[run].sizes.add(size);
                if (size <= threshold) sums[run].small_sizes.add(size);
            }
        });
        Vector<Outline> outlines(memory);
        for (size_t run = 0; run < count(); ++run)
            outlines.push_back({sums[run].squares.value(), sums[run].sizes.value(), sums[run].small_sizes.value(),
                                learners[run].bias(), learners[run].centred_bias()});
        return outlines;
    }

    void begin_with(size_t run, double step) final {
        if constexpr (requires(L learner) { learner.schedule.begin_with(step); }) {
            change_run(run, [step](L& learner) { learner.schedule.begin_with(step); });
        }
    }

    void set_reach(double reach) final { reach_ = reach; }

    void note_options(size_t run, Options& options) const final {
        const L learner = layout_.run(run);
        if constexpr (requires { learner.note_options(options); }) {
            learner.note_options(options);
        } else if constexpr (requires { learner.schedule.note_options(options); }) {
            learner.schedule.note_options(options);
        }
    }

    void write_model(size_t first, Model& model, StopSign stop) const final {
        Weights weights(*this, first, model);
        walk_living(stop, [&](int32_t index, auto&& numbers) { weights.add(index, numbers); });
        weights.end();
    }

    size_t features(StopSign stop) const final {
        return features_.count_cells(stop, [this](const auto& numbers) { return layout_.alive(numbers); });
    }

    // The numbers that each learner lists, then the cells by ascending index, ended by -1.
    void save(Writer& writer, Model* model, StopSign stop) const final {
        writer.i64(steps());
        for (size_t run = 0; run < count(); ++run) {
            const L learner = layout_.run(run);
            for (const double* number : L::state_of(learner)) writer.f64(*number);
        }
        const size_t count = features_.shape().count;
        constexpr size_t behind = 64;  // of a state: it is not to be copied for that
        const size_t cells_to_come = model == nullptr ? features(stop) : model->index.size();
        writer.make_room(cells_to_come * saved_size_of_feature() + sizeof(int32_t) + behind);
        SmallNumbers cells(writer);
        std::optional<Weights> weights;
        if (model != nullptr) weights.emplace(*this, 0, *model);
        walk_living(stop, [&](int32_t index, auto&& numbers) {
            if (weights) weights->add(index, numbers);
            cells.add(frame_.names(index));
            cells.add_all(first_of(numbers), count);
        });
        cells.add(int32_t{-1});
        cells.end();
        if (weights) weights->end();
    }

    size_t saved_size_of_feature() const final { return sizeof(int32_t) + features_.shape().count * sizeof(double); }

    void load(Reader& reader, StopSign stop) final {
        const int64_t t = reader.i64();
        if (t < 0 || t > most_counted) reader.fail("no such step");
        for (size_t run = 0; run < count(); ++run) {
            change_run(run, [&](L& learner) {
                for (double* number : L::state_of(learner)) *number = finite(reader);
            });
        }
        prepare_for(reader, stop);
        int32_t previous = -1;
        size_t features = 0;
        for (int32_t index = reader.i32(); index != -1; index = reader.i32()) {
            stop.poll_every_so_often(++features);
            if (index <= previous || index >= max_index) reader.fail("features do not ascend");
            previous = index;
            double* const first = first_of(features_.at(index, stop));
            for (size_t n = 0; n < features_.shape().count; ++n) first[n] = finite(reader);
        }
        // Last: runs of no steps are such that can be loaded again after Interrupted.
        layout_.resume_at(t);
    }

    void merge(const Learners& other, const double* lambda, Memory memory, StopSign stop) final {
        const auto& theirs = static_cast<const TabledLearners&>(other);
        if (theirs.steps() == 0) return;
        if (steps() == 0) return copy(theirs, stop);
        merge_learned(theirs, lambda, memory, stop);
    }

protected:
    // A row as it is learned from.
    static ExampleOf<double> example_in(Frame& frame, const Example& row, StopSign stop) {
        return {frame.apply_to_learn(row.x, stop), row.y, row.omega, frame.most_length()};
    }

    Frame& frame_;
    Layout layout_;
    Table features_;
    double reach_;

private:
    // What a feature's cell is in one of two that are merged.
    struct Weighted {
        double share, ratio;
    };

    // The weights and biases of a model that has room for them, as its features come in ascending order.
    class Weights {
    public:
        Weights(const TabledLearners& its, size_t first, Model& model)
            : its_(its),
              first_(first),
              runs_(model.runs()),
              room_(model.index.size()),
              steps_(its.steps()),
              model_(model),
              learners_(model.index.get_allocator()) {
            for (size_t k = 0; k < runs_; ++k) {
                learners_.push_back(its.layout_.run(first + k));
                model.bias[k] = learners_[k].bias();
                model.centred_bias[k] = learners_[k].centred_bias();
                check_finite(model.bias[k], "bias", steps_);
            }
        }

        [[gnu::always_inline]] void add(int32_t index, const auto& numbers) {
            if (count_ == room_) throw std::length_error("more weights than there is room for");
            const L* const learners = learners_.data();
            double* const weights = model_.weight.data() + count_ * runs_;
            const Frame& frame = its_.frame_;
            bool weighs = false;
            for (size_t k = 0; k < runs_; ++k) {
                double weight = learners[k].weight(its_.layout_.cell(numbers, first_ + k));
                if (!frame.scale.is_one()) weight /= frame.scale.of(index);
                check_finite(weight, "weight of a feature", steps_);
                weights[k] = weight;
                weighs |= weight != 0;
            }
            if (weighs) model_.index[count_++] = frame.names(index);
        }

        void end() { model_.set_features(count_); }

    private:
        const TabledLearners& its_;
        const size_t first_, runs_, room_;
        const int64_t steps_;
        Model& model_;
        Vector<L> learners_;
        size_t count_ = 0;
    };

    static double* first_of(double* numbers) { return numbers; }
    static const double* first_of(const double* numbers) { return numbers; }
    static double* first_of(typename L::Cell& cell) { return reinterpret_cast<double*>(&cell); }
    static const double* first_of(const typename L::Cell& cell) { return reinterpret_cast<const double*>(&cell); }

    static const typename L::Cell& numbers_at(const typename L::Cell* cell) { return *cell; }
    static const double* numbers_at(const double* numbers) { return numbers; }

    // When dead cells, which weigh nothing, leave the table depends on its size: so they are left out.
    template <typename Visit>
    void walk_living(StopSign stop, Visit&& visit) const {
        features_.walk(stop, [&](int32_t index, auto&& numbers) {
            if (layout_.alive(numbers)) visit(index, numbers);
        });
    }

    template <typename Change>
    void change_run(size_t run, Change&& change) {
        L learner = layout_.run(run);
        change(learner);
        layout_.set_run(run, learner);
    }

    void begin_centre(StopSign stop) {
        const Centre* const centre = frame_.centre();
        const size_t size = centre == nullptr ? 0 : centre->index.size();
        typename Table::Widths of_width{};
        each_below(size, stop, [&](size_t j) { Table::count(of_width, centre->index[j]); });
        features_.begin_for(of_width, stop);
        double squared_length = 0;
        for (size_t j = 0; j < size; ++j) {
            stop.poll_every_so_often(j);
            layout_.mu(features_.at(centre->index[j], stop)) = centre->mu[j];
            squared_length += centre->mu[j] * centre->mu[j];
        }
        for (size_t run = 0; run < count(); ++run)
            change_run(run, [squared_length](L& learner) { learner.centre_at(squared_length); });
    }

    template <typename Value>
    double length_of(const RowOf<Value>& row, StopSign stop) {
        RowInFrame<Value> x{row, stop};
        if constexpr (Centres<L>) {
            features_.with_cells(
                row, stop, [&](auto cell) { x = row_in_frame<L>(x, [&](auto i) { return layout_.mu(cell(i)); }); });
        }
        return squared_length_of(layout_.run(0), x);
    }

    template <typename Value>
    void products_with(const RowOf<Value>& row, double* w_x, StopSign stop) const {
        features_.look_at(row, [&](auto found) {
            size_t run = 0;
            if constexpr (Layout::in_groups) {
                for (; run + 2 <= count(); run += 2) {
                    const auto cell_at = [run, this](const double* its) { return layout_.cell_of_two(its, run); };
                    product(layout_.two_runs(run), row, found, cell_at, stop).copy_to(w_x + run);
                }
            }
            for (; run < count(); ++run) {
                const auto cell_at = [run, this](auto its) -> decltype(auto) {
                    return layout_.cell(numbers_at(its), run);
                };
                w_x[run] = product(layout_.run(run), row, found, cell_at, stop);
            }
        });
    }

    // A sum of totals is divided once.
    template <typename Value>
    static auto product(const auto& learner, const RowOf<Value>& row, auto&& found, auto&& cell_at, StopSign stop) {
        using Real = decltype(learner.weight(cell_at(found(0))));
        const Real sum = sum_over(row.nnz, stop, [&](int32_t i) -> Real {
            const auto its = found(i);
            if (its == nullptr) return 0.0;
            if constexpr (Averages<L>) {
                return learner.total(cell_at(its)) * double{row.value[i]};
            } else {
                return learner.weight(cell_at(its)) * double{row.value[i]};
            }
        });
        if constexpr (Averages<L>) {
            return sum / learner.schedule.Omega;
        } else {
            return sum;
        }
    }

    void copy(const TabledLearners& other, StopSign stop) {
        other.frame_.scale.walk(stop, [&](int32_t index, double s) { frame_.scale.set(index, s, stop); });
        features_.begin_with(other.features_.array_size(), stop);
        other.features_.walk(stop, [&](int32_t index, auto&& numbers) {
            std::copy_n(first_of(numbers), features_.shape().count, first_of(features_.at(index, stop)));
        });
        for (size_t run = 0; run < count(); ++run) {
            const L theirs = other.layout_.run(run);
            change_run(run, [&theirs](L& learner) {
                const auto mine = L::state_of(learner);
                const auto its = L::state_of(theirs);
                for (size_t i = 0; i < mine.size(); ++i) *mine[i] = *its[i];
            });
        }
        layout_.resume_at(other.steps());
    }

    // A feature's scale is that of whoever has measured it; where both have, ours.
    double ratio_of(const TabledLearners& other, int32_t index, StopSign stop) {
        const double theirs = other.frame_.scale.of(index);
        if (theirs != 1 && !frame_.scale.has(index) && !features_.has(index)) frame_.scale.set(index, theirs, stop);
        return frame_.scale.of(index) / theirs;
    }

    void merge_learned(const TabledLearners& other, const double* lambda, Memory memory, StopSign stop) {
        Vector<L> merged(memory);
        for (size_t run = 0; run < count(); ++run)
            merged.push_back(L::merged(Both<L>(layout_.run(run), other.layout_.run(run)), lambda[run]));
        const double t = static_cast<double>(steps() + other.steps());
        const double share = static_cast<double>(steps()) / t, its_share = static_cast<double>(other.steps()) / t;

        Table both(memory, features_.shape());
        both.begin_with(std::max(features_.array_size(), other.features_.array_size()), stop);
        const Vector<L> mine = layout_.all(memory), theirs = other.layout_.all(memory);
        features_.walk(stop, [&](int32_t j, auto&& numbers) {
            add_cell(both.at(j, stop), numbers, mine, {share, 1}, merged);
        });
        other.features_.walk(stop, [&](int32_t j, auto&& numbers) {
            add_cell(both.at(j, stop), numbers, theirs, {its_share, ratio_of(other, j, stop)}, merged);
        });
        if constexpr (Centres<L>) {
            for (size_t run = 0; run < count(); ++run) merged[run].finish(CellsOfRun{both, layout_, run, stop});
        }

        features_ = std::move(both);
        for (size_t run = 0; run < count(); ++run) layout_.set_run(run, merged[run]);
    }

    void add_cell(auto&& to, const auto& from, const Vector<L>& part, Weighted weighted,
                  const Vector<L>& merged) const {
        for (size_t run = 0; run < count(); ++run) {
            merged[run].add(layout_.cell(to, run), Part<L>{part[run], weighted.share, weighted.ratio},
                            layout_.cell(from, run));
        }
        if constexpr (Centres<L>) layout_.mu(to) += weighted.share / weighted.ratio * layout_.mu(from);
    }

    // The cells of one run, for a learner that has to see all of them.
    struct CellsOfRun {
        Table& table;
        const Layout& layout;
        size_t run;
        StopSign stop;

        template <typename Visit>
        void walk(Visit&& visit) const {
            table.walk(stop, [&](int32_t, auto&& numbers) { visit(layout.cell(numbers, run)); });
        }
        template <typename Change>
        void change_all(Change&& change) const {
            table.change_all(stop, [&](auto&& numbers) { change(layout.cell(numbers, run)); });
        }
    };

    // Looks ahead at the features that are to be read, and has the table begin as they call for.
    void prepare_for(const Reader& reader, StopSign stop) {
        const size_t record = saved_size_of_feature();
        const std::span<const char> ahead = reader.ahead();
        typename Table::Widths of_width{};
        for (size_t at = 0; at + record <= ahead.size(); at += record) {
            stop.poll_every_so_often(at / record);
            const auto index = load_little<int32_t>(ahead.data() + at);
            if (index < 0) break;
            Table::count(of_width, index);
        }
        features_.begin_for(of_width, stop);
    }

    static double finite(Reader& reader) {
        const double number = reader.f64();
        if (!std::isfinite(number)) reader.fail("a number is not finite");
        return number;
    }
};

}  // namespace sparselin
