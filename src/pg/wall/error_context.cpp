#include "wall/error_context.h"

namespace sparselin {

static constexpr char query_line[] = "query of a model";

void add_query_line(void*) {
    errcontext("%s", query_line);
}

bool ends_with_query_line(const ErrorData* error) {
    if (error->context == nullptr) return false;
    const size_t size = strlen(error->context), wanted = strlen(query_line);
    return size >= wanted && strcmp(error->context + size - wanted, query_line) == 0;
}

void leave_out_statement(ErrorData* error, const char* statement) {
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

}  // namespace sparselin
