// How well it goes: every prediction is judged before its row is learned from.
//
// The progressive loss is the weighted mean over the first epoch, where no row has been seen before. The history has
// the mean of each stretch between steps 1, 2, 4, 8 ... A stage whose loss is far above that of predicting 0 for all
// rows so far means that learning runs away without ever becoming infinite. For all rows: a thousand of them in a
// stream may well have the label 0.
#pragma once

#include "codec.h"
#include "divergence.h"
#include "learner.h"

namespace sparselin {

class Progress {
public:
    explicit Progress(Memory memory) : history_(memory) {}

    void add(const Seen& seen, double omega) {
        ++step_;
        stretch_.add(omega * seen.loss, omega);
        stage_.add(omega * seen.loss, omega);
        idle_ += omega * seen.idle_loss;
        if ((step_ & (step_ - 1)) == 0) mark();
    }

    // Ends what divergence is judged by: an epoch, or 1000 rows of a stream.
    void end_stage() {
        if (!std::isfinite(stage_.sum) || !std::isfinite(stage_.omega)) {
            throw Error(Fault::diverged, "training diverged: the sum of losses up to step %lld is not finite",
                        static_cast<long long>(step_))
                .hint(divergence_hint);
        }
        const double idle = idle_ / (before_.omega + stretch_.omega);
        if (stage_.mean() > runaway * idle) {
            throw Error(Fault::diverged,
                        "training diverged: the mean loss up to step %lld is %g, that of predicting 0 "
                        "is %g",
                        static_cast<long long>(step_), stage_.mean(), idle)
                .hint(divergence_hint);
        }
        stage_ = {};
    }

    // The first epoch ends here.
    void end_first_epoch() { first_epoch_ = so_far_with(stretch_); }

    double progressive_loss() const { return first_epoch_ < 0 ? so_far_with(stretch_) : first_epoch_; }

    void write_model(Model& model) const {
        model.progressive_loss = progressive_loss();
        model.history = history_;
        if (stretch_.omega > 0) model.history.push_back({step_, stretch_.mean()});
    }

    void save(Writer& writer) const {
        for (const double number : {before_.sum, before_.omega, stretch_.sum, stretch_.omega, stage_.sum, stage_.omega,
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

    void mark() {
        history_.push_back({step_, stretch_.mean()});
        before_.add(stretch_.sum, stretch_.omega);
        stretch_ = {};
    }

    double so_far_with(const Mean& stretch) const {
        return (before_.sum + stretch.sum) / (before_.omega + stretch.omega);
    }

    Mean before_;      // all marked stretches
    Mean stretch_;     // since the last mark
    Mean stage_;       // since the last end of a stage
    double idle_ = 0;  // the loss of predicting 0, for all rows
    double first_epoch_ = -1;
    int64_t step_ = 0;
    Vector<HistoryPoint> history_;
};

}  // namespace sparselin
