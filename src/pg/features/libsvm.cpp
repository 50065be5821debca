// sparselin_libsvm(line) -> (label, features)
#include "learn/rows/libsvm.h"
#include "types/sparsearray.h"

using namespace sparselin;

namespace {

struct Parsed {
    bool blank;
    double label;
    SparseArray* features;
};

Parsed parse(std::string_view line) {
    return guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        const LibsvmLine parsed = parse_libsvm(line, &memory, server_stop());
        return Parsed{parsed.blank, parsed.label,
                      parsed.blank ? nullptr : make_sparsearray(parsed.features.row(), memory)};
    });
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_libsvm) {
    const text* line = PG_GETARG_TEXT_PP(0);
    TupleDesc descriptor;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    descriptor = BlessTupleDesc(descriptor);
    const Parsed parsed = parse({VARDATA_ANY(line), static_cast<size_t>(VARSIZE_ANY_EXHDR(line))});
    Datum values[] = {Float8GetDatum(parsed.label), PointerGetDatum(parsed.features)};
    bool nulls[] = {parsed.blank, parsed.blank};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}
