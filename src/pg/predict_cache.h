// Models made ready once per query, not once per row.
//
// The cache lives in fn_extra, so one place in a query has one. It knows a model by its toast pointer, without
// fetching what that points to, or by the fingerprint in the first bytes of a value at hand. The latest eight
// models stay whatever their size, and as many as 256 while together they fit in work_mem or 64 MB: a row scored by
// more models than stay would decode each of them again, for every row.
#pragma once

#include "../learn/predictor.h"
#include "model_type.h"

namespace sparselin {

// Lives until the next call at least. Ereports: C zone only.
const Predictor* cached_predictor(FunctionCallInfo fcinfo, Datum model);

// The same for a function that has more to keep: the cache is at `*place`, nullptr at first, and lives in `lasting`.
const Predictor* cached_predictor(void** place, MemoryContext lasting, Datum model);

}  // namespace sparselin
