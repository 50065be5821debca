// C++ memory that lives in a memory context: abandoning the context is destruction enough.
#pragma once

#include "learn/base/error.h"

#include <new>

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

// Each allocation is one palloc chunk, huge ones allowed; failure is bad_alloc, never a longjmp.
class ContextMemory final : public std::pmr::memory_resource {
public:
    explicit ContextMemory(MemoryContext context) : context_(context) {}

    MemoryContext context() const { return context_; }

private:
    void* do_allocate(size_t bytes, size_t alignment) override {
        if (bytes > MaxAllocHugeSize || alignment > MAXIMUM_ALIGNOF) throw std::bad_alloc();
        void* chunk = MemoryContextAllocExtended(context_, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
        if (chunk == nullptr) throw std::bad_alloc();
        advise_large_pages(chunk, bytes);
        return chunk;
    }
    void do_deallocate(void* chunk, size_t, size_t) override { pfree(chunk); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    MemoryContext context_;
};

}  // namespace sparselin
