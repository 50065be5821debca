#include "wall/guard.h"

#include "wall/aggregate.h"

extern "C" {
#include "executor/nodeAgg.h"
#include "nodes/plannodes.h"
}

namespace sparselin {

namespace {

// Whether something in the plan goes through what is below it more than once.
bool repeats(const Plan* plan);

bool any_repeats(List* plans) {
    ListCell* cell;
    foreach (cell, plans)
        if (repeats(static_cast<const Plan*>(lfirst(cell)))) return true;
    return false;
}

bool repeats(const Plan* plan) {
    if (plan == nullptr) return false;
    check_stack_depth();
    switch (nodeTag(plan)) {
        case T_NestLoop:
        case T_RecursiveUnion:
        case T_CustomScan: return true;
        case T_Append: return any_repeats(reinterpret_cast<const Append*>(plan)->appendplans);
        case T_MergeAppend: return any_repeats(reinterpret_cast<const MergeAppend*>(plan)->mergeplans);
        case T_SubqueryScan: return repeats(reinterpret_cast<const SubqueryScan*>(plan)->subplan);
        default: return repeats(plan->lefttree) || repeats(plan->righttree);
    }
}

}  // namespace

const AggState* serializing_node(FunctionCallInfo fcinfo) {
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return nullptr;
    const auto* const node = reinterpret_cast<const AggState*>(fcinfo->context);
    for (int i = 0; i < node->numtrans; ++i)
        if (node->pertrans[i].serialfn_fcinfo == fcinfo) return node;
    return nullptr;
}

bool must_stay(FunctionCallInfo fcinfo) {
    if (!may_be_finished_again(fcinfo)) return false;
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return true;
    const EState* executor = reinterpret_cast<const AggState*>(fcinfo->context)->ss.ps.state;
    const PlannedStmt* query = executor->es_plannedstmt;
    return query == nullptr || query->subplans != NIL || repeats(query->planTree);
}

}  // namespace sparselin
