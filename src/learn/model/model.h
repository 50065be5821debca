// A model as a value: what was learned, how, and how well it went. No mathematics here.
//
// Bytes: one little-endian, versioned codec (encode, decode) serves the disk, the wire and the cache.
// Text: JSON that reads back to the same bytes.
//
//   byte  0  magic, u32                     16  fingerprint of all other bytes of the front, 2 x u64
//         4  format version, u8             32  classes: count, then strings (only where flagged)
//         5  number of models, u8: 1            options, a string; origins of them (settings.h)
//         6  learner, loss, coding, u8          lambda, f64; bias and centred bias of each run, f64
//         9  flags, u8: 1 = dense weights       progressive loss, f64
//                       2 = classes             rows, skipped, steps, epochs, i64; dimension, i32
//                       4 = resume state        history: count, then (step i64, loss f64)
//                       8 = scale               search: count, then (strength f64, loss f64)
//        10  zero                               weights: array of f64, or array of i32 and array of f64
//        12  size of the front, u32             scale: array of i32 and array of f64 (only where flagged)
//                                               only where flagged: size of the resume state, u64, and its own
//                                               fingerprint, 2 x u64; here the front ends; the resume state
//                                               (training_bytes.cpp)
//
// Whoever applies a model needs its front alone.
//
// Several classes have a run each, that is, a score: a bias, and in the weights as many numbers side by side for each
// feature as there are runs.
#pragma once

#include "base/codec.h"
#include "base/words.h"
#include "options/settings.h"

namespace sparselin {

// How labels were written in the training rows, and so how classify answers.
enum class Coding : uint8_t { number, boolean, plus_minus, zero_one, text };

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

// What a search has tried: a strength of regularisation, and the mean loss of the rows held out with it; no number
// where learning has diverged.
struct Tried {
    double strength;
    double loss;
};

constexpr size_t max_tried = 16;

// Rows, steps and so on are at most this many: enough, and sums of counts that come from anywhere do not overflow.
constexpr int64_t most_counted = int64_t{1} << 53;

// How many runs, each of which gives a score, tell so many named classes apart. One for two of them, or for classes
// without names, or for a number; but where the loss is one of all classes together, each has its own.
constexpr size_t runs_for(Loss loss, size_t classes) {
    return classes > 2 || (traits_of(loss).joint && classes > 0) ? classes : 1;
}

// What features are divided by before a row is brought to length 1 and the model, whose weights are for features as
// they are, has its say: those that were seen, by ascending 0-based index.
struct KeptScale {
    explicit KeptScale(Memory memory) : index(memory), s(memory) {}

    bool empty() const { return index.empty(); }
    void clear() {
        index.clear();
        s.clear();
    }
    void push_back(int32_t feature, double its) {
        index.push_back(feature);
        s.push_back(its);
    }

    // So that no square of x/s, nor their sum, leaves the range of double.
    static constexpr double least = 1e-100, most = 1e100;

    Vector<int32_t> index;
    Vector<double> s;
};

[[noreturn]] void refuse_other_scale();

struct Model {
    explicit Model(Memory memory)
        : classes(memory),
          options(memory),
          bias(1, 0.0, memory),
          centred_bias(1, 0.0, memory),
          index(memory),
          weight(memory),
          history(memory),
          search(memory),
          scale(memory),
          resume(memory) {}

    size_t runs() const { return bias.size(); }
    void set_runs(size_t count) {
        bias.assign(count, 0.0);
        centred_bias.assign(count, 0.0);
    }

    // New ones are zeros. Weights that are filled in one by one have the room for all first.
    void set_features(size_t count) {
        index.resize(count);
        weight.resize(count * runs());
    }

    // The weights of all runs for the i-th feature.
    std::span<const double> weights_at(size_t i) const { return std::span(weight).subspan(i * runs(), runs()); }

    // The last feature goes again where all its weights are 0.
    void drop_last_of_zeros() {
        for (const double its : weights_at(index.size() - 1))
            if (its != 0) return;
        index.pop_back();
        weight.resize(weight.size() - runs());
    }

    LearnerKind learner = LearnerKind::casgd;
    Loss loss = Loss::logistic;
    Coding coding = Coding::plus_minus;
    Vector<String> classes;       // of text labels, in byte order; the last of two is the positive one
    String options;               // resolved, canonical text
    Origins origins;              // of the options, and of lambda
    double lambda = 0;            // resolved
    Vector<double> bias;          // a score is w.x + bias
    Vector<double> centred_bias;  // bias + w.mu, what the objective regularises; the bias where there is no centre
    double progressive_loss = 0;  // of several runs: their mean
    int64_t rows = 0, skipped = 0, steps = 0, epochs = 0;
    int32_t dimension = 0;  // 0: open
    Vector<int32_t> index;  // ascending, 0-based; only features of which a weight is not zero
    Vector<double> weight;  // runs() for each of them
    Vector<HistoryPoint> history;
    Vector<Tried> search;  // the strongest first; empty: there was none
    KeptScale scale;       // empty but where its options normalise rows on a scale
    Vector<char> resume;   // the learner's raw state, its own codec; empty: not resumable
};

// Its loss, with the parameter that its options say.
ChosenLoss loss_of(const Model& model, Memory memory, StopSign stop);

// Whether it brings rows to length 1, as its options say.
bool normalizes(const Model& model, Memory memory, StopSign stop);

// Whether the classes of the rows that it learns from weigh the same, as its options say.
bool balances_classes(const Model& model, Memory memory, StopSign stop);

// What is its strength of regularisation (settings.h), as its options say.
double strength_of(const Model& model, Memory memory, StopSign stop);

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

// The same for a model without a resume state, which is written to its place as it is made: it is larger than all else,
// and need not lie there twice. It comes first, as the weights may be made along with it.
class Encoding {
public:
    // About how many bytes come before the resume state, and how many it has, 0 where there is none. Where fewer come
    // before it, it moves; where more do, all is copied.
    Encoding(size_t reserve, size_t front, size_t resume, Memory memory, StopSign stop);
    Encoding(const Encoding&) = delete;

    Writer& resume() { return resume_; }
    size_t resume_size() const { return out_.size() - resume_at_; }
    Vector<char> finish(const Model& model);

private:
    void begin_resume_at(size_t place);

    const size_t reserve_;
    StopSign stop_;
    Vector<char> out_;
    size_t resume_at_;
    Writer resume_;
};

// An Error when the bytes are not those that encode() made: by their header and their fingerprints, unread.
void check_intact(std::span<const char> bytes, StopSign stop);

// How many bytes encode writes, without a reserve; and with so many of the resume state.
size_t encoded_size(const Model& model);
size_t encoded_size(const Model& model, size_t resume);

// How many of them come before a resume state, at most, where weights are still to come: of the features that there is
// room for, the last of them in one of the first so many places.
size_t most_before_resume(const Model& model, size_t places);

// Reads and validates: lengths, the fingerprint, the content; the larger of the two forms of weights is refused.
Model decode(std::span<const char> bytes, Memory memory, StopSign stop);

// The same without the resume state: bytes up to it, as many as the first fingerprint_prefix bytes say, are enough.
Model decode_front(std::span<const char> bytes, Memory memory, StopSign stop);
size_t front_of(std::span<const char> prefix);

// The fingerprint written in a model's header; `bytes` may be just the first fingerprint_prefix bytes of it.
constexpr size_t fingerprint_prefix = 32;
struct Hash128;
Hash128 fingerprint_of(std::span<const char> bytes);

// JSON, without the resume state where it is not asked for. Refuses what would not fit in `limit` bytes.
String to_json(const Model& model, bool with_resume, size_t limit, Memory memory, StopSign stop);

// Validates. Needs learner, loss and weights; the rest has defaults, so that a model trained elsewhere can come in.
Model from_json(std::string_view text, Memory memory, StopSign stop);

// An Error when the bytes or the text form of a model with so many bytes of resume state take more than `limit`. An
// upper bound first, the exact length of the text only when that is in doubt.
void check_size(const Model& model, size_t resume, size_t limit, Memory memory, StopSign stop);

// The same for a model of which nothing is known but so many bytes that its resume state will have at least.
void check_resume_size(size_t bytes, size_t limit);

// The fields of a model, each once: its name in the text and its place in the model. What is done with a field follows
// from its type; so bytes, text, sizes and checks all go through this one list, in its order.
// Index and weight make one field.
template <typename Its>
struct WeightsOf {
    Its& model;
};

// Calls visit(name, value) for each field. The kinds of value are a choice (learner, loss, coding), names of classes,
// a String, Origins, a double, a number of each run, a count (int64_t), a dimension (int32_t), a history, what a
// search has tried, WeightsOf, a KeptScale, and a Vector<char>.
template <typename Its, typename Visit>
void each_field(Its& model, Visit&& visit) {
    visit("learner", model.learner);
    visit("loss", model.loss);
    visit("labels", model.coding);
    visit("classes", model.classes);
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
    visit("search", model.search);
    visit("weights", WeightsOf<Its>{model});
    visit("scale", model.scale);
    visit("resume", model.resume);
}

}  // namespace sparselin
