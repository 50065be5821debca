#include <string_view>

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

// The node that has serialized last; nullptr when its bytes are freed.
const AggState* last_serializer;

void forget(void* node) {
    if (last_serializer == node) last_serializer = nullptr;
}

// Whether the plan has taken all bytes of the node. A hash table's node is done when it was asked for more than it
// had; one without groups when it has given its only tuple, which the plan takes before another node's. Of groups that
// come in order nobody can say it: the node that merges them holds one of each.
bool is_done(const AggState* node) {
    return node->agg_done && (node->aggstrategy == AGG_HASHED || node->aggstrategy == AGG_PLAIN);
}

}  // namespace

// Citus says so itself, from 11 on.
bool on_citus_worker() {
    constexpr std::string_view sign = "citus_internal";
    return application_name != nullptr && std::string_view(application_name).starts_with(sign);
}

const AggState* serializing_node(FunctionCallInfo fcinfo) {
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return nullptr;
    const auto* const node = reinterpret_cast<const AggState*>(fcinfo->context);
    for (int i = 0; i < node->numtrans; ++i)
        if (node->pertrans[i].serialfn_fcinfo == fcinfo) return node;
    return nullptr;
}

bool place_lasts(FunctionCallInfo fcinfo) {
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return false;
    const auto* const node = reinterpret_cast<const AggState*>(fcinfo->context);
    for (int i = 0; i < node->numaggs; ++i)
        if (&node->peragg[i].finalfn == fcinfo->flinfo) return true;
    return false;
}

bool must_stay(FunctionCallInfo fcinfo) {
    if (!may_be_finished_again(fcinfo)) return false;
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return true;
    const auto& node = reinterpret_cast<const AggState*>(fcinfo->context)->ss.ps;
    const PlannedStmt* query = node.state->es_plannedstmt;
    return query == nullptr || !runs_once(node.plan, query->planTree);
}

void free_bytes_of_node_before(const AggState* node) {
    if (last_serializer == node) return;
    if (last_serializer != nullptr && is_done(last_serializer)) ResetExprContext(last_serializer->ss.ps.ps_ExprContext);
    at_reset(node->ss.ps.ps_ExprContext->ecxt_per_tuple_memory, forget, node);
    last_serializer = node;
}

}  // namespace sparselin
