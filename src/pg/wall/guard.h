// The wall between C++ and the server.
//
// Code inside guarded() is C++: it may throw, and calls nothing that can ereport. Code outside it is C: it may
// ereport, and owns nothing with a destructor. An exception becomes a plain Outcome on the way out; ereport
// happens after that, where there is nothing left to destroy.
#pragma once

#include "learn/base/error.h"
#include "wall/memory.h"

#include <type_traits>

namespace sparselin {

// The end of a guarded call, in plain bytes.
struct Outcome {
    enum { done, interrupted, given_up, failed, out_of_memory, unexpected } kind = done;
    Fault fault{};
    char message[400];
    char hint[400];
};

// To be called inside a catch block: describes the exception under way.
void describe_exception(Outcome& outcome) noexcept;

// ereport(ERROR) for an outcome that is neither done nor interrupted.
[[noreturn]] void raise(const Outcome& outcome);

// The same for wrong input, which the caller of an input function may want to keep (its context says so): then it
// comes back.
void save(const Outcome& outcome, Node* context);

// While there is one, server_stop() is for cancels alone.
class OnlyCancels {
public:
    explicit OnlyCancels(bool wanted) { there_is_one = wanted; }
    OnlyCancels(const OnlyCancels&) = delete;
    ~OnlyCancels() { there_is_one = false; }

    static bool there_is_one;
};

// The server's flags, for pure code to poll; none where interrupts would not be served, or the work would never end.
inline StopSign server_stop() {
    static constexpr StopSign::Flag cancels[] = {&QueryCancelPending, &ProcDiePending};
    const bool held = InterruptHoldoffCount != 0 || CritSectionCount != 0 || QueryCancelHoldoffCount != 0;
    if (held) return StopSign();
    const StopSign stop(&InterruptPending, cancels);
    return OnlyCancels::there_is_one ? stop.for_cancels() : stop;
}

// The work that an interrupted call has to do again.
enum class Again { everything, the_rest };

// Runs `work`; on GivenUp serves the server's interrupts, and does not come back; on Interrupted serves the server's
// interrupts, which may not come back, and runs it again. From then on it stops for cancels alone, unless it gets ahead
// each time.
template <Again again = Again::everything, typename Work>
auto guarded(Work&& work) {
    using Result = decltype(work());
    static_assert(std::is_void_v<Result> || std::is_trivially_destructible_v<Result>);
    for (bool once_more = false;; once_more = true) {
        Outcome outcome;
        try {
            const OnlyCancels only_cancels(once_more && again == Again::everything);
            return work();
        } catch (...) {
            describe_exception(outcome);
        }
        const bool stopped = outcome.kind == Outcome::interrupted || outcome.kind == Outcome::given_up;
        if (stopped) CHECK_FOR_INTERRUPTS();
        if (outcome.kind != Outcome::interrupted) raise(outcome);
    }
}

// For input functions: `work` returns a pointer. An Error is one about the input; where the caller keeps it, the
// result is nullptr.
template <typename Work>
auto guarded_input(FunctionCallInfo fcinfo, Work&& work) -> decltype(work()) {
    Outcome outcome;
    const auto result = guarded([&]() -> decltype(work()) {
        try {
            return work();
        } catch (const Error&) {
            describe_exception(outcome);
            return nullptr;
        }
    });
    if (outcome.kind != Outcome::done) save(outcome, fcinfo->context);
    return result;
}

}  // namespace sparselin
