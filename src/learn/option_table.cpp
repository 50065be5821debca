#include "options.h"

#include "excerpt.h"
#include "numbers.h"

namespace sparselin {

static constexpr const char* learner_names[] = {"sgd", "asgd", "casgd"};
static constexpr const char* loss_names[] = {"logistic", "hinge", "squared_hinge", "squared", "absolute"};
static constexpr const char* sampling_names[] = {"shuffle", "replacement", "sequential"};
static constexpr const char* type_names[] = {"number", "whole number", "choice", "boolean", "sparsearray"};

const char* name_of(LearnerKind learner) {
    return learner_names[static_cast<size_t>(learner)];
}
const char* name_of(Loss loss) {
    return loss_names[static_cast<size_t>(loss)];
}
const char* name_of(Sampling sampling) {
    return sampling_names[static_cast<size_t>(sampling)];
}
const char* name_of(OptionType type) {
    return type_names[static_cast<size_t>(type)];
}

template <typename Choice>
static bool find_choice(std::string_view name, std::span<const char* const> names, Choice& choice) {
    const int place = find_name(name, names);
    if (place < 0) return false;
    choice = static_cast<Choice>(place);
    return true;
}

bool find_by_name(std::string_view name, LearnerKind& learner) {
    return find_choice(name, learner_names, learner);
}
bool find_by_name(std::string_view name, Loss& loss) {
    return find_choice(name, loss_names, loss);
}

static constexpr uint32_t bit(LearnerKind learner) {
    return uint32_t{1} << static_cast<unsigned>(learner);
}

static constexpr uint32_t casgd_only = bit(LearnerKind::casgd);
static constexpr uint32_t dekel = bit(LearnerKind::sgd) | bit(LearnerKind::asgd) | casgd_only;

static constexpr double unbounded = std::numeric_limits<double>::max();

// Below this, the reciprocals and products that learning makes of lambda leave the range of double.
static constexpr double least_lambda = 1e-100;

static constexpr double largest_seed = 9007199254740992;  // 2^53: every whole number up to it is a double

static constexpr std::span<const char* const> no_choices;

// The order here is the order of the SQL function's arguments and of the canonical text.
// clang-format off
static constexpr OptionSpec table[] = {
    {"loss", OptionType::choice, &Options::loss, 0, 0, false, loss_names, dekel, 0, nullptr,
     "what a wrong prediction costs; squared and absolute are for regression"},
    {"lambda", OptionType::number, &Options::lambda, least_lambda, unbounded, false, no_choices, dekel, automatic,
     "1/rows; must be given when streaming",
     "strength of the l2 regularisation"},
    {"epochs", OptionType::whole_number, &Options::epochs, 1, 1e6, false, no_choices, dekel, 10, nullptr,
     "passes over the rows"},
    {"sampling", OptionType::choice, &Options::sampling, 0, 0, false, sampling_names, dekel, 0, nullptr,
     "order of the rows: a new permutation each epoch, independent draws, or as they arrive"},
    {"seed", OptionType::whole_number, &Options::seed, 0, largest_seed, false, no_choices, dekel, 42, nullptr,
     "start of the random numbers: the same seed and rows give the same model"},
    {"step_offset", OptionType::number, &Options::step_offset, 0, unbounded, false, no_choices, dekel, automatic,
     "from the rows",
     "k in the step size 1/(lambda (t + k)); 0 is the paper"},
    {"average_power", OptionType::number, &Options::average_power, 0, 10, false, no_choices, dekel, 2, nullptr,
     "q in the weight t^q of step t in the average; 0 is the paper"},
    {"intercept", OptionType::boolean, &Options::intercept, 0, 1, false, no_choices, dekel, 1, nullptr,
     "learn a bias as well"},
    {"resumable", OptionType::boolean, &Options::resumable, 0, 1, false, no_choices, dekel, 1, nullptr,
     "keep in the model what training needs to go on"},
    {"center", OptionType::sparse, nullptr, 0, 0, false, no_choices, casgd_only, automatic,
     "the mean of the rows",
     "the point that features are centred on; one that is given lets casgd stream"},
};
// clang-format on

std::span<const OptionSpec> option_table() {
    return table;
}

const OptionSpec& find_option(std::string_view name) {
    for (const OptionSpec& spec : table) {
        if (same_name(name, spec.name)) return spec;
    }
    NearestName nearest(name);
    for (const OptionSpec& spec : table) nearest.offer(spec.name);
    Error error(Fault::bad_value, "unknown option \"%s\"", Excerpt(name).c_str());
    if (nearest.found() != nullptr) throw error.hint("Perhaps you meant \"%s\".", nearest.found());
    Phrase names;
    for (const OptionSpec& spec : table) names.comma().add("%s", spec.name);
    throw error.hint("The options are %s.", names.c_str());
}

// How a number is written: whole ones in full, the others by the fewest digits.
static Phrase number_text(double value) {
    Phrase text;
    const bool in_full = value > -1e15 && value < 1e16 && value == static_cast<double>(static_cast<int64_t>(value));
    text.add("%s", in_full ? NumberText(static_cast<int64_t>(value)).c_str() : NumberText(value).c_str());
    return text;
}

Phrase value_text(const OptionSpec& spec, double value) {
    Phrase text;
    switch (spec.type) {
        case OptionType::choice: return text.add("%s", spec.choices[static_cast<size_t>(value)]);
        case OptionType::boolean: return text.add("%s", value != 0 ? "true" : "false");
        default: return number_text(value);
    }
}

Phrase range_text(const OptionSpec& spec) {
    Phrase text;
    switch (spec.type) {
        case OptionType::choice:
            for (const char* choice : spec.choices) text.comma().add("%s", choice);
            return text;
        case OptionType::boolean: return text.add("true or false");
        case OptionType::sparse: return text.add("a sparsearray");
        case OptionType::whole_number: text.add("a whole number "); break;
        case OptionType::number: text.add("a number "); break;
    }
    const Phrase low = number_text(spec.low);
    if (spec.high >= unbounded) return text.add(spec.above_low ? "greater than %s" : "not below %s", low.c_str());
    return text.add("%s %s to %s", spec.above_low ? "above" : "from", low.c_str(), number_text(spec.high).c_str());
}

Phrase default_text(const OptionSpec& spec) {
    Phrase text;
    return spec.default_text != nullptr ? text.add("%s", spec.default_text) : value_text(spec, spec.default_value);
}

Phrase learners_text(const OptionSpec& spec, const char* suffix) {
    Phrase text;
    for (const LearnerKind learner : every_learner)
        if (spec.is_taken_by(learner)) text.comma().add("%s%s", name_of(learner), suffix);
    return text;
}

String options_markdown(Memory memory) {
    String text("| option | type | default | allowed | learners | meaning |\n|---|---|---|---|---|---|\n", memory);
    for (const OptionSpec& spec : table) {
        text.append("| `").append(spec.name).append("` | ").append(name_of(spec.type));
        text.append(" | ").append(default_text(spec)).append(" | ").append(range_text(spec));
        text.append(" | ").append(learners_text(spec, "")).append(" | ").append(spec.meaning).append(" |\n");
    }
    return text;
}

}  // namespace sparselin
