#include "rows/stored_features.h"

#include "rows/feature_set.h"

namespace sparselin {

namespace {

class SeenFeatures {
public:
    SeenFeatures(size_t bytes_of_rows, bool may_number, Memory memory)
        : may_number_(may_number), set_(memory, std::min(bytes_of_rows / 3 + few_bytes, most_bytes)) {}

    // False when it is not worth while to look at more rows.
    bool add(const SparseRow& x, StopSign stop) {
        if (!set_.insert(x.features(), stop)) return give_up();
        last_ = std::max(last_, x.last());
        entries_ += x.features().size();
        if (entries_ < next_look_) return true;
        next_look_ = std::max(entries_ * 4, static_cast<size_t>(last_ + 1) * often_enough);
        return entries_ < static_cast<size_t>(last_ + 1) * often_enough || (may_number_ && has_gaps(stop));
    }

    bool gave_up() const { return gave_up_; }
    bool has_gaps(StopSign stop) const { return set_.count(stop) * 2 < static_cast<size_t>(last_) + 1; }
    FeatureSet& set() { return set_; }

private:
    static constexpr size_t often_enough = 16, few_bytes = size_t{4} << 10, most_bytes = size_t{16} << 20;

    bool give_up() {
        gave_up_ = true;
        return false;
    }

    const bool may_number_;
    bool gave_up_ = false;
    FeatureSet set_;
    int32_t last_ = -1;
    size_t entries_ = 0, next_look_ = 4096;
};

bool add_all(const RowStore& store, SeenFeatures& seen, IndexRoom& room, StopSign stop) {
    for (const RowBlock& block : store.blocks()) {
        stop.poll();
        for (size_t at = 0; at < block.used;) {
            const auto& row = *reinterpret_cast<const PackedRow*>(block.data + at);
            if (!seen.add(room.unpack(row).x, stop)) return false;
            at += row.size();
        }
    }
    return true;
}

// Not to be stopped half way, but to be given up with all rows.
void call_by_number(const RowStore& store, const FeatureSet& set, IndexRoom& room, StopSign stop) {
    stop.poll();
    for (const RowBlock& block : store.blocks()) {
        for (size_t at = 0; at < block.used;) {
            auto& row = *reinterpret_cast<PackedRow*>(block.data + at);
            int32_t* const indices = room.at_least(row.room_for_indices()).data();
            row.change_indices(indices, stop, [&](std::span<int32_t> its) { set.number_all(its, stop); });
            at += row.size();
        }
        stop.give_up();
    }
}

}  // namespace

void StoredFeatures::look_at(const RowStore& store, bool may_number, StopSign stop) {
    if (!store.spilled()) look_at_rows(store, may_number && store.bytes() >= worth_numbering, stop);
    looked_at_ = true;
}

void StoredFeatures::look_at_rows(const RowStore& store, bool may_number, StopSign stop) {
    SeenFeatures seen(store.bytes(), may_number, memory_);
    IndexRoom room(memory_);
    const bool all = add_all(store, seen, room, stop);
    if (seen.gave_up()) return;
    const bool numbers = all && may_number && seen.has_gaps(stop);
    widths_ = {};
    widths_.without_gaps = numbers;
    names_.clear();
    if (numbers) names_.reserve(seen.set().count(stop));
    seen.set().number(stop, [&](int32_t index) {
        const size_t called = numbers ? names_.size() : static_cast<size_t>(index);
        ++widths_[width_of(static_cast<uint32_t>(called))];
        if (numbers) names_.push_back(index);
    });
    if (numbers) call_by_number(store, seen.set(), room, stop);
}

}  // namespace sparselin
