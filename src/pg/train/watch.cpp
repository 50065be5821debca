#include "train/watch.h"

#include <cmath>
#include <csignal>

extern "C" {
#include "access/parallel.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"
}

namespace sparselin {

namespace {

// So many rows have been gone through up to some time.
struct Mark {
    TimestampTz time;
    int64 rows;
};

// The query that is watched.
struct Watch {
    MemoryContext query;  // nullptr: none
    int64 rows;           // that came in
    int64 begun;          // trainings that have gone through their rows, or are about to
    Mark coming, work;    // at the latest report, or before the first one
    TimeoutId timer;
};

Watch watched;
volatile sig_atomic_t due = 0;

void on_timer() {
    due = 1;
    InterruptPending = true;
}

void set_timer() {
    due = 0;
    if (progress_interval > 0) enable_timeout_after(watched.timer, progress_interval);
}

void end_watch(void*) {
    watched.query = nullptr;
    disable_timeout(watched.timer, false);
    due = 0;
}

void begin_watch(MemoryContext query) {
    static bool registered = false;
    if (!registered) watched.timer = RegisterTimeout(USER_TIMEOUT, on_timer);
    registered = true;
    at_reset(query, end_watch, nullptr);
    watched.query = query;
    watched.rows = watched.begun = 0;
    watched.coming = {GetCurrentTimestamp(), 0};
    set_timer();
}

// Rows a second since the mark, which moves on; 0 where the clock does not tell.
double rate_since(Mark& mark, int64 rows) {
    const TimestampTz now = GetCurrentTimestamp();
    const double seconds = static_cast<double>(now - mark.time) / USECS_PER_SEC;
    const double a_second = seconds > 0 ? static_cast<double>(rows - mark.rows) / seconds : 0;
    mark = {now, rows};
    return a_second;
}

Phrase loss_text(const Training& training) {
    Phrase text;
    const double loss = training.progressive_loss();
    if (std::isfinite(loss)) text.add(", progressive loss %.4g", loss);
    return text;
}

Phrase time_text(double seconds) {
    Phrase text;
    if (seconds < 100) {
        text.add("%.1f s", seconds);
    } else if (seconds < 6000) {
        text.add("%.0f min", seconds / 60);
    } else {
        text.add("%.1f h", seconds / 3600);
    }
    return text;
}

void report_rows(const Training& training) {
    const double a_second = rate_since(watched.coming, watched.rows);
    ereport(NOTICE, errmsg("%s: %lld rows, %.0f a second%s", name_of(training.learner()),
                           static_cast<long long>(watched.rows), a_second, loss_text(training).c_str()));
}

void report_work(const Training& training, const Standing& standing) {
    const double a_second = rate_since(watched.work, standing.visits);
    const double share = 100.0 * static_cast<double>(standing.row) / static_cast<double>(Max(standing.rows, 1));
    Phrase end, epoch;
    if (watched.begun > 1) epoch.add("model %lld, ", static_cast<long long>(watched.begun));
    if (a_second > 0)
        end.add(", ends in about %s", time_text(static_cast<double>(standing.least_left) / a_second).c_str());
    if (standing.searching) epoch.add("search, ");
    if (standing.epoch == 0) {
        epoch.add("before epoch 1 of %lld", static_cast<long long>(standing.epochs));
    } else if (standing.epoch > standing.epochs) {
        epoch.add("after epoch %lld", static_cast<long long>(standing.epochs));
    } else {
        epoch.add("epoch %lld of %lld", static_cast<long long>(standing.epoch),
                  static_cast<long long>(standing.epochs));
    }
    ereport(NOTICE,
            errmsg("%s: %s, %.0f %% of %lld rows, %.0f a second%s%s", name_of(training.learner()), epoch.c_str(), share,
                   static_cast<long long>(standing.rows), a_second, loss_text(training).c_str(), end.c_str()));
}

}  // namespace

void watch_this(FunctionCallInfo fcinfo) {
    if (watched.query == nullptr && !IsParallelWorker()) begin_watch(query_context(fcinfo));
}

void note_row(FunctionCallInfo fcinfo, const Training& training) {
    watch_this(fcinfo);
    if (watched.query != query_context(fcinfo)) return;
    ++watched.rows;
    if (due != 0) report(training);
}

void watch_work(const Training& training) {
    if (watched.query == nullptr) return;
    const std::optional<Standing> standing = training.standing();
    if (!standing) return;
    ++watched.begun;
    watched.work = {GetCurrentTimestamp(), standing->visits};
}

bool report_is_due() {
    return due != 0 && watched.query != nullptr;
}

void report(const Training& training) {
    set_timer();
    if (const std::optional<Standing> standing = training.standing()) {
        report_work(training, *standing);
    } else {
        report_rows(training);
    }
}

}  // namespace sparselin
