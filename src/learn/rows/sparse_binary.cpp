#include "rows/sparse_binary.h"

#include <bit>

namespace sparselin {

static constexpr size_t header_size = 12;
static constexpr char damage_hint[] = "The data were damaged, or are of another type.";

static void put_word(char* bytes, uint32_t word) {
    for (int k = 0; k < 4; ++k) bytes[k] = static_cast<char>(word >> (24 - 8 * k));
}

static uint32_t get_word(const char* bytes) {
    uint32_t word = 0;
    for (int k = 0; k < 4; ++k) word = word << 8 | static_cast<unsigned char>(bytes[k]);
    return word;
}

size_t sparse_wire_size(const SparseRow& row) {
    return header_size + 8 * static_cast<size_t>(row.nnz);
}

void encode_sparse(const SparseRow& row, char* bytes, StopSign stop) {
    const auto nnz = static_cast<size_t>(row.nnz);
    put_word(bytes, static_cast<uint32_t>(row.dim));
    put_word(bytes + 4, static_cast<uint32_t>(row.nnz));
    put_word(bytes + 8, 0);
    char* const indices = bytes + header_size;
    char* const values = indices + 4 * nnz;
    each_below(nnz, stop, [&](size_t k) {
        put_word(indices + 4 * k, static_cast<uint32_t>(row.index[k]));
        put_word(values + 4 * k, std::bit_cast<uint32_t>(row.value[k]));
    });
}

SparseVector decode_sparse(std::span<const char> bytes, Memory memory, StopSign stop) {
    if (bytes.size() < header_size)
        throw Error(Fault::bad_binary, "invalid binary sparsearray: %zu bytes are too few", bytes.size())
            .hint(damage_hint);
    const auto dim = static_cast<int32_t>(get_word(bytes.data()));
    const auto nnz = static_cast<int32_t>(get_word(bytes.data() + 4));
    const auto unused = static_cast<int32_t>(get_word(bytes.data() + 8));
    if (nnz < 0 || bytes.size() != header_size + 8 * static_cast<size_t>(nnz))
        throw Error(Fault::bad_binary, "invalid binary sparsearray: %d non-zeros do not make %zu bytes", nnz,
                    bytes.size())
            .hint(damage_hint);
    if (unused != 0)
        throw Error(Fault::bad_binary, "invalid binary sparsearray: %d where 0 is expected", unused).hint(damage_hint);

    SparseVector row(memory, dim);
    row.reserve(static_cast<size_t>(nnz));
    const char* const indices = bytes.data() + header_size;
    const char* const values = indices + 4 * static_cast<size_t>(nnz);
    each_below(static_cast<size_t>(nnz), stop, [&](size_t k) {
        row.push_back(static_cast<int32_t>(get_word(indices + 4 * k)), std::bit_cast<float>(get_word(values + 4 * k)));
    });
    try {
        validate(row.row(), stop);
    } catch (const Error& error) {
        throw Error(Fault::bad_binary, "invalid binary sparsearray: %.300s", error.message()).hint("%s", error.hint());
    }
    return row;
}

}  // namespace sparselin
