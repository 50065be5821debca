// A fixed run of plain values that starts as zeros; making and copying a large one can be interrupted.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace sparselin {

template <typename T>
class Slab {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);

public:
    explicit Slab(Memory memory) : memory_(memory) {}

    Slab(Memory memory, size_t size, StopSign stop) : Slab(memory) {
        if (size > static_cast<size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_alloc();
        values_ = static_cast<T*>(memory->allocate(size * sizeof(T), alignof(T)));
        size_ = size;
        clear_from(0, stop);
    }

    // A longer copy of `shorter`, zeros behind it.
    Slab(Memory memory, size_t size, const Slab& shorter, StopSign stop) : Slab(memory, size, stop) {
        for (size_t start = 0; start < shorter.size_; start += stride) {
            stop.poll();
            memcpy(values_ + start, shorter.values_ + start, std::min(stride, shorter.size_ - start) * sizeof(T));
        }
    }

    Slab(const Slab&) = delete;
    // The values stay where they are, in the other's memory.
    Slab& operator=(Slab&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(values_, other.values_);
        std::swap(size_, other.size_);
        return *this;
    }
    Slab(Slab&& other) noexcept : memory_(other.memory_) { *this = std::move(other); }
    ~Slab() {
        if (values_ != nullptr) memory_->deallocate(values_, size_ * sizeof(T), alignof(T));
    }

    size_t size() const { return size_; }
    T* data() { return values_; }
    const T* data() const { return values_; }
    T& operator[](size_t i) { return values_[i]; }
    const T& operator[](size_t i) const { return values_[i]; }

private:
    static constexpr size_t stride = 65536;

    void clear_from(size_t start, StopSign stop) {
        for (; start < size_; start += stride) {
            stop.poll();
            memset(static_cast<void*>(values_ + start), 0, std::min(stride, size_ - start) * sizeof(T));
        }
    }

    Memory memory_;
    T* values_ = nullptr;
    size_t size_ = 0;
};

}  // namespace sparselin
