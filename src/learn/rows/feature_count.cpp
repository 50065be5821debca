#include "rows/feature_count.h"

namespace sparselin {

namespace {

class SeenFeatures {
public:
    SeenFeatures(size_t bytes_of_rows, Memory memory)
        : most_words_(std::min(bytes_of_rows / 64 + 1, most_words)), seen_(memory) {}

    // False when it is not worth while to look at more rows.
    bool add(const SparseRow& x, StopSign stop) {
        const auto words = static_cast<size_t>(x.last() + 1 + 63) / 64;
        if (words > most_words_) return end_without_result();
        if (words > seen_.size()) seen_.resize(std::min(std::bit_ceil(words), most_words_));
        each_below(x.features().size(), stop, [index = x.index, seen = seen_.data()](size_t i) {
            seen[index[i] / 64] |= uint64_t{1} << index[i] % 64;
        });
        entries_ += x.features().size();
        return seen_.empty() || entries_ < seen_.size() * 64 * often_enough;
    }

    FeatureWidths widths(StopSign stop) const {
        FeatureWidths of_width{};
        each_below(seen_.size(), stop, [&](size_t word) {
            for (uint64_t bits = word == 0 ? seen_[0] : 0; bits != 0; bits &= bits - 1)
                ++of_width[width_of(static_cast<uint32_t>(std::countr_zero(bits)))];
            if (word > 0)
                of_width[width_of(static_cast<uint32_t>(word * 64))] +=
                    static_cast<uint32_t>(std::popcount(seen_[word]));
        });
        return of_width;
    }

private:
    static constexpr size_t often_enough = 16;
    static constexpr size_t most_words = size_t{1} << 21;  // for 134 million indices

    bool end_without_result() {
        seen_.clear();
        return false;
    }

    size_t most_words_;
    Vector<uint64_t> seen_;
    size_t entries_ = 0;
};

}  // namespace

FeatureWidths count_features(const RowStore& store, Memory memory, StopSign stop) {
    if (store.spilled()) return {};
    SeenFeatures seen(store.bytes(), memory);
    for (const RowBlock& block : store.blocks()) {
        stop.poll();
        for (size_t at = 0; at < block.used;) {
            const PackedRow& row = *reinterpret_cast<const PackedRow*>(block.data + at);
            if (!seen.add(row.example().x, stop)) return seen.widths(stop);
            at += row.size();
        }
    }
    return seen.widths(stop);
}

}  // namespace sparselin
