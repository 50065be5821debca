// How training gets on: a NOTICE every sparselin.progress_interval milliseconds.
//
// A timer raises a flag, and an interrupt, for which the passes over rows pause. One query of a process is watched at a
// time, the outermost that trains, with all its groups; a parallel worker's never. Turned off, it costs a row one look
// at a variable.
#pragma once

#include "learn/engine/training.h"
#include "wall/aggregate.h"

namespace sparselin {

// What follows belongs to the C zone, but for report_is_due().

void watch_this(FunctionCallInfo fcinfo);
void note_row(FunctionCallInfo fcinfo, const Training& training);

// The query of this call trains.
inline void watch(FunctionCallInfo fcinfo) {
    if (progress_interval > 0) watch_this(fcinfo);
}

// A row comes in.
inline void watch_row(FunctionCallInfo fcinfo, const Training& training) {
    if (progress_interval > 0) note_row(fcinfo, training);
}

// A training begins to go through its rows.
void watch_work(const Training& training);

bool report_is_due();
void report(const Training& training);

}  // namespace sparselin
