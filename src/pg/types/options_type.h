// The type sparselin_options: a varlena whose bytes are the canonical text, and nothing else. So it does not
// depend on versions or byte order, and equal options are equal bytes.
#pragma once

#include "learn/options/options.h"
#include "wall/pg.h"

namespace sparselin {

// The canonical text, for parse_options inside guarded(). Detoasts, into the current memory context where it must;
// ereports: C zone only.
std::string_view options_text(Datum datum);

}  // namespace sparselin

#define PG_GETARG_OPTIONS_TEXT(n) sparselin::options_text(PG_GETARG_DATUM(n))
