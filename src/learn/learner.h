// A learner as the rest sees it: an object that takes one example at a time and can be asked for its model.
//
// Each learner's mathematics is a class in a file of its own (sgd.h, asgd.h, casgd.h); make_learner joins it with a
// loss once, so that nothing is chosen inside the loops.
#pragma once

#include "box.h"
#include "example.h"
#include "model.h"

namespace sparselin {

class Writer;

// The point that casgd centres its rows at: ascending 0-based indices with their values.
struct Centre {
    explicit Centre(Memory memory) : index(memory), mu(memory) {}
    Vector<int32_t> index;
    Vector<double> mu;
};

// What a step saw, before it changed anything.
struct Seen {
    double loss;       // of the prediction
    double idle_loss;  // of predicting 0
};

class Learner {
public:
    virtual ~Learner() = default;

    // One step. Throws Interrupted only before anything has changed, Error when numbers are no longer finite.
    virtual Seen learn(const Example& example, StopSign stop) = 0;

    // |x|^2, or |x - mu|^2 where rows are centred.
    virtual double squared_length(const SparseRow& x, StopSign stop) = 0;

    // Sets K = lambda k of the step size 1/(lambda t + K), before the first step.
    virtual void set_offset(double K) = 0;
    virtual double offset() const = 0;

    virtual int64_t steps() const = 0;

    // Fills in weights and biases.
    virtual void write_model(Model& model, StopSign stop) const = 0;

    // Writes the raw state, from which learning can go on.
    virtual void save(Writer& writer, StopSign stop) const = 0;
};

// `settings` has no automatic lambda any more; `centre` is casgd's alone.
Box<Learner> make_learner(const Settings& settings, const Centre& centre, Memory memory, StopSign stop);

}  // namespace sparselin
