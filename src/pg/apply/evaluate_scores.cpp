// The scores of sparselin_evaluate beyond work_mem: sorted runs in a temporary file, merged in as many passes as their
// number takes.
#include "apply/evaluate_state.h"
#include "wall/aggregate.h"

namespace sparselin {

namespace {

constexpr Size window_size = 8192;
constexpr Size fewest_runs = 4;

// Chunks of at least so many bytes.
void write_scores_out(FunctionCallInfo fcinfo, EvaluateState* state, Size least) {
    Scores& scores = state->evaluation.scores();
    if (state->file == nullptr) state->file = open_spill_file(fcinfo, state->memory.context());
    guarded<Again::the_rest>([&] { scores.sort(server_stop()); });
    spill_blocks(state->file, scores, least);
}

Size chunk_size() {
    return Min(Max(work_memory() / 16, Scores::smallest_spilled), Scores::largest_chunk);
}

// Memory of its own context, to be deleted.
ContextMemory* merge_memory() {
    return lasting_memory(AllocSetContextCreate(CurrentMemoryContext, "sparselin merge", ALLOCSET_DEFAULT_SIZES));
}

// Several runs of a stack become one, at the end of the file.
void merge_runs(EvaluateState* state, std::span<const ScoreRun> runs, Vector<ScoreChunk>* merged) {
    ContextMemory* const memory = merge_memory();
    auto* const ordered = guarded([&] {
        auto* const made = new (memory->allocate(sizeof(OrderedScores), 8)) OrderedScores(window_size, memory);
        for (const ScoreRun run : runs) made->add(run);
        return made;
    });
    auto* const writer = guarded([=] { return keep(ScoreWriter(chunk_size(), memory), *memory); });
    bool ended = false;
    for (bool continues = false; !ended; continues = true) {
        ended = give_scores(state, ordered, [=](Stack stack, uint64 order, double weight) {
            return writer->take(stack, order, weight);
        });
        const int64 position = spill(state->file, writer->data().data(), writer->data().size());
        guarded([=] { merged->push_back(writer->written(position, continues)); });
    }
    MemoryContextDelete(memory->context());
}

// `most` runs of a stack at a time become one.
void merge_pass(EvaluateState* state, Size most) {
    Scores& scores = state->evaluation.scores();
    ContextMemory* const memory = merge_memory();
    auto* const merged = guarded([=] { return keep(Vector<ScoreChunk>(memory), *memory); });
    for (const Stack stack : every_stack) {
        const auto* const runs = guarded([&] { return keep(runs_of(scores.blocks(), stack, memory), *memory); });
        for (Size first = 0; first < runs->size(); first += most)
            merge_runs(state, std::span(*runs).subspan(first, Min(most, runs->size() - first)), merged);
    }
    guarded([&] { scores.replace_written(*merged); });
    MemoryContextDelete(memory->context());
}

Size count_runs(const Scores& scores) {
    Size count = 0;
    for (const ScoreChunk& chunk : scores.blocks()) count += chunk.continues ? 0 : 1;
    return count;
}

}  // namespace

void spill_for(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack, Size bytes) {
    const Size wanted = MemoryContextMemAllocated(state->memory.context(), true) + bytes;
    if (wanted <= work_memory() || !state->evaluation.scores().worth_spilling(stack)) return;
    // Over a window there is nobody to close a file.
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return;
    write_scores_out(fcinfo, state, Scores::smallest_spilled);
}

OrderedScores* scores_in_order(FunctionCallInfo fcinfo, EvaluateState* state) {
    Scores& scores = state->evaluation.scores();
    if (scores.spilled()) {
        write_scores_out(fcinfo, state, 1);
        const Size most = Max(fewest_runs, (work_memory() - chunk_size()) / window_size);
        while (count_runs(scores) > most) merge_pass(state, most);
    }
    guarded<Again::the_rest>([&] { scores.sort(server_stop()); });
    ContextMemory* const memory = lasting_memory(CurrentMemoryContext);
    return guarded([&] {
        auto* const ordered = new (memory->allocate(sizeof(OrderedScores), 8)) OrderedScores(window_size, memory);
        for (const Stack stack : every_stack)
            for (const ScoreRun run : *keep(runs_of(scores.blocks(), stack, memory), *memory)) ordered->add(run);
        return ordered;
    });
}

}  // namespace sparselin
