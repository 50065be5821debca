// Asks for a stop when so much memory has been asked for: interrupts come at any point.
#pragma once

#include "base/error.h"

class StoppingMemory : public std::pmr::memory_resource {
public:
    void stop_after(int allocations) { left_ = allocations; }
    sparselin::StopSign stop() const { return sparselin::StopSign(&flag_); }
    void go_on() { flag_ = 0; }

private:
    void* do_allocate(size_t size, size_t alignment) override {
        if (left_-- == 0) flag_ = 1;
        return std::pmr::new_delete_resource()->allocate(size, alignment);
    }
    void do_deallocate(void* place, size_t size, size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(place, size, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    volatile std::sig_atomic_t flag_ = 0;
    int left_ = -1;
};
