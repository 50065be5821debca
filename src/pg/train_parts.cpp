// Training in several processes: how the state of a training aggregate goes from one to another, and how two become
// one.
//
// Serialized: the bytes of Training::save, zeros up to where a row may lie, and the rows that nobody has learned from
// yet, as they lie in their blocks. They are copied into these bytes whole blocks at a time, and, where they came from
// another process, once out of them.
#include "../learn/codec.h"
#include "guard.h"
#include "parameters.h"
#include "train_state.h"
#include "varlena.h"

#include "aggregate.h"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
#include "nodes/execnodes.h"
}

namespace sparselin {

namespace {

TrainState* get_state(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? nullptr : reinterpret_cast<TrainState*>(PG_GETARG_POINTER(argument));
}

// A plan may have parts in many places, one for each partition; what is said of them is said once for each statement.
bool first_in_statement(TimestampTz& said) {
    if (said == GetCurrentStatementStartTimestamp()) return false;
    said = GetCurrentStatementStartTimestamp();
    return true;
}

// What there are parts for: processes, or partitions.
const char* whose_part() {
    return IsInParallelMode() ? "process" : "partition";
}

const char* setting_against_parts() {
    return IsInParallelMode() ? "max_parallel_workers_per_gather to 0" : "enable_partitionwise_aggregate to off";
}

void warn_of_learning_alone(const TrainState* state) {
    static TimestampTz said;
    if (!first_in_statement(said)) return;
    ereport(WARNING, (errmsg("the %lld rows of a %s are learned from alone, since they take %zu kB",
                             static_cast<long long>(state->training.store().rows()), whose_part(),
                             state->training.store().bytes() / 1024),
                      errdetail("The model will be the mean of those of several parts, which is less accurate."),
                      errhint("Raise sparselin.max_shipped_state (%d kB), or set %s.", max_shipped_state,
                              setting_against_parts())));
}

// Ranges are not shipped: what has learned already says itself what it saw.
void notice_scale_gap_of_part(FunctionCallInfo fcinfo, const Training& part) {
    static TimestampTz said;
    if (part.scale_gap().is_wide() && first_in_statement(said)) notice_scale_gap(fcinfo, part);
}

// Rows that a streaming call holds back are few, and wait for more.
void learn_alone_if_too_large(TrainState* state) {
    const bool small = state->training.store().bytes() / 1024 <= static_cast<Size>(max_shipped_state);
    if (small || state->training.streams()) return;
    warn_of_learning_alone(state);
    guarded([&] { state->training.end_rows_of_part(); });
    work_off(state);
}

// The rows of a block as they travel, from memory or from the file.
void write_block(const TrainState* state, const Block& block, char* target) {
    if (block.in_memory()) {
        memcpy(target, block.data, block.used);
    } else {
        read_spilled(state->file, block.position, target, block.used);
    }
    to_little_endian(std::span(target, block.used));
}

// Whether a row may lie after so many bytes of a serialized state.
bool is_place_for_rows(Size bytes) {
    return (VARHDRSZ + bytes) % alignof(PackedRow) == 0;
}

// All that is not rows, in the current context.
std::span<const char> head_of(const Training& training) {
    return guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        Vector<char> bytes(&memory);
        Writer writer(bytes, server_stop());
        training.save(writer, server_stop());
        while (!is_place_for_rows(bytes.size())) writer.u8(0);
        const size_t size = bytes.size();
        return std::span<const char>(release(std::move(bytes)), size);
    });
}

void refuse_too_large(Size size) {
    if (size <= MaxAllocSize - VARHDRSZ) return;
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("what a %s has learned takes %zu MB, more than can be shipped", whose_part(), size >> 20),
                    errhint("Set %s.", setting_against_parts())));
}

// A part as it was serialized, to be taken in before the bytes go away.
TrainState* read_part(std::span<const char> bytes, bool rows_last) {
    void* place = palloc(sizeof(TrainState));
    return guarded([&] {
        Reader reader(bytes, "state of a training aggregate", server_stop());
        const Training::Kind kind = Training::read_kind(reader);
        auto* state = new (place) TrainState(CurrentMemoryContext, kind, server_stop());
        state->training.load(reader, false, server_stop());
        while (!is_place_for_rows(bytes.size() - reader.left()))
            if (reader.u8() != 0) reader.fail("no zeros before the rows");
        state->shipped_rows = reader.take(reader.left());
        state->rows_last = rows_last;
        return state;
    });
}

void take_shipped_rows(FunctionCallInfo fcinfo, TrainState* state, const TrainState* part) {
    const int64 before = state->training.store().rows();
    take_rows(fcinfo, state, part->shipped_rows, part->rows_last);
    const int64 missing = before + part->training.rows_to_come() - state->training.store().rows();
    if (missing == 0) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                    errmsg("invalid binary state of a training aggregate: %lld rows are missing",
                           static_cast<long long>(missing)),
                    errhint("The value was damaged on its way; take it from its source again.")));
}

// Of a part in this process.
void take_rows_here(FunctionCallInfo fcinfo, TrainState* state, const TrainState* part) {
    for (const Block& block : part->training.store().blocks()) {
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        char* rows = static_cast<char*>(MemoryContextAllocHuge(CurrentMemoryContext, block.used));
        write_block(part, block, rows);
        take_rows(fcinfo, state, {rows, block.used}, false);
        pfree(rows);
    }
}

// Whether the part will be put together with others by this very process, and lives until then: a plan's own share of
// the rows, beside its workers'. A node of groups may free the memory of one group before another is done.
bool stays_in_process(FunctionCallInfo fcinfo) {
    if (IsParallelWorker() || !IsA(fcinfo->context, AggState)) return false;
    const auto* node = reinterpret_cast<const AggState*>(fcinfo->context);
    return reinterpret_cast<const Agg*>(node->ss.ps.plan)->aggstrategy == AGG_PLAIN;
}

// Stands for the bytes, as all that takes apart a varlena understands. The executor copies a tuple more than once on
// its way; this makes such a copy a few bytes.
Datum pointer_to(varlena* bytes) {
    const varatt_indirect pointer = {bytes};
    char* stand_in = static_cast<char*>(palloc(VARHDRSZ_EXTERNAL + sizeof pointer));
    SET_VARTAG_EXTERNAL(stand_in, VARTAG_INDIRECT);
    memcpy(VARDATA_EXTERNAL(stand_in), &pointer, sizeof pointer);
    return PointerGetDatum(stand_in);
}

// Detoasting would copy them.
varlena* pointee(Datum stand_in) {
    varatt_indirect pointer;
    memcpy(&pointer, VARDATA_EXTERNAL(DatumGetPointer(stand_in)), sizeof pointer);
    return pointer.pointer;
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_train_serialize) {
    const MemoryContext context = aggregate_context(fcinfo);
    const bool stays = stays_in_process(fcinfo);
    TrainState* state = get_state(fcinfo, 0);
    learn_alone_if_too_large(state);
    notice_scale_gap_of_part(fcinfo, state->training);
    const RowStore& store = state->training.store();
    const std::span<const char> head = head_of(state->training);
    const Size size = head.size() + store.bytes();
    refuse_too_large(size);
    auto* bytes = static_cast<bytea*>(MemoryContextAlloc(stays ? context : CurrentMemoryContext, VARHDRSZ + size));
    advise_large_pages(bytes, VARHDRSZ + size);
    SET_VARSIZE(bytes, VARHDRSZ + size);
    char* at = VARDATA(bytes);
    memcpy(at, head.data(), head.size());
    at += head.size();
    for (const Block& block : store.blocks()) {
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        write_block(state, block, at);
        at += block.used;
    }
    return stays ? pointer_to(bytes) : PointerGetDatum(bytes);
}

SPARSELIN_FUNCTION(sparselin_train_deserialize) {
    aggregate_context(fcinfo);
    const Datum value = PG_GETARG_DATUM(0);
    const bool stayed = VARATT_IS_EXTERNAL_INDIRECT(DatumGetPointer(value));
    const varlena* bytes = stayed ? pointee(value) : PG_DETOAST_DATUM_PACKED(value);
    PG_RETURN_POINTER(read_part({VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)}, stayed));
}

// The right side does not live long: what is taken from it is copied, but for rows that are known to last.
SPARSELIN_FUNCTION(sparselin_train_combine) {
    const MemoryContext context = aggregate_context(fcinfo);
    TrainState* left = get_state(fcinfo, 0);
    const TrainState* right = get_state(fcinfo, 1);
    if (right == nullptr) {
        if (left == nullptr) PG_RETURN_NULL();
        PG_RETURN_POINTER(left);
    }
    const Training& part = right->training;
    if (left == nullptr) left = start_training(context, part.learner(), part.options(), part.is_boolean());
    guarded([&] { left->training.absorb(part, server_stop()); });
    left->scale_told |= part.rows_to_come() + part.store().rows() < part.learned_rows();
    take_shipped_rows(fcinfo, left, right);
    take_rows_here(fcinfo, left, right);
    PG_RETURN_POINTER(left);
}

}  // namespace sparselin
