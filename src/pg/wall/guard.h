// The wall between C++ and the server: memory of the one that lies in the other's, calls, and values made on the way.
//
// Code inside guarded() is C++: it may throw, and calls nothing that can ereport. Code outside it is C: it may
// ereport, and owns nothing with a destructor. An exception becomes a plain Outcome on the way out; ereport
// happens after that, where there is nothing left to destroy.
#pragma once

#include "learn/base/memory.h"
#include "learn/base/error.h"

#include <new>
#include <type_traits>

#include "wall/pg.h"

extern "C" {
#include <sys/mman.h>
}

namespace sparselin {

// Asks for large pages where a chunk is large enough for them: the first touch of so much memory in small ones costs
// several times as much as what is written there. Advice may be ignored.
inline void advise_large_pages([[maybe_unused]] void* chunk, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr size_t page = 4096, worth_it = size_t{4} << 20;
    if (bytes < worth_it) return;
    const size_t start = (reinterpret_cast<size_t>(chunk) + page - 1) & ~(page - 1);
    const size_t end = (reinterpret_cast<size_t>(chunk) + bytes) & ~(page - 1);
    madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
#endif
}

// C++ memory that lies in a memory context: abandoning the context is destruction enough. Each allocation is one palloc
// chunk, huge ones allowed; failure is bad_alloc, never a longjmp. What is asked for with more than the server's own
// alignment lies within its chunk: it goes back here, and nowhere else.
class ContextMemory final : public std::pmr::memory_resource {
public:
    explicit ContextMemory(MemoryContext context) : context_(context) {}

    MemoryContext context() const { return context_; }

private:
    void* do_allocate(size_t bytes, size_t alignment) override {
        const size_t more = is_natural(alignment) ? 0 : alignment;
        if (bytes > MaxAllocHugeSize - more) throw std::bad_alloc();
        void* chunk = MemoryContextAllocExtended(context_, bytes + more, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
        if (chunk == nullptr) throw std::bad_alloc();
        advise_large_pages(chunk, bytes + more);
        return more == 0 ? chunk : aligned_within(chunk, alignment);
    }
    void do_deallocate(void* place, size_t, size_t alignment) override {
        pfree(is_natural(alignment) ? place : static_cast<void**>(place)[-1]);
    }

    static bool is_natural(size_t alignment) { return alignment <= MAXIMUM_ALIGNOF; }

    // The server aligns no chunk further than its own types want it. So there is room for the chunk's address before
    // the place that is.
    static void* aligned_within(void* chunk, size_t alignment) {
        void** const place = reinterpret_cast<void**>((reinterpret_cast<uintptr_t>(chunk) / alignment + 1) * alignment);
        place[-1] = chunk;
        return place;
    }

    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    MemoryContext context_;
};

// The end of a guarded call, in plain bytes.
struct Outcome {
    enum { done, interrupted, given_up, failed, out_of_memory, unexpected } kind = done;
    Fault fault{};
    char message[400];
    char hint[400];
};

// To be called inside a catch block: describes the exception under way.
void describe_exception(Outcome& outcome) noexcept;

// ereport(ERROR) for an outcome that is neither done nor interrupted.
[[noreturn]] void raise(const Outcome& outcome);

// The same for wrong input, which the caller of an input function may want to keep (its context says so): then it
// comes back.
void save(const Outcome& outcome, Node* context);

// While there is one, server_stop() is for cancels alone.
class OnlyCancels {
public:
    explicit OnlyCancels(bool wanted) { there_is_one = wanted; }
    OnlyCancels(const OnlyCancels&) = delete;
    ~OnlyCancels() { there_is_one = false; }

    static bool there_is_one;
};

// The server's flags, for pure code to poll; none where interrupts would not be served, or the work would never end.
inline StopSign server_stop() {
    static constexpr StopSign::Flag cancels[] = {&QueryCancelPending, &ProcDiePending};
    const bool held = InterruptHoldoffCount != 0 || CritSectionCount != 0 || QueryCancelHoldoffCount != 0;
    if (held) return StopSign();
    const StopSign stop(&InterruptPending, cancels);
    return OnlyCancels::there_is_one ? stop.for_cancels() : stop;
}

// The work that an interrupted call has to do again.
enum class Again { everything, the_rest };

// Runs `work`; on GivenUp serves the server's interrupts, and does not come back; on Interrupted serves the server's
// interrupts, which may not come back, and runs it again. From then on it stops for cancels alone, unless it gets ahead
// each time.
template <Again again = Again::everything, typename Work>
auto guarded(Work&& work) {
    using Result = decltype(work());
    static_assert(std::is_void_v<Result> || std::is_trivially_destructible_v<Result>);
    for (bool once_more = false;; once_more = true) {
        Outcome outcome;
        try {
            const OnlyCancels only_cancels(once_more && again == Again::everything);
            return work();
        } catch (...) {
            describe_exception(outcome);
        }
        const bool stopped = outcome.kind == Outcome::interrupted || outcome.kind == Outcome::given_up;
        if (stopped) CHECK_FOR_INTERRUPTS();
        if (outcome.kind != Outcome::interrupted) raise(outcome);
    }
}

// For input functions: `work` returns a pointer. An Error is one about the input; where the caller keeps it, the
// result is nullptr.
template <typename Work>
auto guarded_input(FunctionCallInfo fcinfo, Work&& work) -> decltype(work()) {
    Outcome outcome;
    const auto result = guarded([&]() -> decltype(work()) {
        try {
            return work();
        } catch (const Error&) {
            describe_exception(outcome);
            return nullptr;
        }
    });
    if (outcome.kind != Outcome::done) save(outcome, fcinfo->context);
    return result;
}

// The most bytes in a value of variable length.
constexpr Size max_value_size = MaxAllocSize - VARHDRSZ;

// The most bytes of a model's text form, and of its value: what one chunk of memory takes, less the closing zero.
constexpr Size max_model_size = MaxAllocSize - 1;

// Values of variable length, seen as bytes.
inline std::span<const char> bytes_view(const varlena* value) {
    return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

inline std::string_view text_view(const text* value) {
    return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

// What is left of a binary message, which is read by that. C zone only.
inline std::span<const char> rest_of_message(FunctionCallInfo fcinfo) {
    auto* const message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    return {pq_getmsgbytes(message, size), static_cast<size_t>(size)};
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
