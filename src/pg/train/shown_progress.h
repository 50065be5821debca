// How training gets on, for other sessions to see: the view sparselin_progress.
//
// Every process of the server has a place in shared memory for the progress of a command, which pg_stat_progress_vacuum
// and the like read: a number that says which command it is, and twenty others. A training has a command's number of
// its own, so that those views pass over it, and never takes the place of a command that is at work, such as COPY; up
// to PostgreSQL 13, where nobody can see whether one is, it does. The server clears it where a transaction or a
// subtransaction aborts, and when the process ends.
#pragma once

#include "learn/options/options.h"

#include "wall/pg.h"

extern "C" {
#include "datatype/timestamp.h"
}

namespace sparselin {

// The numbers stand in shared memory: new ones come at the end.
enum class Phase : uint8 { reading, looking, searching, learning, settling };

struct ShownProgress {
    LearnerKind learner;
    Phase phase;
    int64 model;          // which one of the query, from 1 on
    int64 rows;           // that have come in; or that a pass goes through
    int64 done;           // of the pass
    int64 epoch, epochs;  // 0 where there are none yet
    double loss;          // no number where nothing is known of it
    TimestampTz ends_at;  // 0 where nothing is known of it
};

// None of it can fail.
void show_progress(const ShownProgress& progress);
void keep_progress_shown();  // where something has cleared it meanwhile, and that can be seen
void end_shown_progress();

}  // namespace sparselin
