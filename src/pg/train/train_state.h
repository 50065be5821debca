// The transition state of a training aggregate: the training, and where its rows go when memory runs out.
#pragma once

#include "learn/engine/training.h"
#include "wall/spill.h"
#include "types/sparsearray.h"
#include "wall/aggregate.h"

namespace sparselin {

// The memory of all states of an aggregate: a context of its own, which goes when the last of them has ended.
//
// Memory that is freed within a context is not given back, and PostgreSQL keeps the context of a plan's node until the
// plan ends. A plan over partitions has a node for each of them: the memory of one that is done has to serve the next.
//
// C zone only.
struct StateMemory {
    MemoryContext aggregate;
    MemoryContext context;  // below it
    int64 states;
    struct LastingRequest* request;  // what they were asked for, the latest first; in the context
};

// For one more state of the aggregate that has this context.
inline StateMemory* join_memory(MemoryContext aggregate) {
    bool made;
    auto* const memory = kept_with<StateMemory>(aggregate, made);
    memory->aggregate = aggregate;
    if (memory->context == nullptr)
        memory->context = AllocSetContextCreate(aggregate, "sparselin states", ALLOCSET_DEFAULT_SIZES);
    ++memory->states;
    return memory;
}

// One state less; with the last one goes the context.
inline void leave_memory(StateMemory* memory) {
    if (--memory->states > 0) return;
    MemoryContextDelete(memory->context);
    memory->context = nullptr;
    memory->request = nullptr;
}

struct BaseModel;

class TrainState {
public:
    // `request` is in the shared memory.
    TrainState(StateMemory* shared, const Request& request, StopSign stop)
        : shared_memory(shared), memory(shared->context), training(request, &memory, stop) {}

    // Of a part that was serialized, which is there only to be taken in.
    TrainState(MemoryContext context, const Training::Kind& kind, StopSign stop)
        : memory(context), training(kind, &memory, stop) {}

    StateMemory* const shared_memory = nullptr;  // with the aggregate's other states
    ContextMemory memory;
    bool options_fixed = false;       // the same for every row, by the query
    bool ended = false;               // the training is gone
    bool scale_told = false;          // by parts that had learned from their rows
    bool handed_over = false;         // to the state that takes it in, which ends it
    bool search_is_ours = false;      // nobody has asked for it: advice on it is for nobody
    bool is_second = false;           // learns from rows about which all has been said
    const BaseModel* base = nullptr;  // of sparselin_continue: the model that it goes on from
    SpillFile* file = nullptr;
    int64 put_away_at = -1;  // where its bytes lie in the file when it has ended
    Size put_away_size = 0;
    std::span<const char> shipped_rows;  // of a part that was serialized: they lie in its bytes
    Training training;
};

// As for the bank: thousands of groups are not to pay for the next power of two.
static_assert(sizeof(TrainState) <= 512);

// What follows belongs to the C zone.

// What is asked for, read once for all states in a row that ask for the same, as the groups of a query do.
const Request& request_for(StateMemory* shared, const Training::Kind& kind);

inline void nothing_more(Training&) {}

// A state in the memory of the aggregate. Inside the wall fill(training) may give it more to begin with.
template <typename Fill = decltype(&nothing_more)>
TrainState* start_training(MemoryContext aggregate, const Training::Kind& kind, Fill fill = nothing_more) {
    StateMemory* const shared = join_memory(aggregate);
    const Request& request = request_for(shared, kind);
    void* const place = MemoryContextAlloc(aggregate, sizeof(TrainState));
    return guarded([&] {
        auto* const state = new (place) TrainState(shared, request, server_stop());
        try {
            fill(state->training);
        } catch (...) {
            state->~TrainState();
            throw;
        }
        return state;
    });
}

// Learns from a row, or keeps it; one with NULL features, label or weight is skipped and counted. `judges`: see
// Training::accept().
void train_on(FunctionCallInfo fcinfo, TrainState* state, const RowArguments& row, std::optional<bool> judges = {});

// Does all the work that the rows so far call for, reading what lies in the file.
void work_off(TrainState* state);

// Rows of another store, as they travel, come to ours. `checked`: they were in a store of this process.
void take_rows(FunctionCallInfo fcinfo, TrainState* state, std::span<const char> rows, bool checked);

// No more rows: all work is done, and advice given. False when there was no row to learn from.
bool has_learned(FunctionCallInfo fcinfo, TrainState* state);

// The value of the model that has been learned, in the current context. The training ends, unless it stays.
Datum model_of(TrainState* state, bool stays);

// Advice, each once for a function in a query and not once for each group.
void notice_one_class(FunctionCallInfo fcinfo, const Training& training);
void notice_search(FunctionCallInfo fcinfo, const Training& training);
void notice_sorted_labels(FunctionCallInfo fcinfo, const Training& training);
void notice_scale_gap(FunctionCallInfo fcinfo, const Training& training);
void notice_telltale(FunctionCallInfo fcinfo, const Training& training);

// Frees all that the state holds; it lies there until its memory context goes.
void end_training(TrainState* state);

}  // namespace sparselin
