// The transition state of sparselin_evaluate: what has been counted, and where scores go when memory runs out.
#pragma once

#include "wall/spill.h"
#include "learn/apply/evaluation.h"
#include "apply/judged_model.h"

namespace sparselin {

// Abandoned together with its memory context.
class EvaluateState {
public:
    EvaluateState(MemoryContext aggregate, const Subject& subject, LabelKind labels)
        : memory(aggregate), evaluation(subject, labels, &memory) {}

    ContextMemory memory;
    JudgedModel model;
    SpillFile* file = nullptr;
    std::span<const char> shipped;  // scores of a part that was serialized: they lie in its bytes
    Evaluation evaluation;
};

// What follows belongs to the C zone.

// Has scores written out when `bytes` more for a stack would be too many in memory.
void spill_for(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack, Size bytes);

// The area under the ROC curve; NaN where there are not two classes. More rows may come after it.
double area_of(FunctionCallInfo fcinfo, EvaluateState* state);

}  // namespace sparselin
