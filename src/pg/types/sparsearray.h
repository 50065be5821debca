// The type sparsearray as it lies on disk, and how to take it from a Datum and make one.
//
// The layout is that of pgvector's sparsevec, so that a binary-coercible cast is enough.
#pragma once

#include "learn/rows/sparse.h"

#include <optional>

#include "wall/guard.h"

namespace sparselin {

struct SparseArray {
    int32 vl_len_;  // varlena header, not to be touched directly
    int32 dim;      // 0: open
    int32 nnz;
    int32 unused;                        // 0
    int32 index[FLEXIBLE_ARRAY_MEMBER];  // nnz ascending 0-based indices, then nnz float4

    float4* values() { return reinterpret_cast<float4*>(index + nnz); }
    const float4* values() const { return reinterpret_cast<const float4*>(index + nnz); }
    SparseRow row() const { return {index, values(), nnz, dim}; }
};

static_assert(offsetof(SparseArray, index) == 16, "the layout of pgvector's sparsevec");

// The most non-zeros that fit in one value.
constexpr int64 max_nonzeros = static_cast<int64>((MaxAllocSize - offsetof(SparseArray, index)) / 8);

// The bytes of a value of nnz entries.
constexpr Size sparsearray_size(int64 nnz) {
    return offsetof(SparseArray, index) + 8 * static_cast<Size>(nnz);
}

// Detoasts, and checks that the header agrees with the size: what lies inside can be read, but only
// validate() says that it makes sense. The error names the row, counted from 1, where one is given. Ereports: C zone
// only.
const SparseArray* fetch_sparsearray(Datum datum, int64 row = 0);

// The same until it is called again: what is short, and stored without room to lie straight, needs no memory.
const SparseArray* fetch_sparsearray_for_now(Datum datum, int64 row);

// A copy of a row in this memory. Inside the wall.
SparseArray* make_sparsearray(const SparseRow& row, ContextMemory& memory);

// `compute` returns a SparseVector in the memory it is given; the result is its copy in the current context.
// Inside the wall.
template <typename Compute>
SparseArray* sparsearray_of(Compute&& compute) {
    ContextMemory memory(CurrentMemoryContext);
    return make_sparsearray(compute(static_cast<Memory>(&memory), server_stop()).row(), memory);
}

// Goes through the wall.
template <typename Compute>
SparseArray* compute_sparsearray(Compute&& compute) {
    return guarded([&] { return sparsearray_of(compute); });
}

// A row with its label, to learn from or to judge a model by, as it comes to the transition function of an aggregate.
struct LabelledRow {
    SparseRow x;
    Label label;
    double weight;
};

// Which arguments it is. The weight may be beyond the last one, and is 1 then.
struct RowArguments {
    int features, label, weight;
    LabelKind labels;
};

inline Label fetch_label(FunctionCallInfo fcinfo, const RowArguments& row) {
    switch (row.labels) {
        case LabelKind::number: return PG_GETARG_FLOAT8(row.label);
        case LabelKind::boolean: return PG_GETARG_BOOL(row.label) ? 1.0 : 0.0;
        case LabelKind::text: break;
    }
    return text_view(PG_GETARG_TEXT_PP(row.label));
}

// Until the next one. Nothing where one of them is NULL: such a row is skipped. `number`, counted from 1, is for
// errors. C zone only.
inline std::optional<LabelledRow> fetch_row(FunctionCallInfo fcinfo, const RowArguments& row, int64 number) {
    const bool weighted = PG_NARGS() > row.weight;
    if (PG_ARGISNULL(row.features) || PG_ARGISNULL(row.label) || (weighted && PG_ARGISNULL(row.weight))) return {};
    return LabelledRow{fetch_sparsearray_for_now(PG_GETARG_DATUM(row.features), number)->row(),
                       fetch_label(fcinfo, row), weighted ? PG_GETARG_FLOAT8(row.weight) : 1};
}

}  // namespace sparselin

#define PG_GETARG_SPARSEARRAY(n) sparselin::fetch_sparsearray(PG_GETARG_DATUM(n))
