#include "rows/hashed_row.h"

#include "base/memory.h"
#include "base/sort.h"
#include "rows/feature_hash.h"
#include "rows/sparse.h"

#include <algorithm>

namespace sparselin {

static constexpr size_t few = 2048;  // nobody needs to cancel the sorting of so few

static float rounded_sum(double sum, int32_t index) {
    const Float4 rounded(sum);
    if (rounded.is_too_large())
        throw Error(Fault::out_of_range, "the values of index %lld add up to %s, too large for float4",
                    static_cast<long long>(index) + 1, NumberText(sum).c_str())
            .hint("%s", float4_hint);
    return rounded.value;
}

static float product(const SparseRow& a, int32_t i, const SparseRow& b, int32_t j) {
    const Float4 rounded(static_cast<double>(a.value[i]) * static_cast<double>(b.value[j]));
    if (rounded.is_too_large() || rounded.value == 0)
        throw Error(Fault::out_of_range, "the product of the values of indices %lld and %lld is %s",
                    static_cast<long long>(a.index[i]) + 1, static_cast<long long>(b.index[j]) + 1,
                    !std::isfinite(rounded.exact) ? "not a finite number" : rounded.misfit())
            .hint("%s", float4_hint);
    return rounded.value;
}

void sort_features(std::span<uint64_t> words, Memory memory, StopSign stop) {
    if (words.size() < few) {
        std::ranges::sort(words);
        return;
    }
    Vector<uint64_t> sorted(memory);
    sorted.reserve(words.size());
    append_all(sorted, std::span<const uint64_t>(words), stop);
    sort_by_upper_half(sorted, stop);
    copy_bytes(reinterpret_cast<char*>(words.data()), reinterpret_cast<const char*>(sorted.data()), words.size_bytes(),
               stop);
}

SparseVector hashed_row(std::span<uint64_t> words, int32_t dim, Memory memory, StopSign stop) {
    sort_features(words, memory, stop);
    SparseVector row(memory, dim);
    row.reserve(dim == 0 ? words.size() : std::min(words.size(), static_cast<size_t>(dim)));
    for (size_t k = 0; k < words.size();) {
        const auto index = static_cast<int32_t>(words[k] >> 32);
        double sum = 0;
        for (; k < words.size() && static_cast<int32_t>(words[k] >> 32) == index; ++k) {
            stop.poll_every_so_often(k);
            sum += static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(words[k])));
        }
        if (const float value = rounded_sum(sum, index); value != 0) row.push_back(index, value);
    }
    return row;
}

void validate_feature_bits(int bits) {
    if (bits < min_feature_bits || bits > max_feature_bits)
        throw Error(Fault::bad_value, "%d bits are out of range", bits)
            .hint("Features are hashed to %d to %d bits; the default is %d, for 1048576 features.", min_feature_bits,
                  max_feature_bits, default_feature_bits);
}

int bits_of_dimension(int32_t dim) {
    if (dim <= 0 || !std::has_single_bit(static_cast<uint32_t>(dim))) return 0;
    const int bits = std::countr_zero(static_cast<uint32_t>(dim));
    return bits >= min_feature_bits && bits <= max_feature_bits ? bits : 0;
}

SparseVector interact(const SparseRow& a, const SparseRow& b, int bits, int64_t limit, Memory memory, StopSign stop) {
    validate_feature_bits(bits);
    const int64_t pairs = static_cast<int64_t>(a.nnz) * b.nnz;
    if (pairs > limit)
        throw Error(Fault::too_large, "%lld products of %d and %d non-zeros are too many",
                    static_cast<long long>(pairs), a.nnz, b.nnz)
            .hint("There may be up to %lld; leave features out on one side.", static_cast<long long>(limit));
    Vector<uint64_t> words(memory);
    words.reserve(static_cast<size_t>(pairs));
    for (int32_t i = 0; i < a.nnz; ++i) {
        for (int32_t j = 0; j < b.nnz; ++j) {
            stop.poll_every_so_often(words.size());
            const uint64_t hash = pair_hash(uint32_t(a.index[i]) + 1, uint32_t(b.index[j]) + 1);
            words.push_back(pack_feature(feature_of(hash, bits), product(a, i, b, j)));
        }
    }
    return hashed_row(words, int32_t{1} << bits, memory, stop);
}

}  // namespace sparselin
