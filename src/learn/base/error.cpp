#include "base/error.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace sparselin {

Error::Error(Fault fault, const char* format, ...) : fault_(fault), message_{}, hint_{} {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message_, sizeof message_, format, arguments);
    va_end(arguments);
}

Error& Error::hint(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint_, sizeof hint_, format, arguments);
    va_end(arguments);
    return *this;
}

Error& Error::at_row(int64_t row) {
    char text[sizeof message_];
    memcpy(text, message_, sizeof text);
    const int prefix = snprintf(message_, sizeof message_, "row %lld: ", static_cast<long long>(row));
    snprintf(message_ + prefix, sizeof message_ - static_cast<size_t>(prefix), "%.*s",
             static_cast<int>(sizeof message_) - prefix - 1, text);
    return *this;
}

}  // namespace sparselin
