// The runs of a call: learners of one kind, one or many, that learn from the same rows at once, each with settings,
// labels and numbers of its own. A row is decoded, and its features are found, once for all of them.
//
// All of a feature's numbers lie in one cell of one table: the first number of every run, then the second of every run,
// and what they share (the centre) last. So runs go through the same arithmetic many at a time (wide.h); with a single
// run a cell is the learner's own. Between runs no number is exchanged: each is, to the bit, what it would be alone.
//
// A run whose prediction is no number has diverged: it is said to be so, and leaves the others alone.
#pragma once

#include "base/codec.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "options/settings.h"
#include "rows/batch.h"
#include "rows/frame.h"

#include <cmath>

namespace sparselin {

// What a step saw, before it changed anything.
struct Seen {
    double loss;       // of the prediction
    double idle_loss;  // of predicting 0, or what a step from there predicts, where that is worse
    bool finite;       // whether the prediction was a number; a lone run for which it was not has changed nothing
};

// Numbers that run away: what is said about them.
inline constexpr char divergence_hint[] =
    "Where it is not done yet, bring the features to one scale (scale => 'std') or the rows to one length (norm => "
    "'l2'); else take smaller steps (a larger lambda, a smaller eta0; step_offset, gamma0 and implicit_above left "
    "automatic), or try onepass_train.";

inline Error not_finite(const char* what, int64_t step) {
    Error error(Fault::diverged, "training diverged at step %lld: the %s is not finite", static_cast<long long>(step),
                what);
    error.hint(divergence_hint);
    return error;
}

inline void check_finite(double number, const char* what, int64_t step) {
    if (!std::isfinite(number)) throw not_finite(what, step);
}

// What a run has learned, all in all: its weights as it has them, for scaled features, and its biases.
struct Outline {
    double squares, sizes;  // |w|^2 and |w|_1
    double small_sizes;     // |w|_1 of the weights up to a threshold
    double bias, centred_bias;
};

class Learners {
public:
    virtual ~Learners() = default;

    virtual size_t count() const = 0;

    // Steps of a lone run, one for each row, up to one at which it diverges; the row k has the label y[k] in place of
    // its own, and the run sees seen[k] of it. How many rows that were. Many runs take a step each for the only row,
    // with a label each. Throws Interrupted only before it has changed a number.
    virtual size_t learn(const Batch& rows, const double* y, Seen* seen, StopSign stop) = 0;

    // Before learn(): a row that comes later, or that one itself, whose numbers may be asked for in the meantime. It
    // may not have been looked at yet.
    virtual void expect(const SparseRow&) = 0;

    // How much memory their numbers take; and whether that is more than a cache holds.
    virtual size_t bytes() const = 0;
    bool is_far() const { return bytes() > size_t{4} << 20; }

    // Before the first step: about how many features there will be numbers for.
    virtual void make_room_for(const FeatureWidths& features, StopSign stop) = 0;

    // When all rows have been learned from once, and will be more often: nothing but speed.
    virtual void expect_no_others(StopSign stop) = 0;

    // |x|^2 of the row as the learners see it.
    virtual double squared_length(const SparseRow& x, StopSign stop) = 0;

    // Before the first step: what a Survey found out about a run's step size.
    virtual void begin_with(size_t run, double step) = 0;

    // What the unit of the labels has made of how far a step may go (Settings::reach).
    virtual void set_reach(double reach) = 0;

    virtual int64_t steps() const = 0;

    // The result of each run so far, averaged if it is, and its w.x; what `small` sizes are, the threshold says.
    virtual Vector<Outline> outlines(double threshold, Memory memory, StopSign stop) const = 0;
    virtual void products(const SparseRow& x, double* w_x, StopSign stop) const = 0;

    // Fills in the options that were automatic and that rows have decided.
    virtual void note_options(size_t run, Options& options) const = 0;

    // Fills in weights and biases of as many runs from `first` on as the model has, which has room for all features().
    // An Error where they are not finite.
    virtual void write_model(size_t first, Model& model, StopSign stop) const = 0;

    // How many features may weigh anything.
    virtual size_t features(StopSign stop) const = 0;

    // Writes the raw state, from which learning can go on. With a model, write_model(0, model) in one: all cells, which
    // may be anywhere in memory, are gone through once.
    virtual void save(Writer& writer, Model* model, StopSign stop) const = 0;

    // How many bytes of that are a feature's.
    virtual size_t saved_size_of_feature() const = 0;

    // Reads what save() has written, into runs that have not learned yet.
    virtual void load(Reader& reader, StopSign stop) = 0;

    // Makes the two one, run by run (merge.h). `other` was made for the same settings and scale, but for lambda;
    // lambda[k] is that of both. Changes nothing when it is interrupted.
    virtual void merge(const Learners& other, const double* lambda, Memory memory, StopSign stop) = 0;
};

// One run for each of the settings, which differ in the strength of regularisation alone and have no automatic lambda
// any more. `frame` must outlive the runs.
Box<Learners> make_learners(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop);

}  // namespace sparselin
