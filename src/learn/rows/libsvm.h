// One line of an svmlight or LIBSVM file: a label, index:value pairs, perhaps a comment behind '#'.
//
// Pairs may come in any order; zeros are dropped. A ranking group (qid:...) is an error: learning without it would
// silently be something else.
#pragma once

#include "rows/sparse.h"

namespace sparselin {

struct LibsvmLine {
    explicit LibsvmLine(Memory memory) : features(memory) {}

    bool blank = true;  // white space or a comment only: no label, no features
    double label = 0;
    SparseVector features;  // of open dimension
};

LibsvmLine parse_libsvm(std::string_view line, Memory memory, StopSign stop);

}  // namespace sparselin
