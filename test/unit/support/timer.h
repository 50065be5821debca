// Raises a flag again and again while it is there, as signals do in the server.
#pragma once

#include <algorithm>
#include <csignal>
#include <sys/time.h>

class Timer {
public:
    explicit Timer(suseconds_t microseconds = 1000) : interval_(microseconds) {
        raised = 0;
        before_ = signal(SIGALRM, [](int) { raised = 1; });
        set(interval_);
    }

    // Before long there is time enough for what begins anew when it is interrupted, however slow the machine.
    void slow_down() {
        interval_ = std::min<suseconds_t>(interval_ + interval_ / 16, 500000);
        set(interval_);
    }

    ~Timer() {
        set(0);
        signal(SIGALRM, before_);
    }
    static inline volatile std::sig_atomic_t raised;

private:
    static void set(suseconds_t interval) {
        const itimerval value = {{0, interval}, {0, interval}};
        setitimer(ITIMER_REAL, &value, nullptr);
    }
    suseconds_t interval_;
    void (*before_)(int);
};
