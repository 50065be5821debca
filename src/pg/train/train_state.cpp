#include "train/train_state.h"

#include "types/model_type.h"
#include "train/watch.h"

namespace sparselin {

// It goes with the context it lies in.
struct LastingRequest {
    LastingRequest(MemoryContext context, const Training::Kind& kind)
        : memory(context), request(kind, &memory, server_stop()) {}
    ContextMemory memory;
    Request request;
    LastingRequest* next = nullptr;
};

namespace {

void write_blocks_out(FunctionCallInfo fcinfo, TrainState* state) {
    if (state->file == nullptr) state->file = open_spill_file(fcinfo, state->shared_memory->aggregate);
    spill_blocks(state->file, state->training.store(), 1);
}

// All groups of the aggregate share work_mem. Eight bytes a row are for the list of rows that a pass goes by.
bool spilled_for(FunctionCallInfo fcinfo, TrainState* state, Size block) {
    const RowStore& store = state->training.store();
    const Size wanted = MemoryContextMemAllocated(state->shared_memory->aggregate, true) + block +
                        static_cast<Size>(store.rows()) * sizeof(void*);
    if (wanted <= work_memory() || !store.worth_spilling()) return false;
    write_blocks_out(fcinfo, state);
    return true;
}

void make_room(FunctionCallInfo fcinfo, TrainState* state, const SparseRow& x) {
    RowStore& store = state->training.store();
    const Size block = store.next_block_size(x, RowStore::largest_block_for(work_memory()));
    if (!spilled_for(fcinfo, state, block)) guarded([&] { store.add_block(block); });
}

void read_back(TrainState* state, Size number) {
    CHECK_FOR_INTERRUPTS();
    RowStore& store = state->training.store();
    const Block& block = store.blocks()[number];
    char* target = guarded([&] { return store.make_room(number); });
    read_spilled(state->file, block.position, target, block.used);
}

// Why work has stopped.
enum class Left { nothing, blocks, report };

Left work_on(Training& training) {
    const Size window = work_memory() / 2;
    const Left left = guarded<Again::the_rest>([&] {
        try {
            return training.work(window, server_stop()) ? Left::nothing : Left::blocks;
        } catch (const Interrupted&) {
            if (!report_is_due()) throw;
            return Left::report;
        }
    });
    CHECK_FOR_INTERRUPTS();
    return left;
}

}  // namespace

// Aggregates of one plan node take turns, so more than the latest is looked at; not all, where options depend on
// groups.
const Request& request_for(StateMemory* shared, const Training::Kind& kind) {
    constexpr int most_looks = 8;
    int looks = 0;
    for (LastingRequest* known = shared->request; known != nullptr && ++looks <= most_looks; known = known->next)
        if (known->request.is_for(kind)) return known->request;
    void* const place = MemoryContextAlloc(shared->context, sizeof(LastingRequest));
    auto* const made = guarded([&] { return new (place) LastingRequest(shared->context, kind); });
    made->next = shared->request;
    shared->request = made;
    return made->request;
}

void train_on(FunctionCallInfo fcinfo, TrainState* state, const RowArguments& arguments, std::optional<bool> judges) {
    watch_row(fcinfo, state->training);
    const auto row = fetch_row(fcinfo, arguments, state->training.rows_seen() + 1);
    if (!row) return state->training.skip();
    for (;;) {
        switch (
            guarded([&] { return state->training.accept(row->x, row->label, row->weight, server_stop(), judges); })) {
            case Training::Answer::taken: return;
            case Training::Answer::no_room: make_room(fcinfo, state, row->x); break;
            case Training::Answer::must_work: work_off(state); return;
        }
    }
}

void take_rows(FunctionCallInfo fcinfo, TrainState* state, std::span<const char> rows, bool checked) {
    const Size largest = RowStore::largest_block_for(work_memory());
    while (!rows.empty()) {
        CHECK_FOR_INTERRUPTS();
        spilled_for(fcinfo, state, std::min(rows.size(), largest));
        rows = rows.subspan(guarded([&] { return state->training.adopt(rows, largest, server_stop(), checked); }));
    }
}

void work_off(TrainState* state) {
    Training& training = state->training;
    watch_work(training);
    // A report that was due before the work has no interrupt to come with any more.
    for (;;) {
        if (report_is_due()) report(training);
        const Left left = work_on(training);
        if (left == Left::nothing) break;
        if (left == Left::blocks)
            for (const size_t number : training.missing()) read_back(state, number);
    }
    watch_no_work();
    if (training.keeps_rows()) {
        const Size count = training.store().blocks().size();
        for (Size number = 0; number < count; ++number)
            if (!training.store().blocks()[number].in_memory()) read_back(state, number);
    }
    leave_spill_file(state->file);
}

static_assert(max_model_size == largest_model_ever, "what learning stops at");

bool has_learned(FunctionCallInfo fcinfo, TrainState* state) {
    guarded([&] { state->training.end_rows(max_model_size); });
    watch(fcinfo);
    work_off(state);
    if (state->training.learned_rows() == 0) return false;
    if (state->is_second) return true;
    notice_one_class(fcinfo, state->training);
    if (!state->search_is_ours) notice_search(fcinfo, state->training);
    notice_sorted_labels(fcinfo, state->training);
    if (!state->scale_told) notice_scale_gap(fcinfo, state->training);
    notice_telltale(fcinfo, state->training);
    return true;
}

// Inside the wall.
static varlena* resumable_model(const Training& training, Model& model) {
    const StopSign stop = server_stop();
    ContextMemory memory(CurrentMemoryContext);
    const Training::Sizes sizes = training.make_room_for_rest(model, stop);
    Encoding encoding(VARHDRSZ, sizes.front, sizes.resume, &memory, stop);
    training.write_rest(model, &encoding.resume(), stop);
    return value_of(model, encoding, &memory);
}

// In a context of its own, so that thousands of groups leave nothing behind. The training goes as soon as it can, so
// that as little as possible lies there besides the value.
Datum model_of(TrainState* state, bool stays) {
    const Training& training = state->training;
    const MemoryContext scratch = new_model_context();
    const bool resumable = training.is_resumable();
    Model* const model = written_model(scratch, [&](Model& made, Memory memory) {
        training.write_head(made, memory, server_stop());
        if (resumable) return;
        training.make_room_for_rest(made, server_stop());
        training.write_rest(made, nullptr, server_stop());
    });
    if (!resumable && !stays) end_training(state);
    const Datum result =
        resumable ? PointerGetDatum(guarded([&] { return resumable_model(training, *model); })) : new_model(*model);
    if (resumable && !stays) end_training(state);
    MemoryContextDelete(scratch);
    return result;
}

void end_training(TrainState* state) {
    leave_spill_file(state->file);
    state->training.~Training();
    leave_memory(state->shared_memory);
    state->ended = true;
}

}  // namespace sparselin
