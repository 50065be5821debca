// A memory resource on malloc that counts: what is held, the most that ever was, how often it was asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>

class CountingMemory : public std::pmr::memory_resource {
public:
    size_t held() const { return held_; }
    size_t peak() const { return peak_; }
    size_t allocations() const { return allocations_; }

private:
    void* do_allocate(size_t bytes, size_t alignment) override {
        void* place = std::pmr::new_delete_resource()->allocate(bytes, alignment);
        held_ += bytes;
        peak_ = std::max(peak_, held_);
        ++allocations_;
        return place;
    }
    void do_deallocate(void* place, size_t bytes, size_t alignment) override {
        held_ -= bytes;
        std::pmr::new_delete_resource()->deallocate(place, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    size_t held_ = 0, peak_ = 0, allocations_ = 0;
};
