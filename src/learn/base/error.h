// The ground under src/learn: what every file there may use, and how it reports: an Error for the reader, or
// Interrupted for the caller.
//
// This folder is plain C++20. It knows nothing of PostgreSQL, does no I/O, has no globals, and takes memory only from
// the std::pmr::memory_resource it is given.
#pragma once

#ifdef POSTGRES_H
static_assert(false, "headers of src/learn come before pg.h, and know nothing of PostgreSQL");
#endif

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparselin {

using Memory = std::pmr::memory_resource*;

template <typename T>
using Vector = std::pmr::vector<T>;

using String = std::pmr::string;

// What kind of wrong it is; the binding turns it into a SQLSTATE.
enum class Fault {
    bad_text,       // text input that cannot be read
    bad_binary,     // binary input that cannot be read
    bad_value,      // a value outside what is allowed
    out_of_range,   // a number too large or too small for its type
    mismatch,       // two things that do not fit together
    not_supported,  // a sensible wish that this object cannot fulfil
    diverged,       // learning ran away
    too_large,      // above a size limit
};

// Texts live in fixed buffers: an exception may not allocate from anywhere but the C++ runtime.
class Error {
public:
    // Primary text: lower case, no full stop, with the value and the row number in it.
    Error(Fault fault, const char* format, ...) __attribute__((format(printf, 3, 4)));

    // What to do about it: a full sentence.
    Error& hint(const char* format, ...) __attribute__((format(printf, 2, 3)));

    // Puts "row N: " in front of the primary text.
    Error& at_row(int64_t row);

    Fault fault() const { return fault_; }
    const char* message() const { return message_; }
    const char* hint() const { return hint_; }

private:
    Fault fault_;
    char message_[400];
    char hint_[400];
};

// Thrown at points from which the same call can simply be made again.
struct Interrupted {};

// Thrown where the work cannot go on from: what it was at is left as it is, and not to be used any more.
struct GivenUp {};

// A flag somebody else raises when the work should pause: to be polled in every long loop. `cancels` are the flags of
// cancels, from which the work will hardly come back.
class StopSign {
public:
    using Flag = const volatile std::sig_atomic_t*;
    using Flags = const Flag (&)[2];

    explicit StopSign(Flag flag = nullptr) : flag_(flag) {}
    StopSign(Flag flag, Flags cancels) : flag_(flag), cancels_(cancels) {}

    // For work that would begin anew after a pause, and never get done if pauses came faster than it is.
    StopSign for_cancels() const {
        StopSign sign = *this;
        if (cancels_ != nullptr) sign.flag_ = nullptr;
        return sign;
    }

    bool raised() const { return flag_ != nullptr ? *flag_ != 0 : cancelled(); }

    void poll() const {
        if (raised()) throw Interrupted{};
    }

    // For the middle of what cannot be made again, such as a step of a learner: only a cancel is worth stopping for.
    void give_up() const {
        if (cancelled()) throw GivenUp{};
    }

    // For loops whose rounds are a few nanoseconds: looks at the flag every 65536th round.
    void poll_every_so_often(size_t round) const {
        if ((round & 0xffff) == 0) poll();
    }

private:
    bool cancelled() const { return cancels_ != nullptr && (*cancels_[0] != 0 || *cancels_[1] != 0); }

    Flag flag_ = nullptr;
    const Flag* cancels_ = nullptr;
};

}  // namespace sparselin
