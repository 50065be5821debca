// Training in several processes: how the state of a training aggregate goes from one to another, and how two become
// one.
//
// Serialized: the bytes of Training::save, then the blocks of rows that nobody has learned from yet, each with its
// length in front. Rows are copied once into these bytes and once out of them, whole blocks at a time.
#include "../learn/codec.h"
#include "guard.h"
#include "parameters.h"
#include "train_state.h"
#include "varlena.h"

#include "aggregate.h"

extern "C" {
#include "access/xact.h"
}

namespace sparselin {

namespace {

TrainState* get_state(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? nullptr : reinterpret_cast<TrainState*>(PG_GETARG_POINTER(argument));
}

// Said once for each statement: a plan may have this in many places, one for each partition.
void warn_of_learning_alone(const TrainState* state) {
    static TimestampTz said;
    if (said == GetCurrentStatementStartTimestamp()) return;
    said = GetCurrentStatementStartTimestamp();
    ereport(WARNING,
            (errmsg("a process learns from its %lld rows alone, since they take %zu kB",
                    static_cast<long long>(state->training.store().rows()), state->training.store().bytes() / 1024),
             errdetail("The model will be the mean of those of several processes, which is less accurate."),
             errhint("Raise sparselin.max_shipped_state (%d kB), or set max_parallel_workers_per_gather to 0.",
                     max_shipped_state)));
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

// All that is not rows, in the current context.
std::span<const char> head_of(const Training& training) {
    return guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        Vector<char> bytes(&memory);
        Writer writer(bytes, server_stop());
        training.save(writer, server_stop());
        const size_t size = bytes.size();
        return std::span<const char>(release(std::move(bytes)), size);
    });
}

Size size_of_rows(const RowStore& store) {
    Size size = 0;
    for (const Block& block : store.blocks())
        if (block.used > 0) size += sizeof(uint64) + block.used;
    return size;
}

void refuse_too_large(Size size) {
    if (size <= MaxAllocSize - VARHDRSZ) return;
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("what a parallel process has learned takes %zu MB, more than can be shipped", size >> 20),
                    errhint("Set max_parallel_workers_per_gather to 0.")));
}

// A part that came from another process, to be taken in before the bytes go away.
TrainState* read_part(std::span<const char> bytes) {
    void* place = palloc(sizeof(TrainState));
    return guarded([&] {
        Reader reader(bytes, "state of a training aggregate", server_stop());
        const Training::Kind kind = Training::read_kind(reader);
        auto* state =
            new (place) TrainState(CurrentMemoryContext, kind.learner, kind.options, kind.boolean, server_stop());
        state->training.load(reader, false, server_stop());
        state->shipped_rows = reader.take(reader.left());
        return state;
    });
}

void take_shipped_rows(FunctionCallInfo fcinfo, TrainState* state, const TrainState* part) {
    std::span<const char> rows = part->shipped_rows;
    int64 missing = part->training.rows_to_come() + state->training.store().rows();
    while (!rows.empty()) {
        CHECK_FOR_INTERRUPTS();
        const std::span<const char> block = guarded([&] {
            Reader reader(rows, "state of a training aggregate", server_stop());
            return reader.bytes();
        });
        take_block(fcinfo, state, block);
        rows = rows.subspan(sizeof(uint64) + block.size());
    }
    missing -= state->training.store().rows();
    if (missing == 0) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                    errmsg("invalid binary state of a training aggregate: %lld rows are missing",
                           static_cast<long long>(missing)),
                    errhint("The value was damaged on its way; take it from its source again.")));
}

// Of a part in this process.
void take_rows_of(FunctionCallInfo fcinfo, TrainState* state, const TrainState* part) {
    for (const Block& block : part->training.store().blocks()) {
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        char* rows = static_cast<char*>(MemoryContextAllocHuge(CurrentMemoryContext, block.used));
        write_block(part, block, rows);
        take_block(fcinfo, state, {rows, block.used});
        pfree(rows);
    }
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_train_serialize) {
    aggregate_context(fcinfo);
    TrainState* state = get_state(fcinfo, 0);
    learn_alone_if_too_large(state);
    const RowStore& store = state->training.store();
    const std::span<const char> head = head_of(state->training);
    const Size size = head.size() + size_of_rows(store);
    refuse_too_large(size);
    auto* bytes = static_cast<bytea*>(palloc(VARHDRSZ + size));
    SET_VARSIZE(bytes, VARHDRSZ + size);
    char* at = VARDATA(bytes);
    memcpy(at, head.data(), head.size());
    at += head.size();
    for (const Block& block : store.blocks()) {
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        store_little<uint64_t>(at, block.used);
        write_block(state, block, at + sizeof(uint64));
        at += sizeof(uint64) + block.used;
    }
    PG_RETURN_BYTEA_P(bytes);
}

SPARSELIN_FUNCTION(sparselin_train_deserialize) {
    aggregate_context(fcinfo);
    varlena* bytes = PG_GETARG_VARLENA_PP(0);
    PG_RETURN_POINTER(read_part({VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)}));
}

// The right side does not live long: all that is taken from it is copied.
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
    take_shipped_rows(fcinfo, left, right);
    take_rows_of(fcinfo, left, right);
    PG_RETURN_POINTER(left);
}

}  // namespace sparselin
