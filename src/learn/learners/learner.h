// A learner as the rest sees it: an object that takes one example at a time and can be asked for its model.
//
// Each learner's mathematics is a class in a file of its own (casgd.h, onepass.h, elasticnet.h ...); make_learner joins
// it with a loss once, so that nothing is chosen inside the loops.
#pragma once

#include "base/box.h"
#include "model/model.h"
#include "rows/scale.h"
#include "options/settings.h"

namespace sparselin {

class Reader;
class Writer;

// The point that casgd centres its rows at: ascending 0-based indices with their values.
struct Centre {
    explicit Centre(Memory memory) : index(memory), mu(memory) {}
    Vector<int32_t> index;
    Vector<double> mu;
};

// How a learner sees its rows: x_j / s_j - mu_j, mu being 0 but for casgd.
struct Frame {
    explicit Frame(Memory memory) : centre(memory), scale(memory) {}
    Centre centre;
    Scale scale;
};

// What a step saw, before it changed anything.
struct Seen {
    double loss;       // of the prediction
    double idle_loss;  // of predicting 0, or what a step from there predicts, where that is worse
};

class Learner {
public:
    virtual ~Learner() = default;

    // One step. Throws Interrupted only before it has changed a number, Error when numbers are no longer finite.
    virtual Seen learn(const Example& example, StopSign stop) = 0;

    // |x|^2 of the row as the learner sees it.
    virtual double squared_length(const SparseRow& x, StopSign stop) = 0;

    // Before the first step: what a Survey found out about the step size.
    virtual void set_pace(double pace) = 0;

    virtual int64_t steps() const = 0;

    // Fills in the options that were automatic and that rows have decided.
    virtual void note_options(Options& options) const = 0;

    // Fills in weights and biases.
    virtual void write_model(Model& model, StopSign stop) const = 0;

    // Writes the raw state, from which learning can go on.
    virtual void save(Writer& writer, StopSign stop) const = 0;

    // Reads what save() has written, into a learner that has not learned yet.
    virtual void load(Reader& reader, StopSign stop) = 0;

    // Makes the two one (merge.h). `other` was made for the same options and scale; `lambda` is the merged one's.
    virtual void merge(const Learner& other, double lambda, Memory memory, StopSign stop) = 0;
};

// `settings` has no automatic lambda any more; `frame` must outlive the learner.
Box<Learner> make_learner(const Settings& settings, Frame& frame, Memory memory, StopSign stop);

}  // namespace sparselin
