// What is asked for: the options that were given, where they come from, and what a learner works with in the end.
#pragma once

#include "base/codec.h"
#include "options/options.h"

#include <optional>

namespace sparselin {

// Bytes of the largest model, on disk or as text: what a value can have.
constexpr size_t largest_model_ever = (size_t{1} << 30) - 2;

// Numbers that the rows decide may still be automatic.
struct Settings {
    LearnerKind learner;
    Loss loss;
    double loss_parameter;  // 0 where it has none
    double per_unit = 1;    // curvature_per_unit(), once labels were looked at
    Sampling sampling;
    Method method;
    Scaling scale;
    Normalizing normalize;
    ClassWeight class_weight;
    bool intercept;
    bool settle;
    bool search;
    bool resumable;
    int64_t epochs;
    uint64_t seed;
    double lambda;                                                    // 0 for truncated, which has none
    double step_offset, average_power;                                // sgd (the offset only), asgd, casgd
    double implicit_above = std::numeric_limits<double>::infinity();  // sgd, asgd, casgd, onepass
    double gamma0, decay, decay_rate, average_start;                  // onepass
    double eta0, power;                                               // truncated, elasticnet
    double gravity, threshold, clip_min, clip_max;                    // truncated; without a limit: infinite
    int64_t truncate_every;
    double l1;                                  // elasticnet
    size_t joint = 0;                           // runs that share a loss of all classes together; 0: all there are
    size_t largest_model = largest_model_ever;  // of all runs: learning ends where theirs would be larger

    ChosenLoss chosen_loss() const { return {loss, loss_parameter}; }

    bool normalizes() const { return normalize != Normalizing::none; }

    // Whether predicting takes the scale as well: beside the weights, which have it in them.
    bool keeps_scale() const { return normalizes() && scale != Scaling::none; }

    // Whether steps that would overshoot are shortened.
    bool shortens_steps() const { return implicit_above < std::numeric_limits<double>::infinity(); }

    // How far a step may move the prediction of its own row, in units of the slope, before it is: c/L. A loss that
    // limits c has a curvature L of its own, whatever the unit of the labels.
    double reach() const {
        const LossTraits& its = traits_of(loss);
        if (!shortens_steps()) return std::numeric_limits<double>::infinity();
        return std::min(implicit_above, its.most_explicit) / (reach_has_unit() ? its.L * per_unit : its.L);
    }
    bool reach_has_unit() const {
        const LossTraits& its = traits_of(loss);
        return shortens_steps() && its.has_unit && std::isinf(its.most_explicit);
    }
};

// The strength of regularisation that a search chooses: the option, and what is tried, the strongest first. Those in
// the middle are tried at once; the ends, one at a time, where the best so far lies at theirs.
struct StrengthTraits {
    const char* option;
    double Options::*asked;
    double Settings::*settled;
    bool is_by_rows;  // what is tried, and chosen, is z, and the option z/rows
    std::array<double, 15> grid;
    static constexpr size_t first_at_once = 3, last_at_once = 11;
};
const StrengthTraits& strength_of(LearnerKind learner);

// What those come to that were chosen for so many rows each: rows by strength add up, as 1/lambda does where lambda is
// z/rows. Automatic where neither was.
double strength_of_both(double x, int64_t x_rows, double y, int64_t y_rows);

// Where it was automatic so far, with what follows it.
void set_strength(Settings& settings, double value);

// The loss with the parameter that these options give it, or its default.
ChosenLoss with_parameter(Loss loss, const Options& options);

// An Error when an option is set that this learner does not have, or when options do not go together.
Settings settings_for(const Options& options, LearnerKind learner);

// The options that make these settings, as far as they are known; a given centre stays.
void note_settings(const Settings& settings, Options& options);

// Where the value of each option comes from: what somebody gave stays, what is automatic may be made anew from other
// rows, as is one that a search has found. The numbers are part of what is stored.
enum class Origin : uint8_t { automatic = 0, given = 1 };

class Origins {
public:
    Origins() = default;

    // What is set was given.
    explicit Origins(const Options& asked);

    Origin of(const OptionSpec& spec) const { return (given_ & bit(spec)) != 0 ? Origin::given : Origin::automatic; }
    Origin of(double Options::*field) const;

    void set(const OptionSpec& spec, Origin origin);

    // Given is what both say was given.
    void keep_common(const Origins& other) { given_ &= other.given_; }

    friend bool operator==(const Origins&, const Origins&) = default;

    // How many there are, u32; then, of each option that is not automatic, the origin, u8, and the name, a string.
    void save(Writer& writer) const;
    void load(Reader& reader);
    size_t saved_size() const;

private:
    static uint64_t bit(const OptionSpec& spec) { return uint64_t{1} << (&spec - option_table().data()); }

    uint64_t given_ = 0;
};

// What a call asks for: its options, read and made settings of once, and what follows from them alone.
class Request {
public:
    // `options` is the canonical text; what it leaves open is up to the learner.
    struct Kind {
        LearnerKind learner;
        std::string_view options;
        LabelKind labels;
        // Of a call that goes on from a model: the options are all settings that it had, whatever a learner does by
        // itself today, and this says which of them were given.
        std::optional<Origins> origins{};
    };

    Request(const Kind& kind, Memory memory, StopSign stop);

    // Whether another call asks for the same.
    bool is_for(const Kind& kind) const {
        return kind.learner == settings.learner && kind.options == text && kind.labels == labels &&
               kind.origins == origins_of_model;
    }

    // The options with what the rows, or the defaults, have made of those that were left open.
    Options options_with(const Settings& its, Memory memory, StopSign stop) const;

    // All of them as text, as they were before there were rows.
    String all_settings(Memory memory, StopSign stop) const;

    String text;  // of the options
    Options options;
    Settings settings;
    Origins origins;
    std::optional<Origins> origins_of_model;  // where a call goes on from one
    LabelKind labels;

    bool finds_centre;   // the mean of the rows
    bool streams;        // rows are learned from as they come
    bool finds_lambda;   // 1/rows
    bool watches_scale;  // nothing was said about it
};

}  // namespace sparselin
