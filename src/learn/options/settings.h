// What a learner works with: the options that were given, and its defaults for the others.
#pragma once

#include "options/options.h"

namespace sparselin {

// Numbers that the rows decide may still be automatic.
struct Settings {
    LearnerKind learner;
    Loss loss;
    Sampling sampling;
    Method method;
    Scaling scale;
    ClassWeight class_weight;
    bool intercept;
    bool resumable;
    int64_t epochs;
    uint64_t seed;
    double lambda;                                    // 0 for truncated, which has none
    double step_offset, average_power;                // sgd (the offset only), asgd, casgd
    double gamma0, decay, decay_rate, average_start;  // onepass
    double eta0, power;                               // truncated, elasticnet
    double gravity, threshold, clip_min, clip_max;    // truncated; without a limit: infinite
    int64_t truncate_every;
    double l1;  // elasticnet
};

// An Error when an option is set that this learner does not have, or when options do not go together.
Settings settle(const Options& options, LearnerKind learner);

// The options that make these settings, as far as they are known; a given centre stays.
void note_settings(const Settings& settings, Options& options);

}  // namespace sparselin
