#include "options/options.h"

#include "base/words.h"

namespace sparselin {

// The first column of a table of traits.
template <typename Traits, size_t size>
static consteval auto names_in(const std::array<Traits, size>& table) {
    std::array<const char*, size> names{};
    for (size_t i = 0; i < size; ++i) names[i] = table[i].name;
    return names;
}

static constexpr auto learner_names = names_in(learner_table);
static constexpr auto loss_names = names_in(loss_table);
static constexpr const char* sampling_names[] = {"shuffle", "replacement", "sequential"};
static constexpr const char* method_names[] = {"truncate", "round", "sgd", "fobos"};
static constexpr const char* scaling_names[] = {"none", "std", "maxabs", "idf"};
static constexpr const char* normalizing_names[] = {"none", "l2"};
static constexpr const char* class_weight_names[] = {"none", "balanced"};
static constexpr const char* type_names[] = {"number", "whole number", "choice", "boolean", "sparsearray", "text[]"};

const char* name_of(Sampling sampling) {
    return sampling_names[static_cast<size_t>(sampling)];
}
const char* name_of(Method method) {
    return method_names[static_cast<size_t>(method)];
}
const char* name_of(OptionType type) {
    return type_names[static_cast<size_t>(type)];
}

std::span<const char* const> names_of(LearnerKind) {
    return learner_names;
}
std::span<const char* const> names_of(Loss) {
    return loss_names;
}

static constexpr uint32_t bit(LearnerKind learner) {
    return uint32_t{1} << static_cast<unsigned>(learner);
}

static constexpr uint32_t casgd_only = bit(LearnerKind::casgd);
static constexpr uint32_t onepass = bit(LearnerKind::onepass);
static constexpr uint32_t truncated = bit(LearnerKind::truncated);
static constexpr uint32_t elasticnet = bit(LearnerKind::elasticnet);
static constexpr uint32_t averaged = bit(LearnerKind::asgd) | casgd_only;
static constexpr uint32_t dekel = bit(LearnerKind::sgd) | averaged;
static constexpr uint32_t lazy = truncated | elasticnet;
static constexpr uint32_t all = (uint32_t{1} << learner_table.size()) - 1;

static constexpr double unbounded = std::numeric_limits<double>::max();

static constexpr double infinity = std::numeric_limits<double>::infinity();

static constexpr double largest_seed = 9007199254740992;  // 2^53: every whole number up to it is a double

static constexpr std::span<const char* const> no_choices;

// The order here is the order of the SQL function's arguments and of the canonical text.
// clang-format off
static constexpr OptionSpec table[] = {
    {"loss", OptionType::choice, &Options::loss, 0, 0, false, loss_names, all, 0, nullptr,
     "what a wrong prediction costs; squared, absolute, huber and quantile are for regression, multinomial is for labels "
     "of type text"},
    {"delta", OptionType::number, &Options::delta, 0, unbounded, true, no_choices, all, 1, nullptr,
     "loss huber: errors beyond it cost no more than in proportion"},
    {"quantile", OptionType::number, &Options::quantile, 0, 1, true, no_choices, all, 0.5, nullptr,
     "loss quantile: the share of labels that are to lie below the prediction"},
    {"search", OptionType::boolean, &Options::search, 0, 1, false, no_choices, all, 0, nullptr,
     "choose lambda (elasticnet: l1, truncated: gravity) by the loss on a fifth of the rows, then learn from all of them"},
    {"lambda", OptionType::number, &Options::lambda, 0, unbounded, false, no_choices, dekel | onepass | elasticnet,
     automatic, "1/rows, for absolute, huber and quantile in the label's unit; must be given when streaming",
     "strength of the l2 regularisation", onepass | elasticnet, 1e-5},
    {"l1", OptionType::number, &Options::l1, 0, unbounded, false, no_choices, elasticnet, 1e-6, nullptr,
     "strength of the l1 regularisation"},
    {"epochs", OptionType::whole_number, &Options::epochs, 1, 1e6, false, no_choices, all, 10, nullptr,
     "passes over the rows", onepass, 1},
    {"sampling", OptionType::choice, &Options::sampling, 0, 0, false, sampling_names, all, 0, nullptr,
     "order of the rows: a new permutation each epoch, independent draws, or as they arrive", onepass, 2},
    {"seed", OptionType::whole_number, &Options::seed, 0, largest_seed, false, no_choices, all, 42, nullptr,
     "start of the random numbers: the same seed and rows give the same model"},
    {"step_offset", OptionType::number, &Options::step_offset, 0, unbounded, false, no_choices, dekel, automatic,
     "from the rows",
     "k in the step size 1/(lambda (t + k)); 0 is the paper"},
    {"average_power", OptionType::number, &Options::average_power, 0, 10, false, no_choices, averaged, 2, nullptr,
     "q in the weight t^q of step t in the average; 0 is the paper"},
    {"implicit_above", OptionType::number, &Options::implicit_above, 0, infinity, true, no_choices, dekel | onepass, 8,
     nullptr,
     "how many times too long a step may be for its row before the excess is taken implicitly; infinity: never, as in the "
     "papers"},
    {"gamma0", OptionType::number, &Options::gamma0, 0, unbounded, true, no_choices, onepass, automatic,
     "from the first 1000 rows",
     "the first step size, in gamma0 (1 + decay_rate gamma0 t)^-decay"},
    {"decay", OptionType::number, &Options::decay, 0, 1, false, no_choices, onepass, automatic,
     "2/3 for squared loss, else 3/4",
     "how fast the step size falls"},
    {"decay_rate", OptionType::number, &Options::decay_rate, 0, unbounded, false, no_choices, onepass, automatic,
     "the value of lambda",
     "how soon the step size falls"},
    {"average_start", OptionType::whole_number, &Options::average_start, 0, largest_seed, false, no_choices, onepass,
     automatic, "when the average predicts better",
     "the step after which iterates are averaged"},
    {"eta0", OptionType::number, &Options::eta0, 0, unbounded, true, no_choices, lazy, 0.5, nullptr,
     "the first step size, in eta0 t^-power"},
    {"power", OptionType::number, &Options::power, 0, 1, false, no_choices, lazy, 0.5, nullptr,
     "how fast the step size falls; 0: never"},
    {"method", OptionType::choice, &Options::method, 0, 0, false, method_names, lazy, 0, nullptr,
     "how weights shrink: truncate and round for truncated_train, sgd and fobos for elasticnet_train", elasticnet, 2},
    {"gravity", OptionType::number, &Options::gravity, 0, unbounded, false, no_choices, truncated, 1e-4, nullptr,
     "how strongly weights are pulled to 0: by eta gravity a step"},
    {"truncate_every", OptionType::whole_number, &Options::truncate_every, 1, 1e9, false, no_choices, truncated, 10,
     nullptr,
     "steps from one truncation to the next, which then pulls for all of them"},
    {"threshold", OptionType::number, &Options::threshold, 0, unbounded, false, no_choices, truncated, automatic,
     "no limit; must be given for method round",
     "weights beyond it are not truncated"},
    {"clip_min", OptionType::number, &Options::clip_min, -unbounded, unbounded, false, no_choices, truncated, automatic,
     "no limit",
     "learn as if no prediction were below it"},
    {"clip_max", OptionType::number, &Options::clip_max, -unbounded, unbounded, false, no_choices, truncated, automatic,
     "no limit",
     "learn as if no prediction were above it"},
    {"scale", OptionType::choice, &Options::scale, 0, 0, false, scaling_names, all, 0, nullptr,
     "learn on features divided by their standard deviation or their largest size, or multiplied by their inverse "
     "document frequency; the model takes them as they are"},
    {"norm", OptionType::choice, &Options::norm, 0, 0, false, normalizing_names, all, 0, nullptr,
     "l2: bring each row, scaled, to length 1 before it is learned from, and before the model predicts"},
    {"class_weight", OptionType::choice, &Options::class_weight, 0, 0, false, class_weight_names, all, 0, nullptr,
     "balanced: all classes weigh the same, however many rows they have"},
    {"intercept", OptionType::boolean, &Options::intercept, 0, 1, false, no_choices, all, 1, nullptr,
     "learn a bias as well"},
    {"settle", OptionType::boolean, &Options::settle, 0, 1, false, no_choices, all, automatic,
     "true where rows are kept, for two classes or a number, but not with hinge",
     "after the last epoch, take the scale of the weights and the bias to where F is least"},
    {"center", OptionType::sparse, nullptr, 0, 0, false, no_choices, casgd_only, automatic,
     "the mean of the rows",
     "the point that features are centred on; one that is given lets casgd stream"},
    {"resumable", OptionType::boolean, &Options::resumable, 0, 1, false, no_choices, all, 1, nullptr,
     "keep in the model what training needs to go on"},
    {"classes", OptionType::names, nullptr, 0, 0, false, no_choices, all, automatic, "those of the rows",
     "the classes that labels of type text can name, known beforehand: for streaming calls"},
};
// clang-format on

std::span<const OptionSpec> option_table() {
    return table;
}

const OptionSpec& find_option(std::string_view name) {
    // What it does. But SQL has a keyword of that name, and no argument can be called so without quotes.
    if (same_name(name, "normalize")) name = "norm";
    for (const OptionSpec& spec : table) {
        if (same_name(name, spec.name)) return spec;
    }
    NearestName nearest(name);
    for (const OptionSpec& spec : table) nearest.offer(spec.name);
    Error error(Fault::bad_value, "unknown option \"%s\"", Excerpt(name).c_str());
    // By its letters l1 would be nearest.
    if (same_name(name, "l2")) throw error.hint("The strength of the l2 regularisation is the option \"lambda\".");
    if (nearest.found() != nullptr) throw error.hint("Perhaps you meant \"%s\".", nearest.found());
    Phrase names;
    for (const OptionSpec& spec : table) names.comma().add("%s", spec.name);
    throw error.hint("The options are %s.", names.c_str());
}

// How a number is written: whole ones in full, the others by the fewest digits.
static Phrase number_text(double value) {
    Phrase text;
    if (value == infinity) return text.add("infinity");
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
        case OptionType::names: return text.add("an array of texts");
        case OptionType::whole_number: text.add("a whole number "); break;
        case OptionType::number:
            if (spec.low <= -unbounded) return text.add("a number");
            text.add("a number ");
            break;
    }
    const Phrase low = number_text(spec.low);
    if (spec.can_be_infinite()) return text.add("greater than %s, or infinity", low.c_str());
    if (spec.high >= unbounded) return text.add(spec.open ? "greater than %s" : "not below %s", low.c_str());
    return text.add(spec.open ? "above %s and below %s" : "from %s to %s", low.c_str(), number_text(spec.high).c_str());
}

static Phrase names_of(uint32_t learners, const char* suffix) {
    Phrase text;
    for (const LearnerKind learner : every_learner)
        if ((learners & bit(learner)) != 0) text.comma().add("%s%s", name_of(learner), suffix);
    return text;
}

Phrase default_text(const OptionSpec& spec) {
    Phrase text;
    text.add("%s", spec.default_text != nullptr ? spec.default_text : value_text(spec, spec.default_value).c_str());
    if (spec.others == 0) return text;
    return text.add("; %s: %s", names_of(spec.others, "").c_str(), value_text(spec, spec.others_default).c_str());
}

Phrase learners_text(const OptionSpec& spec, const char* suffix) {
    return names_of(spec.learners, suffix);
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
