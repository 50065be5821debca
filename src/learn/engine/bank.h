// The bank: the runs of a call, and what they have in common.
//
// One frame in which all of them see their rows, one survey of those, one table with the numbers of all (learners.h);
// and for each run its settings, how well it goes, and whether it still does. A run that diverges is marked, and learns
// no more: what that means is for the call to decide.
#pragma once

#include "engine/progress.h"
#include "learners/learners.h"
#include "survey/survey.h"

namespace sparselin {

// One of the runs.
struct Run {
    Run(const Settings& settings, double positive, Memory memory)
        : settings(settings), positive(positive), progress(memory) {}

    Settings settings;
    double positive;  // the label that is 1 to this run, while all others are -1; automatic: labels are as they are
    Progress progress;
    Box<Error> fault;  // why it has diverged

    double label(double y) const { return is_automatic(positive) ? y : y == positive ? 1 : -1; }
};

class Bank {
public:
    Bank(const Settings& settings, Memory memory) : Bank(std::span(&settings, 1), {}, memory) {}

    // Settings that differ in the strength of regularisation alone; `positive` of each run, or none.
    Bank(std::span<const Settings> settings, std::span<const double> positive, Memory memory);

    Bank(const Bank&) = delete;

    // Before it begins: as many runs as there are labels, each of which is the positive one of its run.
    void tell_apart(std::span<const double> positive);

    // Of all runs.
    void set_lambda(double lambda);
    void set_strength(double value);
    void set_unit(double S, bool multiplies_lambda);

    // What the unit of the labels has made of the curvature; and of the rows of both, whose units count by their steps.
    double per_unit() const { return first_.settings.per_unit; }
    double per_unit_with(const Bank& other) const;

    Frame& frame() { return frame_; }
    const Frame& frame() const { return frame_; }
    size_t count() const { return others_ ? 1 + others_->runs.size() : 1; }
    Run& run(size_t k) { return k == 0 ? first_ : others_->runs[k - 1]; }
    const Run& run(size_t k) const { return k == 0 ? first_ : others_->runs[k - 1]; }

    // Makes the learners: the frame, and each lambda, are known now.
    void begin(StopSign stop);
    bool has_begun() const { return static_cast<bool>(learners_); }

    // Before the first step: about how many features its rows have.
    void make_room_for(const FeatureWidths& features, StopSign stop);

    int64_t steps() const { return learners_ ? learners_->steps() : 0; }

    // Between begin() and the first step, where a survey is wanted: all rows once, or more often, until
    // end_survey_pass() says that the step sizes are known. The first pass may have been made before.
    void begin_survey();
    void begin_survey(Box<Survey>&& after_first_pass) { survey_ = std::move(after_first_pass); }
    void survey(const Example& example, StopSign stop) {
        survey_->add(learners_->squared_length(example.x, stop), example.omega);
    }
    bool end_survey_pass();

    // Where no row after that one is known: the row itself, as soon as it is at hand. It may not have been looked at
    // yet. Many runs ask for its numbers as they go.
    void expect_now(const SparseRow& x) {
        if (!others_ && is_far_) learners_->expect(x);
    }

    // One step of all runs for each row, up to one at which some diverge. How many rows that were; throws Interrupted
    // only before it has changed a number.
    size_t learn(const Batch& rows, StopSign stop);
    bool learn(const Example& row, StopSign stop) { return learn(Batch(row), stop), all_learn_; }

    // False when some have diverged; raise() then says why.
    bool all_learn() const { return all_learn_; }

    // Whether all still learn: looked at after each epoch, or each 1000 rows of a stream. False as for all_learn().
    bool judge_trend();
    void end_first_epoch(StopSign stop);

    [[noreturn]] void raise() const;

    bool any_learns() const;

    // A lone run goes on without the row that it has just diverged at: it has learned nothing from that one.
    void pardon();

    void note_options(size_t k, Options& options) const { learners_->note_options(k, options); }

    // Of each run, by its result so far (learners.h).
    Vector<Outline> outlines(StopSign stop) const {
        return learners_->outlines(first_.settings.threshold, memory_, stop);
    }
    void products(const SparseRow& x, double* w_x, StopSign stop) const { learners_->products(x, w_x, stop); }

    // The mean over the runs; NaN before the first row.
    double progressive_loss() const;

    // Weights, biases, steps, and how it went, of as many runs from the first on as the model has. The same in two
    // parts: how it went, and room for the weights; weights and biases.
    void write_model(Model& model, StopSign stop, size_t first = 0) const;
    void write_progress(Model& model, StopSign stop, size_t first = 0) const;
    void make_room_for_weights(Model& model, StopSign stop) const { model.set_features(learners_->features(stop)); }
    void write_weights(Model& model, StopSign stop, size_t first = 0) const {
        learners_->write_model(first, model, stop);
    }

    // Progress, scale and raw state; load() after save(), for a bank of the same settings. `known`: whether all lambdas
    // are. With a model, which has room for them, its weights and biases in one.
    void save(Writer& writer, Model* model, StopSign stop) const;
    void load(Reader& reader, bool known, StopSign stop);
    size_t saved_size_of_feature() const;

    // Takes in what another has learned; lambda is that of both.
    void merge(const Bank& other, double lambda, StopSign stop);

private:
    // What a lone run does without: there may be thousands of them.
    struct Others {
        explicit Others(Memory memory) : runs(memory), labels(memory), seen(memory) {}
        Vector<Run> runs;
        Vector<double> labels;  // of the row at hand, for all runs
        Vector<Seen> seen;
    };

    size_t learn_all(const Batch& rows, StopSign stop);
    bool all_learn_from(const Example& row, StopSign stop);
    void mark(size_t k, const Error& fault);
    void set_per_unit(double per_unit);
    void write_scale(KeptScale& kept, StopSign stop) const;
    void see_how_far() { is_far_ = learners_->is_far(); }

    Memory memory_;
    Frame frame_;
    Run first_;
    Box<Others> others_;
    Box<Survey> survey_;
    Box<Learners> learners_;
    bool all_learn_ = true;
    bool is_far_ = false;  // numbers are beyond the caches, as of the last look
};

// PostgreSQL rounds what it allocates up to a power of two, and there may be thousands of small trainings.
static_assert(sizeof(Bank) <= 512);

inline size_t Bank::learn(const Batch& rows, StopSign stop) {
    if (others_) return learn_all(rows, stop);
    std::array<double, Batch::most> y;
    std::array<Seen, Batch::most> seen;
    for (size_t k = 0; k < rows.count; ++k) y[k] = first_.label(rows[k].y);
    const size_t taken = learners_->learn(rows, y.data(), seen.data(), stop);
    for (size_t k = 0; k < taken; ++k) {
        if (seen[k].finite) {
            first_.progress.add(seen[k], rows[k].omega);
        } else {
            mark(0, not_finite("prediction", steps() + 1));
        }
    }
    return taken;
}

}  // namespace sparselin
