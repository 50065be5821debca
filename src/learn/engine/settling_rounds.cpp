#include "engine/settling_rounds.h"

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

static std::variant<Newton, Sections> method_for(const Settings& settings, const Penalty& penalty, double b,
                                                 int64_t rows) {
    if (curves(settings.loss)) return Newton(settings.chosen_loss(), penalty, b, rows);
    return Sections(settings.chosen_loss(), penalty, b, rows);
}

SettlingRounds::SettlingRounds(const Settings& settings, const Outline& outline, int64_t rows, size_t room,
                               Memory memory, StopSign stop)
    : has_classes_(is_classification(settings.loss)),
      w_mu_(outline.centred_bias - outline.bias),
      penalty_(settings, outline),
      method_(method_for(settings, penalty_, outline.centred_bias, rows)),
      kept_(rows, has_classes_, room, memory, stop),
      rows_(Box<ScoredRows>::make<ScoredRows>(memory)) {}

void SettlingRounds::end_chunk() {
    add_to_round(*rows_);
    kept_.keep(chunk_++, *rows_);
    *rows_ = {};
    filled_ = 0;
}

bool SettlingRounds::end_pass() {
    if (filled_ > 0) end_chunk();
    chunk_ = 0;
    found_ = is_unbounded() || end_round();
    return found_ || kept_.has_all();
}

void SettlingRounds::go_on(StopSign stop) {
    while (!found_) {
        for (; chunk_ < kept_.chunks(); ++chunk_) {
            stop.poll();
            add_to_round(kept_.chunk(chunk_, *rows_));
        }
        chunk_ = 0;
        found_ = end_round();
    }
}

}  // namespace sparselin
