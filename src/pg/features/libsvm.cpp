// sparselin_libsvm(line) -> (label, features)
#include "learn/rows/libsvm.h"
#include "types/sparsearray.h"
#include "wall/result_rows.h"

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
    const Parsed parsed = parse(text_view(PG_GETARG_TEXT_PP(0)));
    Datum values[] = {Float8GetDatum(parsed.label), PointerGetDatum(parsed.features)};
    return row_of(result_type(fcinfo), values, {parsed.blank, parsed.blank});
}
