// The scores of sparselin_evaluate beyond work_mem: sorted runs in a temporary file, merged in as many passes as their
// number takes.
#include "learn/apply/roc.h"
#include "learn/apply/score_merge.h"
#include "apply/evaluate_state.h"
#include "wall/guard.h"

#include "wall/aggregate.h"

#include <limits>

namespace sparselin {

namespace {

constexpr Size window_size = 8192;
constexpr Size fewest_runs = 4;

Size memory_limit() {
    return static_cast<Size>(work_mem) * 1024;
}

// Chunks of at least so many bytes.
void write_scores_out(FunctionCallInfo fcinfo, EvaluateState* state, Size least) {
    Scores& scores = state->evaluation.scores();
    if (state->file == nullptr) state->file = open_spill_file(fcinfo, state->memory.context());
    guarded<Again::the_rest>([&] { scores.sort(server_stop()); });
    const Size count = scores.in_memory().size();
    for (Size number = 0; number < count; ++number) {
        const ScoreChunk& chunk = scores.in_memory()[number];
        if (chunk.bytes() < least) continue;
        CHECK_FOR_INTERRUPTS();
        const int64 position = spill(state->file, chunk.data, chunk.bytes());
        guarded([&] { scores.written(number, position); });
    }
    guarded([&] { scores.forget_written(); });
}

Size chunk_size() {
    return Min(Max(memory_limit() / 16, Scores::smallest_spilled), Scores::largest_chunk);
}

// Whatever a merge needs, in a context of its own.
struct Merging {
    Merging(const Evaluation& evaluation, ContextMemory* memory)
        : merge(window_size, memory), curve(evaluation.positives(), evaluation.negatives()) {}

    ScoreMerge merge;
    RocCurve curve;
};

MemoryContext merge_context() {
    return AllocSetContextCreate(CurrentMemoryContext, "sparselin merge", ALLOCSET_DEFAULT_SIZES);
}

// Has the merge go on until `take` says no, or all is done: then true.
template <typename Take>
bool go_on(EvaluateState* state, ScoreMerge* merge, Take take) {
    for (;;) {
        if (guarded<Again::the_rest>([=] { return merge->run(take, server_stop()); })) return true;
        if (!merge->is_waiting()) return false;
        CHECK_FOR_INTERRUPTS();
        // Chunks are far smaller than the gap between two segments in a position, and a seek goes on to the next one.
        const ScoreMerge::Wanted& wanted = merge->wanted();
        read_spilled(state->file, wanted.position + static_cast<int64>(wanted.beyond), wanted.target, wanted.size);
    }
}

// Several runs of a stack become one, at the end of the file.
void merge_runs(EvaluateState* state, std::span<const ScoreRun> runs, Vector<ScoreChunk>* merged) {
    const MemoryContext context = merge_context();
    ContextMemory* const memory = lasting_memory(context);
    auto* const merge = guarded([&] {
        auto* const made = new (memory->allocate(sizeof(ScoreMerge), 8)) ScoreMerge(window_size, memory);
        for (const ScoreRun run : runs) made->add(run);
        return made;
    });
    auto* const writer = guarded([=] { return keep(ScoreWriter(chunk_size(), memory), *memory); });
    bool ended = false;
    for (bool continues = false; !ended; continues = true) {
        ended = go_on(state, merge,
                      [=](Stack stack, uint64 order, double weight) { return writer->take(stack, order, weight); });
        const int64 position = spill(state->file, writer->data().data(), writer->data().size());
        guarded([=] { merged->push_back(writer->written(position, continues)); });
    }
    MemoryContextDelete(context);
}

// `most` runs of a stack at a time become one.
void merge_pass(EvaluateState* state, Size most) {
    Scores& scores = state->evaluation.scores();
    const MemoryContext context = merge_context();
    ContextMemory* const memory = lasting_memory(context);
    auto* const merged = guarded([=] { return keep(Vector<ScoreChunk>(&state->memory), *memory); });
    for (const Stack stack : every_stack) {
        const auto* const runs = guarded([&] { return keep(runs_of(scores.in_file(), stack, memory), *memory); });
        for (Size first = 0; first < runs->size(); first += most)
            merge_runs(state, std::span(*runs).subspan(first, Min(most, runs->size() - first)), merged);
    }
    guarded([&] {
        scores.replace_file(std::move(*merged));
        merged->clear();
        merged->shrink_to_fit();
    });
    MemoryContextDelete(context);
}

Size count_runs(const Scores& scores) {
    Size count = 0;
    for (const ScoreChunk& chunk : scores.in_file()) count += chunk.continues ? 0 : 1;
    return count;
}

}  // namespace

void spill_for(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack, Size bytes) {
    const Size wanted = MemoryContextMemAllocated(state->memory.context(), true) + bytes;
    if (wanted <= memory_limit() || !state->evaluation.scores().worth_spilling(stack)) return;
    // Over a window there is nobody to close a file.
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return;
    write_scores_out(fcinfo, state, Scores::smallest_spilled);
}

double area_of(FunctionCallInfo fcinfo, EvaluateState* state) {
    Scores& scores = state->evaluation.scores();
    if (!state->evaluation.subject().has_classes()) return std::numeric_limits<double>::quiet_NaN();
    if (!scores.in_file().empty()) {
        write_scores_out(fcinfo, state, 1);
        const Size most = Max(fewest_runs, (memory_limit() - chunk_size()) / window_size);
        while (count_runs(scores) > most) merge_pass(state, most);
    }
    guarded<Again::the_rest>([&] { scores.sort(server_stop()); });
    const MemoryContext context = merge_context();
    ContextMemory* const memory = lasting_memory(context);
    auto* const work = guarded([&] {
        auto* const made = new (memory->allocate(sizeof(Merging), 8)) Merging(state->evaluation, memory);
        for (const Stack stack : every_stack) {
            for (const ScoreRun run : runs_of(scores.in_memory(), stack, memory)) made->merge.add(run);
            for (const ScoreRun run : runs_of(scores.in_file(), stack, memory)) made->merge.add(run);
        }
        return made;
    });
    go_on(state, &work->merge,
          [=](Stack stack, uint64 order, double weight) { return work->curve.take(stack, order, weight); });
    const double area = work->curve.area();
    MemoryContextDelete(context);
    return area;
}

}  // namespace sparselin
