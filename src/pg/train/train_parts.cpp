// Training in several processes: how the state of a training aggregate goes from one to another, as bytes or within
// this one as a reference, and how two become one.
//
// The bytes are those of Training::save, zeros up to where a row may lie, and the rows that nobody has learned from
// yet, as they lie in their blocks.
//
// A reference is to a part that stays in its process: the rows of a partition, or a plan's own share of them beside its
// workers'. It goes from the node that made it to the one that puts all together, and its rows are handed over block by
// block, so that no more than one part is there twice. To all that takes apart a varlena the reference stands for the
// bytes of the serialized state. They are made when somebody asks: an engine of its own may keep what a partial plan
// gives, or send it somewhere.
#include "learn/base/codec.h"
#include "train/train_state.h"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
#include "utils/expandeddatum.h"
}

using namespace sparselin;

namespace {

// Whether a row may lie after so many bytes of a serialized state.
bool is_place_for_rows(Size bytes) {
    return (VARHDRSZ + bytes) % alignof(PackedRow) == 0;
}

std::span<const char> head_of(const Training& training) {
    return written_bytes([&](Vector<char>& bytes) {
        Writer writer(bytes, server_stop());
        training.save(writer, server_stop());
        while (!is_place_for_rows(bytes.size())) writer.u8(0);
    });
}

// Of each of which there is a part: "process", "shard" or "partition"; and what makes a plan without parts.
const char* whose_part() {
    return IsInParallelMode() ? "process" : on_citus_worker() ? "shard" : "partition";
}

const char* way_without_parts() {
    if (IsInParallelMode()) return "set max_parallel_workers_per_gather to 0";
    if (on_citus_worker()) return "group by the distribution column, and merge the models";
    return "set enable_partitionwise_aggregate to off";
}

// A hint that begins with it.
const char* hint_without_parts() {
    char* const hint = psprintf("%s.", way_without_parts());
    hint[0] = pg_toupper(static_cast<unsigned char>(hint[0]));
    return hint;
}

// Within ereport().
int hint_for_too_large_a_part() {
    return errhint(
        "Raise sparselin.max_shipped_state (%d kB)%s, or %s.", max_shipped_state,
        on_citus_worker() ? " on the workers, with ALTER ROLE or ALTER DATABASE ... SET: they do not hear of SET" : "",
        way_without_parts());
}

struct StateBytes {
    std::span<const char> head;  // all that is not rows, in the context that was current
    Size size;                   // of all
};

// An error where they would be too many.
StateBytes bytes_of(const TrainState* state) {
    const std::span<const char> head = head_of(state->training);
    const Size size = head.size() + state->training.store().bytes();
    if (size > max_value_size)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("what a %s has learned takes %zu MB, more than can be shipped", whose_part(), size >> 20),
                errhint("%s", hint_without_parts()));
    return {head, size};
}

// The rows of one block as they travel, from memory or from the file.
void write_block(const TrainState* state, const Block& block, char* target) {
    copy_block(state->file, block, target);
    rows_to_little_endian(std::span(target, block.used));
}

// Whole blocks at a time.
void write_bytes(const TrainState* state, const StateBytes& bytes, char* target) {
    memcpy(target, bytes.head.data(), bytes.head.size());
    target += bytes.head.size();
    for (const Block& block : state->training.store().blocks()) {
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        write_block(state, block, target);
        target += block.used;
    }
}

// A part as it was serialized, to be taken in before the bytes go away.
TrainState* read_part(std::span<const char> bytes) {
    void* place = palloc(sizeof(TrainState));
    return guarded([&] {
        Reader reader(bytes, "state of a training aggregate", server_stop());
        const Training::Kind kind = Training::read_kind(reader);
        auto* state = new (place) TrainState(CurrentMemoryContext, kind, server_stop());
        state->training.load(reader, false, server_stop());
        while (!is_place_for_rows(bytes.size() - reader.left()))
            if (reader.u8() != 0) reader.fail("no zeros before the rows");
        state->shipped_rows = reader.take(reader.left());
        return state;
    });
}

// An error for a state that is not there any more.
void refuse_ended(const TrainState* state) {
    if (!state->ended) return;
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("what a %s has learned was asked for a second time, and is not there any more", whose_part()),
            errhint("%s", hint_without_parts()));
}

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
    reference->bytes = in_context(header->eoh_context, [=] { return bytes_of(reference->state); });
    return VARHDRSZ + reference->bytes.size;
}

void flatten(ExpandedObjectHeader* header, void* target, Size size) {
    const Reference* const reference = reference_at(header);
    SET_VARSIZE(target, size);
    write_bytes(reference->state, reference->bytes, VARDATA(target));
}

constexpr ExpandedObjectMethods methods = {flat_size, flatten};

// Whether a serialization function was called by a node whose states stay where they are until the plan ends, in the
// process that puts them together. A node of groups may free the memory of one group before another is done.
bool stays_in_process(FunctionCallInfo fcinfo) {
    const AggState* const node = serializing_node(fcinfo);
    return node != nullptr && !IsParallelWorker() &&
           reinterpret_cast<const Agg*>(node->ss.ps.plan)->aggstrategy == AGG_PLAIN;
}

// `aggregate`: the context of the state. The executor copies a tuple more than once on its way, and with it what an
// expanded value stands for; of what a pointer leads to, only the pointer.
Datum reference_to(TrainState* state, MemoryContext aggregate) {
    auto* const reference = zeroed<Reference>(aggregate);
    EOH_init_header(&reference->header, &methods, aggregate);
    reference->state = state;
    const varatt_indirect pointer = {reinterpret_cast<varlena*>(reference->header.eoh_ro_ptr)};
    char* const value = static_cast<char*>(palloc(VARHDRSZ_EXTERNAL + sizeof pointer));
    SET_VARTAG_EXTERNAL(value, VARTAG_INDIRECT);
    memcpy(VARDATA_EXTERNAL(value), &pointer, sizeof pointer);
    state->handed_over = true;
    return PointerGetDatum(value);
}

// nullptr for a value that is no reference.
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

void warn_of_learning_alone(const TrainState* state) {
    static TimestampTz said;
    if (!first_in_statement(said)) return;
    ereport(WARNING,
            errmsg("the %lld rows of a %s are learned from alone, since they take %zu kB",
                   static_cast<long long>(state->training.store().rows()), whose_part(),
                   state->training.store().bytes() / 1024),
            errdetail("The model will be the mean of those of several parts, which is less accurate."),
            hint_for_too_large_a_part());
}

// The ranges of features are not shipped, nor is the order of labels, nor what tells them: a part that has learned from
// its rows gives advice on them itself. A plan may have a part for each partition: once for each statement.
void give_advice_on_part(FunctionCallInfo fcinfo, const Training& part) {
    notice_scale_gap(fcinfo, part);
    notice_sorted_labels(fcinfo, part);
    notice_telltale(fcinfo, part);
}

[[noreturn]] void refuse_to_learn_alone(const TrainState* state) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("the %lld rows of a %s take %zu kB, which is too much to be put together with others",
                   static_cast<long long>(state->training.store().rows()), whose_part(),
                   state->training.store().bytes() / 1024),
            errdetail("Where rows are normalised on a scale, all parts need the same one, and so all rows have to come "
                      "together."),
            hint_for_too_large_a_part());
}

// Rows that a streaming call holds back are few, and wait for more.
void learn_alone_if_too_large(TrainState* state) {
    const bool small = state->training.store().bytes() / 1024 <= static_cast<Size>(max_shipped_state);
    if (small || state->training.streams()) return;
    if (!state->training.can_be_a_mean()) refuse_to_learn_alone(state);
    warn_of_learning_alone(state);
    guarded([&] { state->training.end_rows_of_part(); });
    work_off(state);
}

void take_shipped_rows(FunctionCallInfo fcinfo, TrainState* state, const TrainState* part) {
    const int64 before = state->training.store().rows();
    take_rows(fcinfo, state, part->shipped_rows, false);
    check_all_came("state of a training aggregate", "rows",
                   before + part->training.rows_to_come() - state->training.store().rows());
}

// Of a part in this process. One that was handed over loses each block as soon as it is taken, and then all that is
// left of it.
void take_rows_here(FunctionCallInfo fcinfo, TrainState* state, TrainState* part) {
    RowStore& store = part->training.store();
    for (Size number = 0; number < store.blocks().size(); ++number) {
        const Block& block = store.blocks()[number];
        if (block.used == 0) continue;
        CHECK_FOR_INTERRUPTS();
        if (block.in_memory() && std::endian::native == std::endian::little) {
            take_rows(fcinfo, state, {block.data, block.used}, true);
        } else {
            auto* const copy = static_cast<char*>(MemoryContextAllocHuge(CurrentMemoryContext, block.used));
            write_block(part, block, copy);
            take_rows(fcinfo, state, {copy, block.used}, true);
            pfree(copy);
        }
        if (part->handed_over) store.unload(number);
    }
    if (part->handed_over) end_training(part);
}

// Ends a state that may be serialized again, of which each partition may have some: its bytes stay in the file for
// that. Where the states of the node take little memory, they stay themselves.
void put_away(FunctionCallInfo fcinfo, TrainState* state, const bytea* bytes) {
    constexpr Size little = 16 * 1024;
    if (MemoryContextMemAllocated(state->shared_memory->context, true) <= little) return;
    SpillFile* const file = open_spill_file(fcinfo, state->shared_memory->aggregate);
    state->put_away_size = VARSIZE(bytes) - VARHDRSZ;
    state->put_away_at = spill(file, VARDATA(bytes), state->put_away_size);
    end_training(state);
    state->file = file;
}

bytea* bytes_put_away(const TrainState* state) {
    if (state->put_away_at < 0) refuse_ended(state);
    bytea* const bytes = new_bytes(state->put_away_size);
    read_spilled(state->file, state->put_away_at, VARDATA(bytes), state->put_away_size);
    return bytes;
}

// Before a part goes to where all are put together: learns from rows that are too many to be shipped, and gives advice
// on rows that are not seen there.
void finish_part(FunctionCallInfo fcinfo, TrainState* state) {
    learn_alone_if_too_large(state);
    give_advice_on_part(fcinfo, state->training);
}

bytea* bytes_to_ship(FunctionCallInfo fcinfo, TrainState* state) {
    const AggState* const node = serializing_node(fcinfo);
    if (node != nullptr) free_bytes_of_node_before(node);
    if (state->ended) return bytes_put_away(state);
    finish_part(fcinfo, state);
    const StateBytes contents = bytes_of(state);
    bytea* const bytes = new_bytes(contents.size);
    write_bytes(state, contents, VARDATA(bytes));
    if (node == nullptr) return bytes;
    if (must_stay(fcinfo)) {
        put_away(fcinfo, state, bytes);
    } else {
        end_training(state);
    }
    return bytes;
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_train_serialize) {
    const MemoryContext context = aggregate_context(fcinfo);
    TrainState* state = state_at<TrainState>(fcinfo, 0);
    if (!stays_in_process(fcinfo)) PG_RETURN_BYTEA_P(bytes_to_ship(fcinfo, state));
    finish_part(fcinfo, state);
    PG_RETURN_DATUM(reference_to(state, context));
}

SPARSELIN_FUNCTION(sparselin_train_deserialize) {
    aggregate_context(fcinfo);
    const Datum value = PG_GETARG_DATUM(0);
    if (TrainState* const part = referred_state(value)) PG_RETURN_POINTER(part);
    PG_RETURN_POINTER(read_part(bytes_view(PG_DETOAST_DATUM_PACKED(value))));
}

SPARSELIN_FUNCTION(sparselin_train_combine) {
    const auto begin = [](MemoryContext context, const TrainState& part) {
        const Training& training = part.training;
        return start_training(context, {training.learner(), training.options(), training.labels()});
    };
    return combine<TrainState>(fcinfo, begin, [=](TrainState& left, TrainState& right) {
        const Training& part = right.training;
        guarded([&] { left.training.absorb(part, server_stop()); });
        left.scale_told |= part.rows_to_come() + part.store().rows() < part.learned_rows();
        take_shipped_rows(fcinfo, &left, &right);
        take_rows_here(fcinfo, &left, &right);
    });
}
