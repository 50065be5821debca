// The transition state of sparselin_evaluate: what has been counted, and where scores go when memory runs out.
#pragma once

#include "wall/spill.h"
#include "learn/apply/evaluation.h"
#include "learn/apply/ordered_scores.h"
#include "apply/judged_model.h"

namespace sparselin {

// Abandoned together with its memory context.
class EvaluateState {
public:
    EvaluateState(MemoryContext aggregate, const Subject& subject, LabelKind labels)
        : memory(aggregate), evaluation(subject, labels, &memory) {}

    ContextMemory memory;
    JudgedModel model;
    text* loss = nullptr;  // as it was given, where scores are judged
    SpillFile* file = nullptr;
    std::span<const char> shipped;  // scores of a part that was serialized: they lie in its bytes
    Evaluation evaluation;
};

// What follows belongs to the C zone.

// Has scores written out when `bytes` more for a stack would be too many in memory.
void spill_for(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack, Size bytes);

// All scores in their order, to be given; more rows may come after it. Lives in the current context.
OrderedScores* scores_in_order(FunctionCallInfo fcinfo, EvaluateState* state);

// Gives scores until `take` says no, or there are no more: then true.
template <typename Take>
bool give_scores(EvaluateState* state, OrderedScores* ordered, Take take) {
    for (;;) {
        if (guarded<Again::the_rest>([=] { return ordered->give(take, server_stop()); })) return true;
        if (!ordered->is_waiting()) return false;
        CHECK_FOR_INTERRUPTS();
        // Chunks are far smaller than the gap between two segments in a position, and a seek goes on to the next one.
        const OrderedScores::Wanted& wanted = ordered->wanted();
        read_spilled(state->file, wanted.position + static_cast<int64>(wanted.beyond), wanted.target, wanted.size);
    }
}

// All of them, to what takes them one by one.
template <typename Taker>
void give_all_scores(FunctionCallInfo fcinfo, EvaluateState* state, Taker* taker) {
    give_scores(state, scores_in_order(fcinfo, state),
                [=](Stack stack, uint64 order, double weight) { return taker->take(stack, order, weight); });
}

}  // namespace sparselin
