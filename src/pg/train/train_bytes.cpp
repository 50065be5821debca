#include "train/train_bytes.h"

#include "learn/base/codec.h"
#include "wall/varlena.h"

extern "C" {
#include "access/xact.h"
}

namespace sparselin {

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

}  // namespace

const char* whose_part() {
    return IsInParallelMode() ? "process" : "partition";
}

const char* setting_against_parts() {
    return IsInParallelMode() ? "max_parallel_workers_per_gather to 0" : "enable_partitionwise_aggregate to off";
}

StateBytes bytes_of(const TrainState* state) {
    const std::span<const char> head = head_of(state->training);
    const Size size = head.size() + state->training.store().bytes();
    if (size > max_value_size)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("what a %s has learned takes %zu MB, more than can be shipped", whose_part(), size >> 20),
                 errhint("Set %s.", setting_against_parts())));
    return {head, size};
}

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

void write_block(const TrainState* state, const Block& block, char* target) {
    copy_block(state->file, block, target);
    rows_to_little_endian(std::span(target, block.used));
}

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

}  // namespace sparselin
