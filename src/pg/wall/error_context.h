// The context lines of errors. The statements and functions that keeping models is made of are no news to
// who calls it: an error in the query of a model says that it is the query's, any other one of ours nothing.
#pragma once

#include "wall/pg.h"

namespace sparselin {

// Runs something apart from what called it, so that an error tells its inner circumstances alone; report(error) gets it
// then, and does not return. Both are C: nothing to destroy.
template <typename Run, typename Report>
void run_apart(ErrorContextCallback* circumstances, Run run, Report report) {
    const MemoryContext caller = CurrentMemoryContext;
    PG_TRY();
    {
        error_context_stack = circumstances;
        run();
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(caller);
        ErrorData* const error = CopyErrorData();
        FlushErrorState();
        report(error);
    }
    PG_END_TRY();
}

// The last line of an error in the query of a model.
void add_query_line(void*);
bool ends_with_query_line(const ErrorData* error);

// Removes a statement of ours from what an error tells.
void leave_out_statement(ErrorData* error, const char* statement);

// Runs a function that runs the query of a model; edit(error) may change what is reported.
template <typename Run, typename Edit>
void run_query_apart(Run run, Edit edit) {
    ErrorContextCallback line{nullptr, add_query_line, nullptr};
    run_apart(&line, run, [&](ErrorData* error) {
        edit(error);
        ReThrowError(error);
    });
}

// Runs functions of ours; the context of an error names their caller alone.
template <typename Run>
void run_ours_apart(Run run) {
    run_apart(nullptr, run, [](ErrorData* error) {
        if (!ends_with_query_line(error)) error->context = nullptr;
        ThrowErrorData(error);
    });
}

}  // namespace sparselin
