// Owns one object, made in the given memory; the object may be of a derived class.
#pragma once

#include "base/pure.h"

#include <new>
#include <utility>

namespace sparselin {

template <typename Base>
class Box {
public:
    Box() = default;

    template <typename Made, typename... Arguments>
    static Box make(Memory memory, Arguments&&... arguments) {
        std::pmr::polymorphic_allocator<> allocator(memory);
        Box box;
        box.object_ = allocator.new_object<Made>(std::forward<Arguments>(arguments)...);
        box.memory_ = memory;
        box.destroy_ = [](Memory from, Base* object) {
            std::pmr::polymorphic_allocator<>(from).delete_object(static_cast<Made*>(object));
        };
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
    void (*destroy_)(Memory, Base*) = nullptr;
};

}  // namespace sparselin
