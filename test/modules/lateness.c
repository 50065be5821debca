/*
 * How late an error comes after it was asked for, inside of the backend and in its own processor time: what others do
 * on the machine does not count.
 *
 *   interrupt_after(milliseconds)   as pg_cancel_backend does, so long from now
 *   interrupt_no_more()             not any more, where it has not come yet
 *   lateness()                      processor milliseconds from then until now; NULL before it
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timeout.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(interrupt_after);
PG_FUNCTION_INFO_V1(interrupt_no_more);
PG_FUNCTION_INFO_V1(lateness);

static TimeoutId timer = USER_TIMEOUT;
static volatile sig_atomic_t raised;
static struct timespec when;

static void raise_interrupt(void) {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &when);
    raised = 1;
    QueryCancelPending = true;
    InterruptPending = true;
    SetLatch(MyLatch);
}

Datum interrupt_after(PG_FUNCTION_ARGS) {
    static bool registered = false;

    if (!registered) timer = RegisterTimeout(USER_TIMEOUT, raise_interrupt);
    registered = true;
    raised = 0;
    enable_timeout_after(timer, PG_GETARG_INT32(0));
    PG_RETURN_VOID();
}

Datum interrupt_no_more(PG_FUNCTION_ARGS) {
    disable_timeout(timer, false);
    PG_RETURN_VOID();
}

Datum lateness(PG_FUNCTION_ARGS) {
    struct timespec now;

    if (!raised) PG_RETURN_NULL();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    PG_RETURN_FLOAT8((now.tv_sec - when.tv_sec) * 1e3 + (now.tv_nsec - when.tv_nsec) / 1e6);
}
