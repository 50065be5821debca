#include "engine/asked.h"

namespace sparselin {

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

Asked::Asked(const Kind& kind, Memory memory, StopSign stop)
    : text(kind.options, memory),
      options(parse_options(text, memory, stop)),
      settings(settle(options, kind.learner)),
      origins(kind.origins.value_or(Origins(options))),
      origins_of_model(kind.origins),
      boolean(kind.boolean),
      finds_centre(traits_of(kind.learner).centres && !options.has_center),
      streams(settings.epochs == 1 && settings.sampling == Sampling::sequential && !finds_centre &&
              !needs_all_rows(settings)),
      finds_lambda(is_automatic(settings.lambda)),
      watches_scale(origins.of(&Options::scale) == Origin::automatic) {
    if (kind.origins) check_complete(options, settings, memory);
    if (streams && finds_lambda) {
        throw Error(Fault::bad_value, "lambda must be given when rows are learned from as they arrive")
            .hint(
                "Give lambda, for example sparselin_options(lambda => 1e-5, epochs => 1, sampling => 'sequential'). "
                "It is 1/rows by itself only where rows are kept, as with sampling => 'shuffle' or more epochs.");
    }
}

Options Asked::settled_options(const Settings& settled, Memory memory, StopSign stop) const {
    Options all = parse_options(text, memory, stop);
    note_settings(settled, all);
    return all;
}

String Asked::all_settings(Memory memory, StopSign stop) const {
    return print_options(settled_options(settings, memory, stop), memory, stop);
}

}  // namespace sparselin
