#include "wall/guard.h"

#include "wall/aggregate.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace sparselin {

namespace {

// Whether the node is in this plan, and nothing above it goes through it more than once.
bool runs_once(const Plan* node, const Plan* plan);

bool one_runs_once(const Plan* node, List* plans) {
    ListCell* cell;
    foreach (cell, plans)
        if (runs_once(node, static_cast<const Plan*>(lfirst(cell)))) return true;
    return false;
}

bool runs_once(const Plan* node, const Plan* plan) {
    if (plan == nullptr) return false;
    if (plan == node) return true;
    check_stack_depth();
    switch (nodeTag(plan)) {
        case T_NestLoop:
        case T_RecursiveUnion: return runs_once(node, plan->lefttree);
        case T_CustomScan: return false;
        case T_Append: return one_runs_once(node, reinterpret_cast<const Append*>(plan)->appendplans);
        case T_MergeAppend: return one_runs_once(node, reinterpret_cast<const MergeAppend*>(plan)->mergeplans);
        case T_SubqueryScan: return runs_once(node, reinterpret_cast<const SubqueryScan*>(plan)->subplan);
        case T_ModifyTable: return runs_once(node, plan->lefttree) || one_runs_once(node, plans_to_write_from(plan));
        default: return runs_once(node, plan->lefttree) || runs_once(node, plan->righttree);
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
    const auto& node = reinterpret_cast<const AggState*>(fcinfo->context)->ss.ps;
    const PlannedStmt* query = node.state->es_plannedstmt;
    return query == nullptr || !runs_once(node.plan, query->planTree);
}

}  // namespace sparselin
