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

constexpr char query_line[] = "query of a model";

// The last line of an error in the query of a model.
inline void add_query_line(void*) {
    errcontext("%s", query_line);
}

inline bool ends_with_query_line(const ErrorData* error) {
    if (error->context == nullptr) return false;
    const size_t size = strlen(error->context), wanted = strlen(query_line);
    return size >= wanted && strcmp(error->context + size - wanted, query_line) == 0;
}

// Removes a statement of ours from what an error tells.
inline void leave_out_statement(ErrorData* error, const char* statement) {
    if (error->internalquery != nullptr && strcmp(error->internalquery, statement) == 0) {
        error->internalquery = nullptr;
        error->internalpos = 0;
    }
    char* const found = error->context != nullptr ? strstr(error->context, statement) : nullptr;
    const char* const end = found != nullptr ? strchr(found + strlen(statement), '\n') : nullptr;
    if (end == nullptr) return;  // lines always follow it: the query's
    char* begin = found;
    while (begin > error->context && begin[-1] != '\n') --begin;
    memmove(begin, end + 1, strlen(end + 1) + 1);
}

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
