// A row with its label, to learn from or to judge a model by, as it comes to the transition function of an aggregate.
#pragma once

#include "types/sparsearray.h"

#include <optional>

namespace sparselin {

struct LabelledRow {
    SparseRow x;
    double label, weight;
};

// Which arguments it is. The weight may be beyond the last one, and is 1 then; labels are boolean, or numbers.
struct RowArguments {
    int features, label, weight;
    bool boolean;
};

// Nothing where one of them is NULL: such a row is skipped. `number`, counted from 1, is for errors. C zone only.
inline std::optional<LabelledRow> fetch_row(FunctionCallInfo fcinfo, const RowArguments& row, int64 number) {
    const bool weighted = PG_NARGS() > row.weight;
    if (PG_ARGISNULL(row.features) || PG_ARGISNULL(row.label) || (weighted && PG_ARGISNULL(row.weight))) return {};
    return LabelledRow{fetch_sparsearray(PG_GETARG_DATUM(row.features), number)->row(),
                       row.boolean ? PG_GETARG_BOOL(row.label) : PG_GETARG_FLOAT8(row.label),
                       weighted ? PG_GETARG_FLOAT8(row.weight) : 1};
}

}  // namespace sparselin
