#include "engine/kept_scores.h"

namespace sparselin {

static size_t chunks_of(int64_t rows) {
    return (static_cast<size_t>(rows) + ScoredRows::size - 1) / ScoredRows::size;
}

KeptScores::KeptScores(int64_t rows, bool have_classes, size_t room, Memory memory, StopSign stop)
    : memory_(memory), rows_(static_cast<size_t>(rows)), whole_(memory), small_(memory) {
    const size_t chunks = chunks_of(rows);
    if (chunks <= std::max<size_t>(room / sizeof(ScoredRows), 1)) {
        whole_ = Slab<ScoredRows>(memory, chunks, stop);
    } else if (have_classes && chunks <= room / sizeof(Small)) {
        small_ = Slab<Small>(memory, chunks, stop);
    }
}

bool KeptScores::are_small(const ScoredRows& rows, size_t count) {
    return std::all_of(rows.omega, rows.omega + count, [](double omega) { return omega == 1; }) &&
           std::all_of(rows.y, rows.y + count, [](double y) { return y == 1 || y == -1; });
}

void KeptScores::keep(size_t number, const ScoredRows& rows) {
    if (whole_.size() > 0) whole_[number] = rows;
    if (small_.size() == 0) return;
    if (!are_small(rows, rows_in(number))) {
        small_ = Slab<Small>(memory_);
        return;
    }
    Small& its = small_[number];
    std::ranges::copy(rows.s, its.s);
    std::ranges::transform(rows.y, its.positive, [](double y) { return y > 0; });
}

const ScoredRows& KeptScores::chunk(size_t number, ScoredRows& room) const {
    if (whole_.size() > 0) return whole_[number];
    const Small& its = small_[number];
    room = {};
    std::ranges::copy(its.s, room.s);
    for (size_t i = 0; i < rows_in(number); ++i) {
        room.y[i] = its.positive[i] ? 1 : -1;
        room.omega[i] = 1;
    }
    return room;
}

}  // namespace sparselin
