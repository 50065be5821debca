// Options are data: one table names each option once, with its type, range, learners, default and meaning.
// Parsing, printing, checking, hints and the table in docs/reference.md all come from it.
#pragma once

#include "sparse.h"

#include <limits>

namespace sparselin {

enum class LearnerKind : uint8_t { sgd, asgd, casgd };
enum class Loss : uint8_t { logistic, hinge, squared_hinge, squared, absolute };
enum class Sampling : uint8_t { shuffle, replacement, sequential };

const char* name_of(LearnerKind learner);
const char* name_of(Loss loss);
const char* name_of(Sampling sampling);

// The inverse of name_of; false when there is no such name.
bool find_by_name(std::string_view name, LearnerKind& learner);
bool find_by_name(std::string_view name, Loss& loss);

constexpr bool is_classification(Loss loss) { return loss <= Loss::squared_hinge; }

// The value of an option nobody gave: the learner's default, or worked out from the rows.
constexpr double automatic = std::numeric_limits<double>::quiet_NaN();
constexpr bool is_automatic(double value) { return value != value; }

// What a user asked for. Every scalar is a double (a choice is its number, a boolean 0 or 1), so that the
// table can point at it.
struct Options {
    explicit Options(Memory memory) : center_index(memory), center_value(memory) {}

    double loss = automatic;
    double lambda = automatic;
    double epochs = automatic;
    double sampling = automatic;
    double seed = automatic;
    double step_offset = automatic;
    double average_power = automatic;
    double intercept = automatic;
    double resumable = automatic;

    bool has_center = false;
    int32_t center_dim = 0;
    Vector<int32_t> center_index;
    Vector<float> center_value;

    SparseRow center() const {
        return {center_index.data(), center_value.data(), static_cast<int32_t>(center_index.size()), center_dim};
    }
    void set_center(const SparseRow& center);
};

enum class OptionType : uint8_t { number, whole_number, choice, boolean, sparse };

struct OptionSpec {
    const char* name;
    OptionType type;
    double Options::*field;    // nullptr for the one sparse option, center
    double low, high;          // the allowed range
    bool above_low;            // low itself is not allowed
    const char* choices;       // "a|b|c" for a choice
    uint32_t learners;         // bit 1 << LearnerKind for each that takes it
    const char* default_text;  // as the documentation says it
    const char* meaning;
};

std::span<const OptionSpec> option_table();

// Reads 'loss=hinge lambda=1e-4'; 'auto' leaves an option unset. Every fault is an Error with a hint.
Options parse_options(std::string_view text, Memory memory);

// Sets one option as the text form would (used by the function with named arguments as well).
void set_option(Options& options, std::string_view name, std::string_view value);

// Sets a numeric or boolean option, range-checked by the same table.
void set_option(Options& options, std::string_view name, double value);

// The canonical text: the options that are set, in the table's order; parse_options reads it back.
String print_options(const Options& options, Memory memory);

// An Error when an option is set that this learner does not have.
void check_options(const Options& options, LearnerKind learner);

// The documentation's table, in Markdown.
String options_markdown(Memory memory);

// What a learner works with: nothing automatic but what the rows decide.
struct Settings {
    LearnerKind learner;
    Loss loss;
    Sampling sampling;
    bool intercept;
    bool resumable;
    int64_t epochs;
    uint64_t seed;
    double lambda;         // may still be automatic
    double step_offset;    // may still be automatic
    double average_power;
};

// Fills in the learner's defaults; calls check_options.
Settings settle(const Options& options, LearnerKind learner);

}  // namespace sparselin
