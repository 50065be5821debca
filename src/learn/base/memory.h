// What owns memory, and what moves much of it in pieces, so that it can be given up.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace sparselin {

// Owns one object, made in the given memory; where the class is polymorphic it may be of a derived one.
template <typename Base>
class Box {
    template <typename Made>
    static void destroy_as(Memory from, Base* object) {
        std::pmr::polymorphic_allocator<>(from).delete_object(static_cast<Made*>(object));
    }
    struct Exactly {
        void operator()(Memory from, Base* object) const { destroy_as<Base>(from, object); }
    };
    static constexpr bool may_be_derived = std::is_polymorphic_v<Base>;

public:
    Box() = default;

    template <typename Made, typename... Arguments>
    static Box make(Memory memory, Arguments&&... arguments) {
        static_assert(may_be_derived || std::is_same_v<Made, Base>);
        std::pmr::polymorphic_allocator<> allocator(memory);
        Box box;
        box.object_ = allocator.new_object<Made>(std::forward<Arguments>(arguments)...);
        box.memory_ = memory;
        if constexpr (may_be_derived) box.destroy_ = destroy_as<Made>;
        return box;
    }

    Box(Box&& other) noexcept { swap(other); }
    Box& operator=(Box&& other) noexcept {
        Box taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~Box() {
        if (object_ != nullptr) destroy_(memory_, object_);
    }

    explicit operator bool() const { return object_ != nullptr; }
    Base* operator->() const { return object_; }
    Base& operator*() const { return *object_; }

private:
    void swap(Box& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(memory_, other.memory_);
        std::swap(destroy_, other.destroy_);
    }

    Base* object_ = nullptr;
    Memory memory_ = nullptr;
    [[no_unique_address]] std::conditional_t<may_be_derived, void (*)(Memory, Base*), Exactly> destroy_{};
};

// What may be large, gone through in pieces: between two of them the work can be given up.
inline void copy_bytes(char* target, const char* source, size_t size, StopSign stop) {
    constexpr size_t piece = size_t{1} << 20;
    for (; size > piece; target += piece, source += piece, size -= piece) {
        memcpy(target, source, piece);
        stop.give_up();
    }
    if (size > 0) memcpy(target, source, size);
}

// Calls visit(piece) for each piece of a run of values.
template <typename Value, typename Visit>
void in_pieces(std::span<const Value> values, StopSign stop, Visit&& visit) {
    constexpr size_t piece = size_t{1} << 17;
    for (; values.size() > piece; values = values.subspan(piece)) {
        visit(values.first(piece));
        stop.give_up();
    }
    visit(values);
}

template <typename Value>
void append_all(Vector<Value>& target, std::span<const Value> values, StopSign stop) {
    static_assert(std::is_trivially_copyable_v<Value>);
    in_pieces(values, stop, [&](auto piece) {
        const size_t before = target.size();
        // Not insert(), nor std::copy(): beside memory of its own that copies one by one.
        target.resize(before + piece.size());
        if (!piece.empty()) memcpy(target.data() + before, piece.data(), piece.size_bytes());
    });
}

template <typename Value>
bool all_equal(const Vector<Value>& a, const Vector<Value>& b, StopSign stop) {
    if (a.size() != b.size()) return false;
    const Value* other = b.data();
    bool equal = true;
    in_pieces(std::span<const Value>(a), stop, [&](auto piece) {
        equal = equal && std::equal(piece.begin(), piece.end(), other);
        other += piece.size();
    });
    return equal;
}

// A fixed run of plain values that starts as zeros; making and copying a large one can be interrupted.
template <typename T>
class Slab {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);

public:
    explicit Slab(Memory memory) : memory_(memory) {}

    Slab(Memory memory, size_t size, StopSign stop) : Slab(memory) {
        allocate(size);
        clear_from(0, stop);
    }

    // A longer copy of `shorter`, zeros behind it.
    Slab(Memory memory, size_t size, const Slab& shorter, StopSign stop) : Slab(memory, size, stop) {
        copy(shorter, stop);
    }

    // The same, but nothing behind it yet: memory that is written when it is needed is not touched before.
    static Slab unset_behind(const Slab& shorter, Memory memory, size_t size, StopSign stop) {
        Slab slab(memory);
        slab.allocate(size);
        slab.copy(shorter, stop);
        return slab;
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
        if (values_ != nullptr) memory_->deallocate(values_, size_ * sizeof(T), alignment_for(size_));
    }

    size_t size() const { return size_; }
    T* data() { return values_; }
    const T* data() const { return values_; }
    T& operator[](size_t i) { return values_[i]; }
    const T& operator[](size_t i) const { return values_[i]; }

private:
    static constexpr size_t stride = 65536;

    void allocate(size_t size) {
        if (size > static_cast<size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_alloc();
        values_ = static_cast<T*>(memory_->allocate(size * sizeof(T), alignment_for(size)));
        size_ = size;
    }

    // Two numbers of one feature are not to lie in two lines of the cache, of which one alone is asked for. Not where
    // that is not felt: the server rounds what takes up to 8 kB up to a power of two.
    static size_t alignment_for(size_t size) {
        constexpr size_t line = 64, few_bytes = 8192;
        return size * sizeof(T) <= few_bytes ? alignof(T) : line;
    }

    void copy(const Slab& shorter, StopSign stop) {
        for (size_t start = 0; start < shorter.size_; start += stride) {
            stop.poll();
            memcpy(values_ + start, shorter.values_ + start, std::min(stride, shorter.size_ - start) * sizeof(T));
        }
    }

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
