// Variable-length values: seen as bytes, and made in the C++ zone.
#pragma once

#include "learn/base/memory.h"
#include "wall/guard.h"
#include "wall/parameters.h"

namespace sparselin {

inline std::string_view text_view(const text* value) {
    return {VARDATA_ANY(value), static_cast<size_t>(VARSIZE_ANY_EXHDR(value))};
}

// A value of these bytes; throws when they are more than PostgreSQL allows.
inline varlena* make_varlena(std::span<const char> bytes, ContextMemory& memory) {
    if (bytes.size() > max_value_size)
        throw Error(Fault::too_large, "a value of %zu bytes is too large", bytes.size())
            .hint("PostgreSQL's values take up to 1 GB.");
    auto* const value = static_cast<varlena*>(memory.allocate(VARHDRSZ + bytes.size(), MAXIMUM_ALIGNOF));
    SET_VARSIZE(value, VARHDRSZ + bytes.size());
    copy_bytes(VARDATA(value), bytes.data(), bytes.size(), server_stop());
    return value;
}

// The bytes of a vector that is never destroyed: they are its context's now.
inline char* release(Vector<char>&& vector) {
    alignas(Vector<char>) unsigned char place[sizeof vector];
    return (new (place) Vector<char>(std::move(vector)))->data();
}

// The bytes that write(bytes) appends to an empty vector, inside the wall; in the current context. C zone only.
template <typename Write>
std::span<const char> written_bytes(Write&& write) {
    return guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        Vector<char> bytes(&memory);
        write(bytes);
        const size_t size = bytes.size();
        return std::span<const char>(release(std::move(bytes)), size);
    });
}

// A value of so many bytes, still to be written, in the current context. C zone only.
inline bytea* new_bytes(Size size) {
    auto* const bytes = static_cast<bytea*>(palloc(VARHDRSZ + size));
    advise_large_pages(bytes, VARHDRSZ + size);
    SET_VARSIZE(bytes, VARHDRSZ + size);
    return bytes;
}

}  // namespace sparselin
