#include "train/train_reference.h"

#include "train/train_bytes.h"

#include "wall/aggregate.h"

extern "C" {
#include "access/parallel.h"
#include "utils/expandeddatum.h"
}

namespace sparselin {

namespace {

// A value that is flattened into bytes when they are wanted.
struct Reference {
    ExpandedObjectHeader header;
    TrainState* state;
    StateBytes bytes;
};

Reference* reference_at(ExpandedObjectHeader* header) {
    return reinterpret_cast<Reference*>(header);
}

Size flat_size(ExpandedObjectHeader* header) {
    Reference* const reference = reference_at(header);
    refuse_ended(reference->state);
    const MemoryContext caller = MemoryContextSwitchTo(header->eoh_context);
    reference->bytes = bytes_of(reference->state);
    MemoryContextSwitchTo(caller);
    return VARHDRSZ + reference->bytes.size;
}

void flatten(ExpandedObjectHeader* header, void* target, Size size) {
    const Reference* const reference = reference_at(header);
    SET_VARSIZE(target, size);
    write_bytes(reference->state, reference->bytes, VARDATA(target));
}

constexpr ExpandedObjectMethods methods = {flat_size, flatten};

}  // namespace

void refuse_ended(const TrainState* state) {
    if (!state->ended) return;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("what a %s has learned was asked for a second time, and is not there any more", whose_part()),
             errhint("Set %s.", setting_against_parts())));
}

bool stays_in_process(FunctionCallInfo fcinfo) {
    const AggState* const node = serializing_node(fcinfo);
    return node != nullptr && !IsParallelWorker() &&
           reinterpret_cast<const Agg*>(node->ss.ps.plan)->aggstrategy == AGG_PLAIN;
}

// The executor copies a tuple more than once on its way, and with it what an expanded value stands for; of what a
// pointer leads to, only the pointer.
Datum reference_to(TrainState* state, MemoryContext aggregate) {
    auto* const reference = static_cast<Reference*>(MemoryContextAllocZero(aggregate, sizeof(Reference)));
    EOH_init_header(&reference->header, &methods, aggregate);
    reference->state = state;
    const varatt_indirect pointer = {reinterpret_cast<varlena*>(reference->header.eoh_ro_ptr)};
    char* const value = static_cast<char*>(palloc(VARHDRSZ_EXTERNAL + sizeof pointer));
    SET_VARTAG_EXTERNAL(value, VARTAG_INDIRECT);
    memcpy(VARDATA_EXTERNAL(value), &pointer, sizeof pointer);
    state->handed_over = true;
    return PointerGetDatum(value);
}

TrainState* referred_state(Datum value) {
    if (!VARATT_IS_EXTERNAL_INDIRECT(DatumGetPointer(value))) return nullptr;
    varatt_indirect pointer;
    memcpy(&pointer, VARDATA_EXTERNAL(DatumGetPointer(value)), sizeof pointer);
    if (!VARATT_IS_EXTERNAL_EXPANDED(pointer.pointer)) return nullptr;
    ExpandedObjectHeader* const header = DatumGetEOHP(PointerGetDatum(pointer.pointer));
    if (header->eoh_methods != &methods) return nullptr;
    TrainState* const state = reference_at(header)->state;
    refuse_ended(state);
    return state;
}

}  // namespace sparselin
