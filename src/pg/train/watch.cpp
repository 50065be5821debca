#include "train/watch.h"

#include <cmath>
#include <csignal>

#include "train/shown_progress.h"

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
    MemoryContext query;     // nullptr: none
    int64 rows;              // that came in
    int64 begun;             // trainings that have gone through their rows, or are about to
    Mark coming, work;       // at the latest notice, or before the first one
    Mark begin_of_work;      // of the training under way
    TimestampTz noticed_at;  // or when the query began
    TimeoutId timer;
};

// In ms: how often other sessions are shown how training gets on.
constexpr int show_interval = 1000;

Watch watched;
volatile sig_atomic_t due = 0, at_work = 0;

void on_timer() {
    due = 1;
    if (at_work != 0) InterruptPending = true;
}

// In ms; 0 or less where it is due.
int64 time_to_notice() {
    return progress_interval - (GetCurrentTimestamp() - watched.noticed_at) / 1000;
}

void set_timer() {
    due = 0;
    const int64 wait = progress_interval > 0 ? Min(time_to_notice(), show_interval) : show_interval;
    enable_timeout_after(watched.timer, static_cast<int>(Max(wait, 1)));
}

void end_watch(void*) {
    watched.query = nullptr;
    disable_timeout(watched.timer, false);
    due = 0;
    at_work = 0;
    end_shown_progress();
}

void begin_watch(MemoryContext query) {
    static bool registered = false;
    if (!registered) watched.timer = RegisterTimeout(USER_TIMEOUT, on_timer);
    registered = true;
    at_reset(query, end_watch, nullptr);
    watched.query = query;
    watched.rows = watched.begun = 0;
    watched.noticed_at = GetCurrentTimestamp();
    watched.coming = {watched.noticed_at, 0};
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

Phase phase_of(const Standing& standing) {
    if (standing.searching) return Phase::searching;
    if (standing.epoch == 0) return Phase::looking;
    return standing.epoch > standing.epochs ? Phase::settling : Phase::learning;
}

// At the pace since the work began; 0 where the clock does not tell.
TimestampTz end_of(const Standing& standing) {
    const TimestampTz now = GetCurrentTimestamp();
    const auto visits = static_cast<double>(standing.visits - watched.begin_of_work.rows);
    if (visits <= 0) return 0;
    const double a_visit = static_cast<double>(now - watched.begin_of_work.time) / visits;
    const double left = a_visit * static_cast<double>(standing.least_left);
    constexpr double longest = 100.0 * 365 * USECS_PER_DAY;
    return left < longest ? now + static_cast<int64>(left) : 0;
}

void show(const Training& training, const std::optional<Standing>& standing) {
    ShownProgress shown{
        training.learner(), Phase::reading, watched.begun, watched.rows, 0, 0, 0, training.progressive_loss(), 0};
    if (standing) {
        shown.phase = phase_of(*standing);
        shown.rows = standing->rows;
        shown.done = standing->row;
        shown.epoch = Min(standing->epoch, standing->epochs);
        shown.epochs = standing->epochs;
        shown.ends_at = end_of(*standing);
    }
    show_progress(shown);
}

}  // namespace

void watch(FunctionCallInfo fcinfo) {
    if (watched.query == nullptr && !IsParallelWorker()) begin_watch(query_context(fcinfo));
}

void watch_row(FunctionCallInfo fcinfo, const Training& training) {
    watch(fcinfo);
    if (watched.query != query_context(fcinfo)) return;
    ++watched.rows;
    if (due != 0) {
        report(training);
    } else {
        keep_progress_shown();
    }
}

void watch_work(const Training& training) {
    if (watched.query == nullptr) return;
    const std::optional<Standing> standing = training.standing();
    if (!standing) return;
    ++watched.begun;
    watched.begin_of_work = watched.work = {GetCurrentTimestamp(), standing->visits};
    at_work = 1;
}

void watch_no_work() {
    at_work = 0;
}

bool report_is_due() {
    return due != 0 && watched.query != nullptr;
}

void report(const Training& training) {
    const std::optional<Standing> standing = training.standing();
    show(training, standing);
    const bool notices = progress_interval > 0 && time_to_notice() <= 0;
    if (notices) watched.noticed_at = GetCurrentTimestamp();
    set_timer();
    if (!notices) return;
    if (standing) {
        report_work(training, *standing);
    } else {
        report_rows(training);
    }
}

}  // namespace sparselin
