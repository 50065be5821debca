// The runs of a call: learners of one kind, one or many, that learn from the same rows at once, each with settings,
// labels and numbers of its own. A row is decoded, and its features are found, once for all of them.
//
// All of a feature's numbers lie in one cell of one table: the first number of every run, then the second of every run,
// and what they share (the centre) last. So runs go through the same arithmetic four at a time (lanes.h); with a single
// run a cell is the learner's own. Between runs no number is exchanged: each is, to the bit, what it would be alone.
//
// A run whose prediction is no number has diverged: it is said to be so, and leaves the others alone.
#pragma once

#include "base/memory.h"
#include "base/codec.h"
#include "learners/seen.h"
#include "model/model.h"
#include "options/settings.h"
#include "rows/frame.h"

namespace sparselin {

class Runs {
public:
    virtual ~Runs() = default;

    virtual size_t count() const = 0;

    // One step of each run k, with label y[k], which sees seen[k]. Throws Interrupted only before it has changed a
    // number.
    virtual void learn(const SparseRow& x, const double* y, double omega, Seen* seen, StopSign stop) = 0;

    // |x|^2 of the row as the learners see it.
    virtual double squared_length(const SparseRow& x, StopSign stop) = 0;

    // Before the first step: what a Survey found out about a run's step size.
    virtual void begin_with(size_t run, double step) = 0;

    virtual int64_t steps() const = 0;

    // Fills in the options that were automatic and that rows have decided.
    virtual void note_options(size_t run, Options& options) const = 0;

    // Fills in weights and biases. An Error where they are not finite.
    virtual void write_model(size_t run, Model& model, StopSign stop) const = 0;

    // Writes the raw state, from which learning can go on.
    virtual void save(Writer& writer, StopSign stop) const = 0;

    // Reads what save() has written, into runs that have not learned yet.
    virtual void load(Reader& reader, StopSign stop) = 0;

    // Makes the two one, run by run (merge.h). `other` was made for the same settings and scale, but for lambda;
    // lambda[k] is that of both. Changes nothing when it is interrupted.
    virtual void merge(const Runs& other, const double* lambda, Memory memory, StopSign stop) = 0;
};

// One run for each of the settings, which differ in the strength of regularisation alone and have no automatic lambda
// any more. `frame` must outlive the runs.
Box<Runs> make_runs(std::span<const Settings> settings, Frame& frame, Memory memory, StopSign stop);

}  // namespace sparselin
