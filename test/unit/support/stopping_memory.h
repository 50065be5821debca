// Asks for a stop when so much memory has been asked for: interrupts come at any point.
#pragma once

#include "base/error.h"

class StoppingMemory : public std::pmr::memory_resource {
public:
    void stop_after(int allocations) { left_ = allocations; }
    // Whether there have been more since then.
    bool has_stopped() const { return left_ < 0; }
    sparselin::StopSign stop() const { return sparselin::StopSign(&flag_); }
    void go_on() { flag_ = 0; }

    // Makes a call again for as long as it is interrupted.
    template <typename Work>
    auto until_done(Work&& work) {
        for (;;) {
            try {
                return work();
            } catch (const sparselin::Interrupted&) {
                ++interrupts_;
                go_on();
            }
        }
    }
    int interrupts() const { return interrupts_; }

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
    int interrupts_ = 0;
};
