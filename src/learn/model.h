// A model as a value: what was learned, how, and how well it went. No mathematics here.
//
// Bytes: one little-endian, versioned codec (encode, decode) serves the disk, the wire and the cache.
// Text: JSON that reads back to the same bytes.
#pragma once

#include "options.h"

namespace sparselin {

// How labels were written in the training rows, and so how classify answers.
enum class Coding : uint8_t { number, boolean, plus_minus, zero_one };

const char* name_of(Coding coding);

// One point of the history: the mean loss over the steps since the point before it, up to `step`.
struct HistoryPoint {
    int64_t step;
    double loss;
};

constexpr size_t max_history = 64;

// 128 bits of the content.
struct Fingerprint {
    uint64_t low = 0, high = 0;
    bool operator==(const Fingerprint&) const = default;
};

struct Model {
    explicit Model(Memory memory)
        : options(memory), index(memory), weight(memory), history(memory), resume(memory) {}

    LearnerKind learner = LearnerKind::casgd;
    Loss loss = Loss::logistic;
    Coding coding = Coding::plus_minus;
    String options;             // resolved, canonical text
    double lambda = 0;          // resolved
    double bias = 0;            // predict is w.x + bias
    double centred_bias = 0;    // bias + w.mu, what the objective regularises; the bias where there is no centre
    double progressive_loss = 0;
    int64_t rows = 0, skipped = 0, steps = 0, epochs = 0;
    int32_t dimension = 0;      // 0: open
    Vector<int32_t> index;      // ascending, 0-based; only weights that are not zero
    Vector<double> weight;
    Vector<HistoryPoint> history;
    Vector<char> resume;        // the learner's raw state, its own codec; empty: not resumable
};

// The one check behind text, binary and the learners: finite numbers, ascending indices, sane counts.
void validate(const Model& model);

// Bytes after the varlena header. Weights dense or sparse, whichever is smaller. `reserve` zero bytes come
// first, for the caller's own header.
Vector<char> encode(const Model& model, size_t reserve, Memory memory, StopSign stop);

// Reads and validates.
Model decode(std::span<const char> bytes, Memory memory, StopSign stop);

// The fingerprint written in a model's header; `bytes` may be just the first fingerprint_prefix bytes of it.
constexpr size_t fingerprint_prefix = 32;
Fingerprint fingerprint_of(std::span<const char> bytes);

// JSON, without the resume state where it is not asked for. Refuses what would not fit in `limit` bytes.
String to_json(const Model& model, bool with_resume, size_t limit, Memory memory, StopSign stop);
Model from_json(std::string_view text, Memory memory, StopSign stop);

// Too large for its text form? An upper bound first, the exact length only when that is in doubt.
void check_size(const Model& model, size_t limit, Memory memory, StopSign stop);

}  // namespace sparselin
