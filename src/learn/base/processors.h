// For plain loops that the compiler makes vectors of: a second time for processors that have longer ones, and the
// machine takes what fits when the library is loaded. Both do the same operations in the same order, and so find the
// same bits.
//
// Of functions that are no templates, as clang knows it for no others. Not where addresses are watched: that is not
// ready when the machine is asked what it has.
#pragma once

#include <cstdlib>

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(SPARSELIN_ONE_PROCESSOR) && __has_attribute(target_clones)
#define SPARSELIN_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define SPARSELIN_FOR_EACH_PROCESSOR
#endif
