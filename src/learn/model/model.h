// A model as a value: what was learned, how, and how well it went. No mathematics here.
//
// Bytes: one little-endian, versioned codec (encode, decode) serves the disk, the wire and the cache.
// Text: JSON that reads back to the same bytes.
//
//   byte  0  magic, u32                     16  fingerprint of all other bytes, 2 x u64
//         4  format version, u8             32  options, a string; origins of them (origins.h)
//         5  number of models, u8: 1            lambda, bias, centred bias, progressive loss, f64
//         6  learner, loss, coding, u8          rows, skipped, steps, epochs, i64; dimension, i32
//         9  flags, u8: 1 = dense weights       history: count, then (step i64, loss f64)
//        10  zero                               weights: array of f64, or array of i32 and array of f64
//                                               resume state: array of bytes (training_bytes.cpp)
#pragma once

#include "base/words.h"
#include "options/settings.h"

namespace sparselin {

// How labels were written in the training rows, and so how classify answers.
enum class Coding : uint8_t { number, boolean, plus_minus, zero_one };

const char* name_of(Coding coding);
std::span<const char* const> names_of(Coding);

// With regard to case.
bool find_by_name(std::string_view name, Coding& coding);

// One point of the history: the mean loss over the steps since the point before it, up to `step`.
struct HistoryPoint {
    int64_t step;
    double loss;
};

constexpr size_t max_history = 64;

// Rows, steps and so on are at most this many: enough, and sums of counts that come from anywhere do not overflow.
constexpr int64_t most_counted = int64_t{1} << 53;

struct Model {
    explicit Model(Memory memory) : options(memory), index(memory), weight(memory), history(memory), resume(memory) {}

    LearnerKind learner = LearnerKind::casgd;
    Loss loss = Loss::logistic;
    Coding coding = Coding::plus_minus;
    String options;           // resolved, canonical text
    Origins origins;          // of the options, and of lambda
    double lambda = 0;        // resolved
    double bias = 0;          // predict is w.x + bias
    double centred_bias = 0;  // bias + w.mu, what the objective regularises; the bias where there is no centre
    double progressive_loss = 0;
    int64_t rows = 0, skipped = 0, steps = 0, epochs = 0;
    int32_t dimension = 0;  // 0: open
    Vector<int32_t> index;  // ascending, 0-based; only weights that are not zero
    Vector<double> weight;
    Vector<HistoryPoint> history;
    Vector<char> resume;  // the learner's raw state, its own codec; empty: not resumable
};

// How many places a dense form has: up to the last weight.
inline size_t places(const Model& model) {
    return model.index.empty() ? 0 : size_t(model.index.back()) + 1;
}

// The one check behind text, binary and the learners: finite numbers, ascending indices, no weight that is zero,
// sane counts, options that parse and belong to the learner.
void validate(const Model& model, Memory memory, StopSign stop);

// Bytes after the varlena header. Weights dense or sparse, whichever is smaller. `reserve` zero bytes come
// first, for the caller's own header. Validates; -0 becomes 0.
Vector<char> encode(const Model& model, size_t reserve, Memory memory, StopSign stop);

// An Error when the bytes are not those that encode() made: by their header and their fingerprint, unread.
void check_intact(std::span<const char> bytes, StopSign stop);

// How many bytes encode writes, without a reserve.
size_t encoded_size(const Model& model);

// Reads and validates: lengths, the fingerprint, the content; the larger of the two forms of weights is refused.
Model decode(std::span<const char> bytes, Memory memory, StopSign stop);

// The fingerprint written in a model's header; `bytes` may be just the first fingerprint_prefix bytes of it.
constexpr size_t fingerprint_prefix = 32;
struct Hash128;
Hash128 fingerprint_of(std::span<const char> bytes);

// JSON, without the resume state where it is not asked for. Refuses what would not fit in `limit` bytes.
String to_json(const Model& model, bool with_resume, size_t limit, Memory memory, StopSign stop);

// Validates. Needs learner, loss and weights; the rest has defaults, so that a model trained elsewhere can come in.
Model from_json(std::string_view text, Memory memory, StopSign stop);

// An Error when the bytes or the text form take more than `limit`. An upper bound first, the exact length of the
// text only when that is in doubt.
void check_size(const Model& model, bool with_resume, size_t limit, Memory memory, StopSign stop);

// The same for a model of which nothing is known but so many bytes that its resume state will have at least.
void check_resume_size(size_t bytes, size_t limit);

// The fields of a model, each once: its name in the text and its place in the model. What is done with a field follows
// from its type; so bytes, text, sizes and checks all go through this one list, in its order.
// Index and weight make one field.
template <typename Its>
struct WeightsOf {
    Its& model;
};

// Calls visit(name, value) for each field. The kinds of value are a choice (learner, loss, coding), a String, Origins,
// a double, a count (int64_t), a dimension (int32_t), a history, WeightsOf, and a Vector<char>.
template <typename Its, typename Visit>
void each_field(Its& model, Visit&& visit) {
    visit("learner", model.learner);
    visit("loss", model.loss);
    visit("labels", model.coding);
    visit("options", model.options);
    visit("given", model.origins);
    visit("lambda", model.lambda);
    visit("bias", model.bias);
    visit("centred_bias", model.centred_bias);
    visit("progressive_loss", model.progressive_loss);
    visit("rows", model.rows);
    visit("skipped", model.skipped);
    visit("steps", model.steps);
    visit("epochs", model.epochs);
    visit("dimension", model.dimension);
    visit("history", model.history);
    visit("weights", WeightsOf<Its>{model});
    visit("resume", model.resume);
}

}  // namespace sparselin
