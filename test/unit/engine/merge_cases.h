// Rows, and calls that stream, for tests of states that merge.
#pragma once

#include "support/generated_rows.h"
#include "support/training_parts.h"

namespace merge_cases {

using sparselin::LearnerKind;
using sparselin::Loss;

constexpr Loss every_loss[] = {Loss::logistic, Loss::hinge, Loss::squared_hinge, Loss::squared,
                               Loss::absolute, Loss::huber, Loss::quantile};

inline std::vector<dense::Row> some_rows(uint64_t seed, size_t count, Loss loss, int dimension = 13) {
    generated::Recipe recipe;
    recipe.seed = seed;
    recipe.rows = count;
    recipe.dimension = dimension;
    recipe.weighted = true;
    recipe.empty_rows = true;
    recipe.regression = !is_classification(loss);
    return generated::rows(recipe);
}

inline std::string streaming(Loss loss, const std::string& more = "") {
    return std::string("loss=") + name_of(loss) + " epochs=1 sampling=sequential " + more;
}

// Options of each learner that streams: all (step_offset, average_power), with and without an intercept and so on.
inline std::vector<std::pair<LearnerKind, std::string>> streaming_calls(Loss loss = Loss::logistic) {
    // Without an offset the paper's first steps are too long for slopes that grow.
    const std::string lambda = loss == Loss::squared || loss == Loss::squared_hinge ? "3" : "0.01";
    std::vector<std::pair<LearnerKind, std::string>> calls;
    for (const char* intercept : {"true", "false"}) {
        const std::string with = std::string(" intercept=") + intercept;
        for (const char* offset : {"0", "50", "auto"}) {
            const std::string last = "lambda=" + lambda + " step_offset=" + offset + with;
            calls.emplace_back(LearnerKind::sgd, last);
            for (const char* power : {"0", "1", "2", "2.5"}) {
                const std::string dekel = last + " average_power=" + power;
                calls.emplace_back(LearnerKind::asgd, dekel);
                calls.emplace_back(LearnerKind::casgd, dekel + " center={1:0.5,3:-0.25,13:1}");
            }
        }
        for (const char* start : {"auto", "0", "900", "5000"})
            calls.emplace_back(LearnerKind::onepass, "lambda=0.001 average_start=" + std::string(start) + with);
        calls.emplace_back(LearnerKind::onepass, "lambda=0.001 gamma0=0.05 average_start=auto" + with);
        calls.emplace_back(LearnerKind::truncated, "eta0=0.1 gravity=0.001 threshold=0.5" + with);
        calls.emplace_back(LearnerKind::truncated, "eta0=0.1 method=round threshold=0.01" + with);
        for (const char* method : {"sgd", "fobos"})
            calls.emplace_back(LearnerKind::elasticnet,
                               "eta0=0.1 lambda=0.001 l1=0.001 method=" + std::string(method) + with);
    }
    return calls;
}

inline std::string said(LearnerKind learner, const std::string& options) {
    return std::string(name_of(learner)) + " " + options;
}

}  // namespace merge_cases
