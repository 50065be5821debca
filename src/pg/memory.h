// C++ memory that lives in a memory context: abandoning the context is destruction enough.
#pragma once

#include "../learn/pure.h"

#include <new>

#include "pg.h"

namespace sparselin {

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
        return chunk;
    }
    void do_deallocate(void* chunk, size_t, size_t) override { pfree(chunk); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    MemoryContext context_;
};

}  // namespace sparselin
