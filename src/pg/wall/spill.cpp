#include "wall/spill.h"

#include "learn/base/memory.h"
#include "wall/aggregate.h"

extern "C" {
#include "commands/tablespace.h"
#include "executor/instrument.h"
}

namespace sparselin {

// When the aggregate's context is reset with users left (a query cut short, another run of a subquery), PostgreSQL
// calls close_with_users first. After an error it does not: then the resource owner has closed or will close the file.
struct SpillFile {
    File file;  // 0: none, as the server has it
    int users;
    int64 end;
};

namespace {

void close_file(SpillFile* file) {
    if (file->file != 0) FileClose(file->file);
    file->file = 0;
}

void close_with_users(Datum entry) {
    auto* file = reinterpret_cast<SpillFile*>(DatumGetPointer(entry));
    close_file(file);
    file->users = 0;
}

// A row may be huge. transfer(done, piece) says how many bytes it got through, or fewer than 1.
template <typename Transfer>
void in_pieces(Size size, const char* what, Transfer&& transfer) {
    constexpr Size largest = Size{1} << 20;
    for (Size done = 0; done < size;) {
        CHECK_FOR_INTERRUPTS();
        errno = 0;
        const auto moved = transfer(done, Min(largest, size - done));
        if (moved == 0 && errno == 0) errno = EIO;  // its end, where it should go on
        if (moved <= 0)
            ereport(ERROR, errcode_for_file_access(),
                    errmsg("could not %s a temporary file of sparselin at %zu of %zu bytes: %m", what, done, size));
        done += static_cast<Size>(moved);
    }
}

// Of the file, as EXPLAIN (BUFFERS) shows them: a page that several blocks share counts once.
int64 pages_in(int64 position, Size size) {
    return (position + static_cast<int64>(size) + BLCKSZ - 1) / BLCKSZ - (position + BLCKSZ - 1) / BLCKSZ;
}

}  // namespace

SpillFile* open_spill_file(FunctionCallInfo fcinfo, MemoryContext aggregate) {
    bool made;
    auto* const file = kept_with<SpillFile>(aggregate, made);
    if (made) AggRegisterCallback(fcinfo, close_with_users, PointerGetDatum(file));
    if (file->file == 0) {
        PrepareTempTablespaces();
        file->file = OpenTemporaryFile(false);
        file->end = 0;
    }
    ++file->users;
    return file;
}

void leave_spill_file(SpillFile*& left) {
    SpillFile* const file = left;
    left = nullptr;
    if (file == nullptr || --file->users > 0) return;
    close_file(file);
}

int64 spill(SpillFile* file, const char* data, Size size) {
    const int64 position = file->end;
    in_pieces(size, "write to", [&](Size done, Size piece) {
        return write_at(file->file, data + done, piece, position + static_cast<int64>(done));
    });
    file->end = position + static_cast<int64>(size);
    pgBufferUsage.temp_blks_written += pages_in(position, size);
    return position;
}

void read_spilled(SpillFile* file, int64 position, char* target, Size size) {
    in_pieces(size, "read", [&](Size done, Size piece) {
        return read_at(file->file, target + done, piece, position + static_cast<int64>(done));
    });
    pgBufferUsage.temp_blks_read += pages_in(position, size);
}

void copy_block(SpillFile* file, const Block& block, char* target) {
    if (!block.in_memory()) return read_spilled(file, block.position, target, block.used);
    guarded([&] { copy_bytes(target, block.data, block.used, server_stop()); });
}

}  // namespace sparselin
