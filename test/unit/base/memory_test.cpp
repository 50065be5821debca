// What a Slab does with its memory.
#include "base/memory.h"
#include "support/counting_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace sparselin {
namespace {

// Each goes back to where it came from.
TEST(Slab, MovesBetweenMemories) {
    CountingMemory here, there;
    {
        Slab<double> a(&here, 10, StopSign()), b(&there, 20, StopSign());
        b[19] = 7;
        a = std::move(b);
        EXPECT_EQ(a.size(), 20u);
        EXPECT_EQ(a[19], 7);
        b = Slab<double>(&there, 5, StopSign());
    }
    EXPECT_EQ(here.held(), 0u);
    EXPECT_EQ(there.held(), 0u);
}

// Like the server's: nothing lies better than it has to.
class SlantedMemory : public std::pmr::memory_resource {
    static constexpr size_t line = 64;

    static size_t shift_for(size_t alignment) { return alignment < line ? alignment : line; }
    void* do_allocate(size_t bytes, size_t alignment) override {
        char* const place = static_cast<char*>(std::pmr::new_delete_resource()->allocate(bytes + line, line));
        return place + shift_for(alignment);
    }
    void do_deallocate(void* place, size_t bytes, size_t alignment) override {
        char* const start = static_cast<char*>(place) - shift_for(alignment);
        std::pmr::new_delete_resource()->deallocate(start, bytes + line, line);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Of a few numbers it takes no more than they are.
TEST(Slab, LiesAtTheBeginningOfALineWhereItIsLarge) {
    const auto slant = [](const Slab<double>& slab) { return reinterpret_cast<uintptr_t>(slab.data()) % 64; };
    SlantedMemory memory;
    const Slab<double> small(&memory, 1024, StopSign()), large(&memory, 1025, StopSign()),
        longer(&memory, 2000, large, StopSign());
    EXPECT_EQ(slant(small), 8u);
    EXPECT_EQ(slant(large), 0u);
    EXPECT_EQ(slant(longer), 0u);
}

}  // namespace
}  // namespace sparselin
