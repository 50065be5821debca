#include "options/settings.h"

#include "base/words.h"

namespace sparselin {

static void check_taken(const Options& options, LearnerKind learner) {
    for (const OptionSpec& spec : option_table()) {
        if (spec.is_set_in(options) && !spec.is_taken_by(learner))
            throw Error(Fault::not_supported, "%s_train has no option \"%s\"", name_of(learner), spec.name)
                .hint("%s is an option of %s.", spec.name, learners_text(spec, "_train").c_str());
    }
}

static void check_lambda(const Options& options, LearnerKind learner) {
    const double least = traits_of(learner).least_lambda;
    if (!(options.lambda < least)) return;
    const auto takes_zero = [](const LearnerTraits& traits) {
        return traits.least_lambda == 0 && find_option("lambda").is_taken_by(traits.learner);
    };
    throw Error(Fault::bad_value, "option \"lambda\" is out of range for %s_train: %s", name_of(learner),
                NumberText(options.lambda).c_str())
        .hint("lambda must not be below %s there, since steps are 1/(lambda t); %s take 0.", NumberText(least).c_str(),
              names_where(learner_table, takes_zero, "and", "", "_train").c_str());
}

static void check_method(const Settings& settings, const Options& options) {
    const bool truncates = settings.learner == LearnerKind::truncated;
    if (is_automatic(options.method) && !truncates) return;
    const bool is_of_truncated = settings.method == Method::truncate || settings.method == Method::round;
    if (is_of_truncated != truncates)
        throw Error(Fault::bad_value, "%s_train has no method \"%s\"", name_of(settings.learner),
                    name_of(settings.method))
            .hint("The methods of %s_train are %s.", name_of(settings.learner),
                  truncates ? "truncate and round" : "sgd and fobos");
    if (settings.method != Method::round) return;
    if (is_automatic(options.threshold))
        throw Error(Fault::bad_value, "method \"round\" needs a threshold")
            .hint("Give the threshold up to which weights are rounded to 0, for example threshold => 0.01.");
    if (!is_automatic(options.gravity))
        throw Error(Fault::bad_value, "method \"round\" has no gravity")
            .hint("Rounding sets every weight up to the threshold to 0; gravity belongs to method \"truncate\".");
}

static void check_steps(const Settings& settings) {
    if (settings.learner == LearnerKind::onepass && settings.lambda * settings.gamma0 >= 1)
        throw Error(Fault::bad_value, "lambda * gamma0 is %s, but must be below 1",
                    NumberText(settings.lambda * settings.gamma0).c_str())
            .hint(
                "A step shrinks weights by 1 - lambda * gamma: give a smaller gamma0 or lambda, or leave gamma0 "
                "automatic.");
    if (settings.learner == LearnerKind::elasticnet && settings.method == Method::sgd &&
        settings.eta0 * settings.lambda >= 1)
        throw Error(Fault::bad_value, "eta0 * lambda is %s, but must be below 1 with method \"sgd\"",
                    NumberText(settings.eta0 * settings.lambda).c_str())
            .hint(
                "A step shrinks weights by 1 - eta * lambda, which would turn their signs: give a smaller eta0 or "
                "lambda, or method => 'fobos', which takes any.");
}

static void check_clipping(const Options& options) {
    if (!(options.clip_min > options.clip_max)) return;
    throw Error(Fault::bad_value, "clip_min %s is above clip_max %s", NumberText(options.clip_min).c_str(),
                NumberText(options.clip_max).c_str())
        .hint("Predictions are clipped to what lies between the two.");
}

static void check_joint_loss(const Settings& settings) {
    if (!traits_of(settings.loss).joint || traits_of(settings.learner).learns_jointly) return;
    throw Error(Fault::not_supported, "%s_train has no loss \"%s\"", name_of(settings.learner), name_of(settings.loss))
        .hint("That loss is for %s.",
              names_where(
                  learner_table, [](const LearnerTraits& traits) { return traits.learns_jointly; }, "and", "", "_train")
                  .c_str());
}

static void check_class_weight(const Settings& settings) {
    if (settings.class_weight == ClassWeight::none || is_classification(settings.loss)) return;
    throw Error(Fault::bad_value, "class_weight is for classification, not for loss \"%s\"", name_of(settings.loss))
        .hint("Choose loss %s, or leave class_weight out.", names_of_class_losses().c_str());
}

// The options that put a price on weights.
static const char* penalties_of(LearnerKind learner) {
    switch (learner) {
        case LearnerKind::truncated: return "gravity";
        case LearnerKind::elasticnet: return "l1 or lambda";
        default: return "lambda";
    }
}

static bool penalises_weights(const Settings& settings) {
    const auto pulls = [](double strength) { return !(strength == 0); };
    if (settings.learner == LearnerKind::truncated) return pulls(settings.gravity);
    return pulls(settings.lambda) || (settings.learner == LearnerKind::elasticnet && pulls(settings.l1));
}

// Why a model cannot be settled, whatever its rows: for somebody who asks for it.
static std::optional<Error> settling_refused(const Settings& settings) {
    const char* const loss = name_of(settings.loss);
    if (!can_settle(settings.loss))
        return Error(Fault::bad_value, "a model of loss \"%s\" cannot be settled", loss)
            .hint("Choose loss %s, or leave settle out.",
                  names_where(loss_table, [](const LossTraits& traits) {
                      return can_settle(static_cast<Loss>(&traits - loss_table.data()));
                  }).c_str());
    if (jumps_at_label(settings.loss) && !settings.intercept)
        return Error(Fault::bad_value, "loss \"%s\" without an intercept leaves nothing to settle", loss)
            .hint("With that loss a model is settled over its bias alone: learn one, or leave settle out.");
    if (settings.method == Method::round)
        return Error(Fault::bad_value, "a model of method \"round\" cannot be settled")
            .hint(
                "Rounding puts no price on a weight, so that no scale of them is best: choose method truncate, or "
                "leave settle out.");
    if (!penalises_weights(settings))
        return Error(Fault::bad_value, "a model without regularisation cannot be settled")
            .hint("The scale of its weights may have no best value: give %s above 0, or leave settle out.",
                  penalties_of(settings.learner));
    return std::nullopt;
}

static void check_settling(const Settings& settings) {
    if (!settings.settle) return;
    if (const auto refused = settling_refused(settings)) throw *refused;
}

static constexpr StrengthTraits strength_table[] = {
    {"lambda",
     &Options::lambda,
     &Settings::lambda,
     true,
     {3000, 1000, 300, 100, 30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003}},
    {"l1",
     &Options::l1,
     &Settings::l1,
     false,
     {3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9}},
    {"gravity",
     &Options::gravity,
     &Settings::gravity,
     false,
     {3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8}},
};

const StrengthTraits& strength_of(LearnerKind learner) {
    return strength_table[static_cast<size_t>(traits_of(learner).strength)];
}

double strength_of_both(double x, int64_t x_rows, double y, int64_t y_rows) {
    if (is_automatic(x)) return y;
    if (is_automatic(y)) return x;
    const auto rows_of_x = static_cast<double>(x_rows), rows_of_y = static_cast<double>(y_rows);
    return (rows_of_x + rows_of_y) / (rows_of_x / x + rows_of_y / y);
}

void set_strength(Settings& settings, double value) {
    settings.*strength_of(settings.learner).settled = value;
    if (is_automatic(settings.decay_rate)) settings.decay_rate = settings.lambda;
}

static void check_search(const Settings& settings) {
    if (!settings.search || settings.method != Method::round) return;
    throw Error(Fault::bad_value, "method \"round\" has no gravity that a search could choose")
        .hint("Search with method \"truncate\", or leave search out.");
}

ChosenLoss with_parameter(Loss loss, const Options& options) {
    const char* const name = traits_of(loss).parameter;
    if (name == nullptr) return loss;
    const OptionSpec& spec = find_option(name);
    return {loss, spec.is_set_in(options) ? options.*spec.field : spec.default_value};
}

// Calls visit(option, loss) with the parameter of each other loss that has one.
static void each_parameter_but_of(Loss chosen, auto&& visit) {
    for (const LossTraits& traits : loss_table)
        if (traits.parameter != nullptr && &traits != &traits_of(chosen)) visit(find_option(traits.parameter), traits);
}

static void check_loss_parameter(const Options& options, Loss chosen) {
    each_parameter_but_of(chosen, [&](const OptionSpec& spec, const LossTraits& traits) {
        if (!spec.is_set_in(options)) return;
        throw Error(Fault::bad_value, "loss \"%s\" has no option \"%s\"", name_of(chosen), spec.name)
            .hint("%s is an option of loss %s.", spec.name, traits.name);
    });
}

static Settings settings_of(const Options& options, LearnerKind learner) {
    const auto value = [&](double Options::*field) {
        if (!is_automatic(options.*field)) return options.*field;
        for (const OptionSpec& spec : option_table())
            if (spec.field == field) return spec.default_for(learner);
        return automatic;
    };
    const auto choice = [&](double Options::*field) {
        const double number = value(field);
        return is_automatic(number) ? uint8_t{0} : static_cast<uint8_t>(number);
    };
    const auto count = [&](double Options::*field) {
        const double number = value(field);
        return is_automatic(number) ? int64_t{0} : static_cast<int64_t>(number);
    };
    const auto limit = [&](double Options::*field, double without) {
        const double number = value(field);
        return is_automatic(number) ? without : number;
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Settings settings = {.learner = learner,
                         .loss = static_cast<Loss>(choice(&Options::loss)),
                         .loss_parameter = 0,
                         .sampling = static_cast<Sampling>(choice(&Options::sampling)),
                         .method = static_cast<Method>(choice(&Options::method)),
                         .scale = static_cast<Scaling>(choice(&Options::scale)),
                         .normalize = static_cast<Normalizing>(choice(&Options::norm)),
                         .class_weight = static_cast<ClassWeight>(choice(&Options::class_weight)),
                         .intercept = value(&Options::intercept) != 0,
                         .settle = value(&Options::settle) == 1,
                         .search = value(&Options::search) != 0,
                         .resumable = value(&Options::resumable) != 0,
                         .epochs = count(&Options::epochs),
                         .seed = static_cast<uint64_t>(count(&Options::seed)),
                         .lambda = find_option("lambda").is_taken_by(learner) ? value(&Options::lambda) : 0,
                         .step_offset = value(&Options::step_offset),
                         .average_power = value(&Options::average_power),
                         .implicit_above = value(&Options::implicit_above),
                         .gamma0 = value(&Options::gamma0),
                         .decay = value(&Options::decay),
                         .decay_rate = value(&Options::decay_rate),
                         .average_start = value(&Options::average_start),
                         .eta0 = value(&Options::eta0),
                         .power = value(&Options::power),
                         .gravity = value(&Options::gravity),
                         .threshold = limit(&Options::threshold, infinity),
                         .clip_min = limit(&Options::clip_min, -infinity),
                         .clip_max = limit(&Options::clip_max, infinity),
                         .truncate_every = count(&Options::truncate_every),
                         .l1 = value(&Options::l1)};
    settings.loss_parameter = with_parameter(settings.loss, options).parameter;
    const StrengthTraits& strength = strength_of(learner);
    if (settings.search && is_automatic(options.*strength.asked)) settings.*strength.settled = automatic;
    if (is_automatic(settings.decay)) settings.decay = settings.loss == Loss::squared ? 2.0 / 3 : 0.75;
    if (is_automatic(settings.decay_rate)) settings.decay_rate = settings.lambda;
    if (is_automatic(options.settle)) settings.settle = !settling_refused(settings);
    return settings;
}

Settings settings_for(const Options& options, LearnerKind learner) {
    check_taken(options, learner);
    const Settings settings = settings_of(options, learner);
    check_loss_parameter(options, settings.loss);
    check_lambda(options, learner);
    check_method(settings, options);
    check_steps(settings);
    check_clipping(options);
    check_class_weight(settings);
    check_joint_loss(settings);
    check_settling(settings);
    check_search(settings);
    return settings;
}

void note_settings(const Settings& settings, Options& options) {
    for (const OptionSpec& spec : option_table()) {
        if (spec.field == nullptr || !is_automatic(options.*spec.field)) continue;
        options.*spec.field = spec.default_for(settings.learner);
    }
    each_parameter_but_of(settings.loss,
                          [&](const OptionSpec& spec, const LossTraits&) { options.*spec.field = automatic; });
    if (settings.method == Method::round) options.gravity = automatic;
    options.settle = settings.settle;
    if (find_option("lambda").is_taken_by(settings.learner)) options.lambda = settings.lambda;
    const StrengthTraits& strength = strength_of(settings.learner);
    if (settings.search) options.*strength.asked = settings.*strength.settled;
    if (settings.learner != LearnerKind::onepass) return;
    options.decay = settings.decay;
    options.decay_rate = settings.decay_rate;
}

Origins::Origins(const Options& asked) {
    for (const OptionSpec& spec : option_table())
        if (spec.is_set_in(asked)) set(spec, Origin::given);
}

Origin Origins::of(double Options::*field) const {
    for (const OptionSpec& spec : option_table())
        if (spec.field == field) return of(spec);
    return Origin::automatic;
}

void Origins::set(const OptionSpec& spec, Origin origin) {
    given_ = origin == Origin::given ? given_ | bit(spec) : given_ & ~bit(spec);
}

void Origins::save(Writer& writer) const {
    writer.u32(static_cast<uint32_t>(std::popcount(given_)));
    for (const OptionSpec& spec : option_table()) {
        if (of(spec) == Origin::automatic) continue;
        writer.u8(static_cast<uint8_t>(of(spec)));
        writer.string(spec.name);
    }
}

// In the table's order, each once.
void Origins::load(Reader& reader) {
    Origins all;
    for (uint32_t left = reader.u32(); left > 0; --left) {
        if (reader.u8() != static_cast<uint8_t>(Origin::given)) reader.fail("unknown origin of an option");
        const OptionSpec& spec = find_option(reader.string());
        if (all.given_ >= bit(spec)) reader.fail("options out of order");
        all.set(spec, Origin::given);
    }
    *this = all;
}

size_t Origins::saved_size() const {
    size_t size = sizeof(uint32_t);
    for (const OptionSpec& spec : option_table())
        if (of(spec) != Origin::automatic) size += 1 + 8 + std::string_view(spec.name).size();
    return size;
}

// Later versions may do other things by themselves. A model goes on with what it had, so all of that has to be there.
static void check_complete(const Options& options, const Settings& settings, Memory memory) {
    Options all(memory);
    note_settings(settings, all);
    for (const OptionSpec& spec : option_table())
        if (spec.is_set_in(all) && !spec.is_set_in(options))
            throw Error(Fault::bad_binary, "invalid resume state of a model: it does not say %s", spec.name)
                .hint("The value was damaged on its way; take it from its source again.");
}

static bool needs_all_rows(const Settings& settings) {
    return settings.scale != Scaling::none || settings.class_weight != ClassWeight::none;
}

// A loss for classes takes labels of any kind, but one of all classes together, and classes that have names, text
// alone.
static void check_named_classes(const Settings& settings, const Options& options, LabelKind labels) {
    if (labels == LabelKind::text) {
        if (is_classification(settings.loss)) return;
        throw Error(Fault::mismatch, "loss %s needs labels that are numbers, not text", name_of(settings.loss))
            .hint("For classes choose loss %s; a number in text is label::float8.", names_of_class_losses().c_str());
    }
    if (traits_of(settings.loss).joint)
        throw Error(Fault::mismatch, "loss %s needs labels of type text", name_of(settings.loss))
            .hint("Write label::text; for two classes that are numbers or boolean choose loss logistic.");
    if (!options.classes.empty())
        throw Error(Fault::mismatch, "option \"classes\" is for labels of type text")
            .hint("Write label::text, or leave classes out.");
}

// Of a call that goes on from a model, it has been chosen.
static void check_nothing_to_search(const Settings& settings, const Options& options, bool streams) {
    if (!settings.search) return;
    const StrengthTraits& strength = strength_of(settings.learner);
    if (!is_automatic(options.*strength.asked))
        throw Error(Fault::bad_value, "option \"search\" would choose %s, which is given", strength.option)
            .hint("Leave out %s to have it chosen, or search to learn with the one that is given.", strength.option);
    if (streams)
        throw Error(Fault::bad_value, "option \"search\" needs all rows, and these are learned from as they arrive")
            .hint("Have them kept, with sampling => 'shuffle' or more epochs, or leave search out.");
}

Request::Request(const Kind& kind, Memory memory, StopSign stop)
    : text(kind.options, memory),
      options(parse_options(text, memory, stop)),
      settings(settings_for(options, kind.learner)),
      origins(kind.origins.value_or(Origins(options))),
      origins_of_model(kind.origins),
      labels(kind.labels),
      finds_centre(traits_of(kind.learner).centres && !options.has_center),
      streams(settings.epochs == 1 && settings.sampling == Sampling::sequential && !finds_centre &&
              !needs_all_rows(settings)),
      finds_lambda(is_automatic(settings.lambda)),
      watches_scale(origins.of(&Options::scale) == Origin::automatic) {
    if (kind.origins) check_complete(options, settings, memory);
    if (!kind.origins) check_nothing_to_search(settings, options, streams);
    check_named_classes(settings, options, labels);
    if (streams) settings.settle = false;
    if (streams && finds_lambda) {
        throw Error(Fault::bad_value, "lambda must be given when rows are learned from as they arrive")
            .hint(
                "Give lambda, for example sparselin_options(lambda => 1e-5, epochs => 1, sampling => 'sequential'). "
                "It is 1/rows by itself only where rows are kept, as with sampling => 'shuffle' or more epochs.");
    }
    if (streams && options.settle == 1)
        throw Error(Fault::bad_value, "a model of rows that are learned from as they arrive cannot be settled")
            .hint("Leave settle out, or have rows kept, as with sampling => 'shuffle' or more epochs.");
}

Options Request::options_with(const Settings& its, Memory memory, StopSign stop) const {
    Options all = parse_options(text, memory, stop);
    note_settings(its, all);
    return all;
}

String Request::all_settings(Memory memory, StopSign stop) const {
    return print_options(options_with(settings, memory, stop), memory, stop);
}

}  // namespace sparselin
