// What can be asked for: the learners, and their options.
//
// Options are data: one table names each option once, with its type, range, learners, default and meaning. Parsing,
// printing, checking, hints and the table in docs/reference.md all come from it.
#pragma once

#include "base/words.h"
#include "options/losses.h"
#include "rows/sparse.h"

#include <limits>

namespace sparselin {

// Every learner, in the order of the numbers that are stored: the transition functions are named by this list as well.
#define SPARSELIN_LEARNERS(each) each(sgd) each(asgd) each(casgd) each(onepass) each(truncated) each(elasticnet)

#define SPARSELIN_ENUMERATE(learner) learner,
enum class LearnerKind : uint8_t { SPARSELIN_LEARNERS(SPARSELIN_ENUMERATE) };
#undef SPARSELIN_ENUMERATE

// What the rows are looked through for, where it is not given, before the first step.
enum class StepSurvey : uint8_t { none, offset, first_step };

// The strength of regularisation that a search chooses: by the option it is.
enum class Strength : uint8_t { lambda, l1, gravity };

// What there is to know of each learner besides its formulas. Whoever asks what one is like asks here; nothing hangs on
// the order of the lines but the numbers that are stored in models.
struct LearnerTraits {
    LearnerKind learner;
    const char* name;
    StepSurvey step_survey;
    Strength strength;
    double least_lambda;
    bool centres;         // learns on features whose mean it takes away
    bool learns_jointly;  // can take a loss of all classes together
    bool penalises_bias;  // in what it minimises
};

// Below this, the reciprocals and products that Dekel's learners make of lambda leave the range of double.
constexpr double least_dekel_lambda = 1e-100;

constexpr auto learner_table = std::to_array<LearnerTraits>({
    {LearnerKind::sgd, "sgd", StepSurvey::offset, Strength::lambda, least_dekel_lambda, false, true, true},
    {LearnerKind::asgd, "asgd", StepSurvey::offset, Strength::lambda, least_dekel_lambda, false, true, true},
    {LearnerKind::casgd, "casgd", StepSurvey::offset, Strength::lambda, least_dekel_lambda, true, true, true},
    {LearnerKind::onepass, "onepass", StepSurvey::first_step, Strength::lambda, 0, false, false, true},
    {LearnerKind::truncated, "truncated", StepSurvey::none, Strength::gravity, 0, false, false, false},
    {LearnerKind::elasticnet, "elasticnet", StepSurvey::none, Strength::l1, 0, false, false, false},
});

constexpr const LearnerTraits& traits_of(LearnerKind learner) {
    return learner_table[static_cast<size_t>(learner)];
}

// The numbers are part of what is stored: a line may come, at the end, but none may move.
static_assert([] {
    for (size_t i = 0; i < learner_table.size(); ++i)
        if (learner_table[i].learner != static_cast<LearnerKind>(i)) return false;
    return true;
}());

constexpr auto every_learner = [] {
    std::array<LearnerKind, learner_table.size()> learners{};
    for (size_t i = 0; i < learners.size(); ++i) learners[i] = learner_table[i].learner;
    return learners;
}();

constexpr const char* name_of(LearnerKind learner) {
    return traits_of(learner).name;
}

// The names in a table that are wanted, as a hint lists them: "a, b or c", each between `before` and `after`.
template <typename Traits, size_t size, typename Wanted>
Phrase names_where(const std::array<Traits, size>& table, Wanted&& wanted, const char* last = "or",
                   const char* before = "", const char* after = "") {
    size_t left = 0;
    for (const Traits& traits : table) left += wanted(traits) ? 1 : 0;
    Phrase text;
    for (const Traits& traits : table) {
        if (!wanted(traits)) continue;
        text.add("%s%s%s", before, traits.name, after);
        --left;
        if (left > 1) text.add(", ");
        if (left == 1) text.add(" %s ", last);
    }
    return text;
}

inline Phrase names_of_class_losses() {
    return names_where(loss_table, [](const LossTraits& loss) { return loss.for_classes; });
}

enum class Sampling : uint8_t { shuffle, replacement, sequential };
enum class Method : uint8_t { truncate, round, sgd, fobos };
enum class Scaling : uint8_t { none, std, maxabs, idf };
enum class Normalizing : uint8_t { none, l2 };
enum class ClassWeight : uint8_t { none, balanced };

const char* name_of(Sampling sampling);
const char* name_of(Method method);

// All names of a kind of choice, in the order of their numbers.
std::span<const char* const> names_of(LearnerKind);
std::span<const char* const> names_of(Loss);

// The inverse of name_of, without regard to case; false when there is no such name.
template <typename Choice>
bool find_by_name(std::string_view name, Choice& choice) {
    const int number = find_name(name, names_of(choice));
    if (number >= 0) choice = static_cast<Choice>(number);
    return number >= 0;
}

// The same for the number, which is what is stored.
template <typename Choice>
bool find_by_number(uint8_t number, Choice& choice) {
    const bool found = number < names_of(choice).size();
    if (found) choice = static_cast<Choice>(number);
    return found;
}

// The value of an option nobody gave: the learner's default, or worked out from the rows.
constexpr double automatic = std::numeric_limits<double>::quiet_NaN();
constexpr bool is_automatic(double value) {
    return value != value;
}

// What a user asked for. Every scalar is a double (a choice is its number, a boolean 0 or 1), so that the
// table can point at it.
struct Options {
    explicit Options(Memory memory) : center_index(memory), center_value(memory), classes(memory) {}

    // A copy would take its memory from elsewhere.
    Options(Options&&) = default;
    Options& operator=(Options&&) = default;

    double loss = automatic;
    double delta = automatic;
    double quantile = automatic;
    double search = automatic;
    double lambda = automatic;
    double l1 = automatic;
    double epochs = automatic;
    double sampling = automatic;
    double seed = automatic;
    double step_offset = automatic;
    double average_power = automatic;
    double implicit_above = automatic;
    double gamma0 = automatic;
    double decay = automatic;
    double decay_rate = automatic;
    double average_start = automatic;
    double eta0 = automatic;
    double power = automatic;
    double method = automatic;
    double gravity = automatic;
    double truncate_every = automatic;
    double threshold = automatic;
    double clip_min = automatic;
    double clip_max = automatic;
    double scale = automatic;
    double norm = automatic;
    double class_weight = automatic;
    double intercept = automatic;
    double settle = automatic;
    double resumable = automatic;

    bool has_center = false;
    int32_t center_dim = 0;
    Vector<int32_t> center_index;
    Vector<float> center_value;

    SparseRow center() const {
        return {center_index.data(), center_value.data(), static_cast<int32_t>(center_index.size()), center_dim};
    }
    Vector<String> classes;  // in byte order

    // Validates, and copies.
    void set_center(const SparseRow& center, StopSign stop);
};

enum class OptionType : uint8_t { number, whole_number, choice, boolean, sparse, names };

const char* name_of(OptionType type);

struct OptionSpec {
    const char* name;
    OptionType type;
    double Options::*field;  // nullptr for the one sparse option, center, and for the one with names, classes
    double low, high;        // the allowed range of a number
    bool open;               // the ends themselves are not allowed, but for infinity
    std::span<const char* const> choices;
    uint32_t learners;         // bit 1 << LearnerKind for each that takes it
    double default_value;      // automatic: default_text says where it comes from
    const char* default_text;  // nullptr: default_value says it all
    const char* meaning;

    // Some learners have a default of their own.
    uint32_t others = 0;
    double others_default = automatic;

    bool is_set_in(const Options& options) const {
        if (field != nullptr) return !is_automatic(options.*field);
        return type == OptionType::sparse ? options.has_center : !options.classes.empty();
    }

    bool can_be_infinite() const { return high == std::numeric_limits<double>::infinity(); }

    bool is_taken_by(LearnerKind learner) const { return (learners >> static_cast<unsigned>(learner) & 1) != 0; }

    // What the learner does without the option; automatic when that is decided elsewhere, or it does not take it.
    double default_for(LearnerKind learner) const {
        if (!is_taken_by(learner)) return automatic;
        return (others >> static_cast<unsigned>(learner) & 1) != 0 ? others_default : default_value;
    }
};

std::span<const OptionSpec> option_table();

// How the documentation and the hints say it: "a whole number from 1 to 1000000"; "10"; "sgd, asgd".
Phrase range_text(const OptionSpec& spec);
Phrase default_text(const OptionSpec& spec);
Phrase learners_text(const OptionSpec& spec, const char* suffix);

// A value as the text form has it: a choice by its name, whole numbers in full, others by the fewest digits.
Phrase value_text(const OptionSpec& spec, double value);

// Reads 'loss=hinge lambda=1e-4'; 'auto' leaves an option unset. Every fault is an Error with a hint.
Options parse_options(std::string_view text, Memory memory, StopSign stop = StopSign());

// Sets one option as the text form would (used by the function with named arguments as well).
void set_option(Options& options, const OptionSpec& spec, std::string_view value, StopSign stop = StopSign());

// Sets a numeric or boolean option, range-checked by the same table.
void set_option(Options& options, const OptionSpec& spec, double value);

// The option of that name; an Error with the nearest name when there is none.
const OptionSpec& find_option(std::string_view name);

// The canonical text: the options that are set, in the table's order; parse_options reads it back.
String print_options(const Options& options, Memory memory, StopSign stop = StopSign());

// The documentation's table, in Markdown.
String options_markdown(Memory memory);

}  // namespace sparselin
