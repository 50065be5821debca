// Raises a flag again and again while it is there, as signals do in the server.
#pragma once

#include <csignal>
#include <sys/time.h>

class Timer {
public:
    explicit Timer(suseconds_t microseconds = 1000) {
        raised = 0;
        before_ = signal(SIGALRM, [](int) { raised = 1; });
        set(microseconds);
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
    void (*before_)(int);
};
