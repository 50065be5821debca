#include "wall/spill.h"

#include "learn/base/memory.h"
#include "wall/aggregate.h"

namespace sparselin {

// When the aggregate's context is reset with users left (a query cut short, another run of a subquery), PostgreSQL
// calls close_with_users first. After an error it does not: then the resource owner has closed or will close the
// BufFile.
struct SpillFile {
    BufFile* file;
    int users;
    int segment;  // the end of the file, as BufFileTell says it
    off_t offset;
};

namespace {

void close_with_users(Datum entry) {
    auto* file = reinterpret_cast<SpillFile*>(DatumGetPointer(entry));
    if (file->file != nullptr) BufFileClose(file->file);
    file->file = nullptr;
    file->users = 0;
}

// A row may be huge.
template <typename Transfer>
void in_pieces(Size size, Transfer&& transfer) {
    constexpr Size largest = Size{1} << 20;
    for (Size done = 0, piece; done < size; done += piece) {
        CHECK_FOR_INTERRUPTS();
        piece = Min(largest, size - done);
        transfer(done, piece);
    }
}

void seek(SpillFile* file, int segment, off_t offset) {
    if (BufFileSeek(file->file, segment, offset, SEEK_SET) != 0)
        ereport(ERROR, errcode_for_file_access(), errmsg("could not seek in temporary file of sparselin"));
}

}  // namespace

SpillFile* open_spill_file(FunctionCallInfo fcinfo, MemoryContext aggregate) {
    bool made;
    auto* const file = kept_with<SpillFile>(aggregate, made);
    if (made) AggRegisterCallback(fcinfo, close_with_users, PointerGetDatum(file));
    if (file->file == nullptr) {
        file->file = in_context(aggregate, [] { return BufFileCreateTemp(false); });
        file->segment = 0;
        file->offset = 0;
    }
    ++file->users;
    return file;
}

void leave_spill_file(SpillFile*& left) {
    SpillFile* const file = left;
    left = nullptr;
    if (file == nullptr || --file->users > 0) return;
    BufFileClose(file->file);
    file->file = nullptr;
}

int64 spill(SpillFile* file, const char* data, Size size) {
    seek(file, file->segment, file->offset);
    const int64 position = static_cast<int64>(file->segment) << 32 | static_cast<int64>(file->offset);
    in_pieces(size, [&](Size done, Size piece) { write_exactly(file->file, data + done, piece); });
    BufFileTell(file->file, &file->segment, &file->offset);
    return position;
}

void read_spilled(SpillFile* file, int64 position, char* target, Size size) {
    seek(file, static_cast<int>(position >> 32), static_cast<off_t>(position & 0xffffffff));
    in_pieces(size, [&](Size done, Size piece) { read_exactly(file->file, target + done, piece); });
}

void copy_block(SpillFile* file, const Block& block, char* target) {
    if (!block.in_memory()) return read_spilled(file, block.position, target, block.used);
    guarded([&] { copy_bytes(target, block.data, block.used, server_stop()); });
}

}  // namespace sparselin
