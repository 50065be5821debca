// Training in several processes: how the state of a training aggregate goes from one to another, as bytes
// (train_bytes.h) or within this one as a reference (train_reference.h), and how two become one.
#include "wall/varlena.h"
#include "train/train_bytes.h"
#include "train/train_reference.h"

#include "wall/aggregate.h"

extern "C" {
#include "access/xact.h"
}

namespace sparselin {

namespace {

// A plan may have a part for each partition; advice on them is given once for each statement.
bool first_in_statement(TimestampTz& said) {
    if (said == GetCurrentStatementStartTimestamp()) return false;
    said = GetCurrentStatementStartTimestamp();
    return true;
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

// The ranges of features are not shipped: a part that has learned from its rows gives advice on them itself.
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
    notice_scale_gap_of_part(fcinfo, state->training);
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
    const varlena* bytes = PG_DETOAST_DATUM_PACKED(value);
    PG_RETURN_POINTER(read_part({VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)}));
}

SPARSELIN_FUNCTION(sparselin_train_combine) {
    const auto begin = [](MemoryContext context, const TrainState& part) {
        const Training& training = part.training;
        return start_training(context, {training.learner(), training.options(), training.is_boolean()});
    };
    return combine<TrainState>(fcinfo, begin, [=](TrainState& left, TrainState& right) {
        const Training& part = right.training;
        guarded([&] { left.training.absorb(part, server_stop()); });
        left.scale_told |= part.rows_to_come() + part.store().rows() < part.learned_rows();
        take_shipped_rows(fcinfo, &left, &right);
        take_rows_here(fcinfo, &left, &right);
    });
}

}  // namespace sparselin
