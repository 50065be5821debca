// What is to know of each learner besides its formulas, a line each. Whoever asks what one is like asks here; nothing
// hangs on the order of the lines but the numbers that are stored in models.
#pragma once

#include "base/spelling.h"
#include "options/losses.h"

namespace sparselin {

enum class LearnerKind : uint8_t { sgd, asgd, casgd, onepass, truncated, elasticnet };

// What the rows are looked through for, where it is not given, before the first step.
enum class StepSurvey : uint8_t { none, offset, first_step };

struct LearnerTraits {
    LearnerKind learner;
    const char* name;
    StepSurvey step_survey;
    double least_lambda;
    bool centres;  // learns on features whose mean it takes away
};

// Below this, the reciprocals and products that Dekel's learners make of lambda leave the range of double.
constexpr double least_dekel_lambda = 1e-100;

constexpr auto learner_table = std::to_array<LearnerTraits>({
    {LearnerKind::sgd, "sgd", StepSurvey::offset, least_dekel_lambda, false},
    {LearnerKind::asgd, "asgd", StepSurvey::offset, least_dekel_lambda, false},
    {LearnerKind::casgd, "casgd", StepSurvey::offset, least_dekel_lambda, true},
    {LearnerKind::onepass, "onepass", StepSurvey::first_step, 0, false},
    {LearnerKind::truncated, "truncated", StepSurvey::none, 0, false},
    {LearnerKind::elasticnet, "elasticnet", StepSurvey::none, 0, false},
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

}  // namespace sparselin
