// How training gets on: shown to other sessions every second (shown_progress.h), and in a NOTICE every
// sparselin.progress_interval milliseconds.
//
// A timer raises a flag, and while a training goes through its rows an interrupt, for which these passes pause. One
// query of a process is watched at a time, the outermost that trains, with all its groups; a parallel worker's never.
#pragma once

#include "learn/engine/training.h"
#include "wall/aggregate.h"

namespace sparselin {

// What follows belongs to the C zone, but for report_is_due().

// The query of this call trains.
void watch(FunctionCallInfo fcinfo);

// A row comes in.
void watch_row(FunctionCallInfo fcinfo, const Training& training);

// A training begins to go through its rows; it does no more.
void watch_work(const Training& training);
void watch_no_work();

bool report_is_due();
void report(const Training& training);

}  // namespace sparselin
