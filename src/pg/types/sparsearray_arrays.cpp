// sparsearray from PostgreSQL's arrays, and back to real[].
#include "learn/rows/sparse_builder.h"
#include "types/sparsearray.h"

using namespace sparselin;

namespace {

// What the server calls MaxArraySize, a name that its oldest headers do not give away.
constexpr auto most_elements = static_cast<int64>(MaxAllocSize / sizeof(Datum));

// Elements from one look at the interrupts to the next.
constexpr int64 stretch = 65536;

// A one-dimensional array without NULLs, whatever its lower bound. C zone.
int64 checked_length(ArrayType* array) {
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("array has %d dimensions", ARR_NDIM(array)),
                errhint("A sparsearray is made of one-dimensional arrays."));
    if (array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array contains a NULL"),
                errhint("Replace NULLs first, or remove them with array_remove(array, NULL)."));
    return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

template <typename Element>
const Element* elements(ArrayType* array) {
    return reinterpret_cast<const Element*>(ARR_DATA_PTR(array));
}

// As a double that is rounded to float4 once: one of 64 bits rounds to double first.
template <typename Element>
double number(Element element) {
    if constexpr (std::is_same_v<Element, int64>) return static_cast<double>(static_cast<float4>(element));
    return static_cast<double>(element);
}

// The array that add(builder, k) builds for each k from 0 up; room is reserved for `known` non-zeros.
template <typename Add>
SparseArray* build(int64 length, int64 dim, int64 known, Add&& add) {
    return compute_sparsearray([=](Memory memory, StopSign stop) {
        SparseBuilder builder(memory);
        builder.reserve(static_cast<size_t>(known));
        for (int64 k = 0; k < length; ++k) {
            stop.poll_every_so_often(static_cast<size_t>(k));
            add(builder, k);
        }
        return builder.finish(dim, stop);
    });
}

template <typename Element>
SparseArray* from_dense(ArrayType* array) {
    const int64 length = checked_length(array);
    const auto* element = elements<Element>(array);
    return build(length, length, 0, [=](SparseBuilder& builder, int64 k) {
        if (element[k] != 0) builder.add(k + 1, number(element[k]));
    });
}

// Through their text, so that a numeric is rounded once, and refused as text input refuses it.
const char** numeric_texts(ArrayType* array, int64 length) {
    Datum* element;
    int count;
    deconstruct_array(array, NUMERICOID, -1, false, TYPALIGN_INT, &element, nullptr, &count);
    auto* text = static_cast<const char**>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char*) * static_cast<Size>(length + 1)));
    for (int64 k = 0; k < length; ++k) {
        CHECK_FOR_INTERRUPTS();
        text[k] = DatumGetCString(DirectFunctionCall1(numeric_out, element[k]));
    }
    return text;
}

}  // namespace

SPARSELIN_RETURNS(sparsearray_from_real, PointerGetDatum(from_dense<float4>(PG_GETARG_ARRAYTYPE_P(0))))
SPARSELIN_RETURNS(sparsearray_from_double, PointerGetDatum(from_dense<float8>(PG_GETARG_ARRAYTYPE_P(0))))
SPARSELIN_RETURNS(sparsearray_from_smallint, PointerGetDatum(from_dense<int16>(PG_GETARG_ARRAYTYPE_P(0))))
SPARSELIN_RETURNS(sparsearray_from_bigint, PointerGetDatum(from_dense<int64>(PG_GETARG_ARRAYTYPE_P(0))))
SPARSELIN_RETURNS(sparsearray_from_integer, PointerGetDatum(from_dense<int32>(PG_GETARG_ARRAYTYPE_P(0))))

SPARSELIN_FUNCTION(sparsearray_from_numeric) {
    ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
    const int64 length = checked_length(array);
    const char** text = numeric_texts(array, length);
    PG_RETURN_POINTER(build(length, length, 0,
                            [=](SparseBuilder& builder, int64 k) { builder.add(k + 1, std::string_view(text[k])); }));
}

SPARSELIN_FUNCTION(sparsearray_from_pairs) {
    ArrayType* indices = PG_GETARG_ARRAYTYPE_P(0);
    ArrayType* values = PG_GETARG_ARRAYTYPE_P(1);
    const int32 dim = PG_GETARG_INT32(2);
    const int64 length = checked_length(indices);
    if (checked_length(values) != length)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("arrays of different lengths: %lld indices, %lld values", static_cast<long long>(length),
                       static_cast<long long>(checked_length(values))),
                errhint("Give as many values as indices."));
    const auto* index = elements<int64>(indices);
    const auto* value = elements<float8>(values);
    PG_RETURN_POINTER(
        build(length, dim, length, [=](SparseBuilder& builder, int64 k) { builder.add(index[k], value[k]); }));
}

SPARSELIN_FUNCTION(sparsearray_to_real) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    guarded([&] { validate(row, server_stop()); });  // its indices are about to be written to
    const int64 length = row.dim != 0 ? row.dim : static_cast<int64>(row.last()) + 1;
    if (length == 0) PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT4OID));
    if (length > most_elements)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("an array of %lld elements is too large", static_cast<long long>(length)),
                errhint("Arrays hold up to %lld elements; sparsearray_entries() lists what is not zero.",
                        static_cast<long long>(most_elements)));
    const Size size = ARR_OVERHEAD_NONULLS(1) + sizeof(float4) * static_cast<Size>(length);
    auto* array = static_cast<ArrayType*>(palloc(size));
    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->dataoffset = 0;  // no NULLs
    array->elemtype = FLOAT4OID;
    ARR_DIMS(array)[0] = static_cast<int>(length);
    ARR_LBOUND(array)[0] = 1;
    auto* element = reinterpret_cast<float4*>(ARR_DATA_PTR(array));
    for (int64 k = 0; k < length; k += stretch) {
        CHECK_FOR_INTERRUPTS();
        memset(element + k, 0, sizeof(float4) * static_cast<Size>(Min(stretch, length - k)));
    }
    for (int32 k = 0; k < row.nnz; ++k) {
        if (k % stretch == 0) CHECK_FOR_INTERRUPTS();
        element[row.index[k]] = row.value[k];
    }
    PG_RETURN_ARRAYTYPE_P(array);
}
