// What a call asks for: its options, read and settled once, and what follows from them alone.
#pragma once

#include "options/origins.h"
#include "options/settings.h"

#include <optional>

namespace sparselin {

class Asked {
public:
    // `options` is the canonical text; what it leaves open is up to the learner. `boolean`: how labels are written.
    struct Kind {
        LearnerKind learner;
        std::string_view options;
        bool boolean;
        // Of a call that goes on from a model: the options are all settings that it had, whatever a learner does by
        // itself today, and this says which of them were given.
        std::optional<Origins> origins{};
    };

    Asked(const Kind& kind, Memory memory, StopSign stop);

    // Whether another call asks for the same.
    bool is_for(const Kind& kind) const {
        return kind.learner == settings.learner && kind.options == text && kind.boolean == boolean &&
               kind.origins == origins_of_model;
    }

    // The options with what the rows, or the defaults, have made of those that were left open.
    Options settled_options(const Settings& settled, Memory memory, StopSign stop) const;

    // All of them as text, as they were before there were rows.
    String all_settings(Memory memory, StopSign stop) const;

    String text;  // of the options
    Options options;
    Settings settings;
    Origins origins;
    std::optional<Origins> origins_of_model;  // where a call goes on from one
    bool boolean;

    bool finds_centre;   // the mean of the rows
    bool streams;        // rows are learned from as they come
    bool finds_lambda;   // 1/rows
    bool watches_scale;  // nothing was said about it
};

}  // namespace sparselin
