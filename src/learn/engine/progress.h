// How well it goes: every prediction is judged before its row is learned from.
//
// The progressive loss is the weighted mean over the first epoch, where no row has been seen before. The history has
// the mean of each stretch between steps 1, 2, 4, 8 ... An epoch, or 1000 rows of a stream, whose loss is far above
// that of predicting 0 for all rows so far means that learning runs away without ever becoming infinite. For all rows:
// a thousand of them in a stream may well have the label 0. And where all labels are 0, absolute loss goes a step away
// from them all the same: so it is the loss of predicting 0, or of what one step from there predicts.
#pragma once

#include "base/codec.h"
#include "learners/learners.h"
#include "model/model.h"

#include <optional>

namespace sparselin {

// The histories of two courses over different rows as one: stretches equally far from the start become one point, each
// counting by its steps.
inline Vector<HistoryPoint> merged_history(std::span<const HistoryPoint> x, std::span<const HistoryPoint> y,
                                           Memory memory) {
    Vector<HistoryPoint> both(memory);
    HistoryPoint x_last{}, y_last{};
    for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
        const HistoryPoint from_x = i < x.size() ? x[i] : x_last, from_y = i < y.size() ? y[i] : y_last;
        const auto x_steps = static_cast<double>(from_x.step - x_last.step);
        const auto y_steps = static_cast<double>(from_y.step - y_last.step);
        both.push_back(
            {from_x.step + from_y.step, (x_steps * from_x.loss + y_steps * from_y.loss) / (x_steps + y_steps)});
        x_last = from_x;
        y_last = from_y;
    }
    return both;
}

// Joins neighbouring points until `most` are left, beginning where two make the shortest stretch for their distance
// from the start.
inline void thin_out(Vector<HistoryPoint>& history, size_t most) {
    const auto before = [&](size_t i) { return i == 0 ? 0 : history[i - 1].step; };
    while (history.size() > most) {
        const auto growth = [&](size_t i) {
            return static_cast<double>(history[i + 1].step) / static_cast<double>(before(i) + 1);
        };
        size_t first = 0;
        for (size_t i = 1; i + 1 < history.size(); ++i)
            if (growth(i) < growth(first)) first = i;
        const HistoryPoint x = history[first];
        HistoryPoint& y = history[first + 1];
        const auto x_steps = static_cast<double>(x.step - before(first)),
                   y_steps = static_cast<double>(y.step - x.step);
        y.loss = (x_steps * x.loss + y_steps * y.loss) / (x_steps + y_steps);
        history.erase(history.begin() + static_cast<ptrdiff_t>(first));
    }
}

class Progress {
public:
    explicit Progress(Memory memory) : history_(memory) {}

    void add(const Seen& seen, double omega) {
        ++step_;
        stretch_.add(omega * seen.loss, omega);
        trend_.add(omega * seen.loss, omega);
        add_idle(omega * seen.idle_loss);
        if ((step_ & (step_ - 1)) == 0) mark();
    }

    // After an epoch, or 1000 rows of a stream. Says what is wrong with them, if anything is.
    std::optional<Error> judge_trend() {
        if (!std::isfinite(trend_.sum) || !std::isfinite(trend_.omega)) {
            return Error(Fault::diverged, "training diverged: the sum of losses up to step %lld is not finite",
                         static_cast<long long>(step_))
                .hint(divergence_hint);
        }
        const double idle = idle_ / (before_.omega + stretch_.omega);
        if (trend_.mean() > runaway * idle) {
            return Error(Fault::diverged,
                         "training diverged: the mean loss up to step %lld is %g, that of predicting 0, or of one "
                         "step from there, is %g",
                         static_cast<long long>(step_), trend_.mean(), idle)
                .hint(divergence_hint);
        }
        trend_ = {};
        return std::nullopt;
    }

    // The first epoch ends here.
    void end_first_epoch() { first_epoch_ = so_far_with(stretch_); }

    double progressive_loss() const { return first_epoch_ < 0 ? so_far_with(stretch_) : first_epoch_; }

    void write_model(Model& model) const {
        model.progressive_loss = progressive_loss();
        model.history = ended_history();
    }

    // That of another run over the same rows.
    void add_to(Model& model) const {
        model.progressive_loss += progressive_loss();
        const Vector<HistoryPoint> history = ended_history();
        for (size_t i = 0; i < history.size(); ++i) model.history[i].loss += history[i].loss;
    }

    void save(Writer& writer) const {
        for (const double number : {before_.sum, before_.omega, stretch_.sum, stretch_.omega, trend_.sum, trend_.omega,
                                    idle_, first_epoch_}) {
            writer.f64(number);
        }
        writer.i64(step_);
        writer.u32(static_cast<uint32_t>(history_.size()));
        for (const HistoryPoint& point : history_) {
            writer.i64(point.step);
            writer.f64(point.loss);
        }
    }

    // What save() has written.
    void load(Reader& reader) {
        for (double* number : {&before_.sum, &before_.omega, &stretch_.sum, &stretch_.omega, &trend_.sum, &trend_.omega,
                               &idle_, &first_epoch_}) {
            *number = reader.f64();
            if (!std::isfinite(*number)) reader.fail("a loss is not finite");
        }
        step_ = reader.i64();
        const uint32_t points = reader.u32();
        if (step_ < 0 || step_ > most_counted || points >= max_history) reader.fail("the history is too long");
        history_.clear();
        int64_t previous = 0;
        for (uint32_t i = 0; i < points; ++i) {
            const int64_t step = reader.i64();
            const double loss = reader.f64();
            if (step <= previous || step > step_ || !std::isfinite(loss)) reader.fail("the history is wrong");
            history_.push_back({step, loss});
            previous = step;
        }
    }

    // Whether it can be that of another run over the same rows.
    bool is_beside(const Progress& other) const {
        const auto same_step = [](const HistoryPoint& x, const HistoryPoint& y) { return x.step == y.step; };
        return step_ == other.step_ && stretch_.omega == other.stretch_.omega &&
               std::ranges::equal(history_, other.history_, same_step);
    }

    // Two courses over different rows count as one.
    void merge(const Progress& other) {
        if (first_epoch_ >= 0 && other.first_epoch_ >= 0) {
            const double omega = before_.omega + stretch_.omega, others = other.before_.omega + other.stretch_.omega;
            first_epoch_ = (omega * first_epoch_ + others * other.first_epoch_) / (omega + others);
        } else if (step_ == 0) {
            first_epoch_ = other.first_epoch_;
        }
        history_ = merged_history(ended_history(), other.ended_history(), history_.get_allocator().resource());
        // A stretch that has begun ends here: where merging and going on take turns, there would be ever more points.
        thin_out(history_, max_history / 2);
        before_.add(stretch_.sum + other.before_.sum + other.stretch_.sum,
                    stretch_.omega + other.before_.omega + other.stretch_.omega);
        stretch_ = {};
        trend_.add(other.trend_.sum, other.trend_.omega);
        add_idle(other.idle_);
        step_ += other.step_;
    }

private:
    struct Mean {
        double sum = 0, omega = 0;
        void add(double loss, double weight) {
            sum += loss;
            omega += weight;
        }
        double mean() const { return sum / omega; }
    };

    static constexpr double runaway = 1e6;

    // Large steps are no fault as long as nothing comes of them: the sum stays a number.
    void add_idle(double loss) { idle_ = std::min(idle_ + loss, std::numeric_limits<double>::max()); }

    void mark() {
        if (history_.size() + 1 >= max_history) history_.erase(history_.begin());
        history_.push_back({step_, stretch_.mean()});
        before_.add(stretch_.sum, stretch_.omega);
        stretch_ = {};
    }

    // With the stretch that has begun as its last point.
    Vector<HistoryPoint> ended_history() const {
        Vector<HistoryPoint> history(history_, history_.get_allocator().resource());
        if (stretch_.omega > 0) history.push_back({step_, stretch_.mean()});
        return history;
    }

    double so_far_with(const Mean& stretch) const {
        return (before_.sum + stretch.sum) / (before_.omega + stretch.omega);
    }

    Mean before_;      // all marked stretches
    Mean stretch_;     // since the last mark
    Mean trend_;       // since it was last judged
    double idle_ = 0;  // the loss of predicting 0, or of one step from there, for all rows
    double first_epoch_ = -1;
    int64_t step_ = 0;
    Vector<HistoryPoint> history_;
};

}  // namespace sparselin
