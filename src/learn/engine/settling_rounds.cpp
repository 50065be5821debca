#include "engine/settling_rounds.h"

namespace sparselin {

static size_t chunks_of(int64_t rows) {
    return (static_cast<size_t>(rows) + ScoredRows::size - 1) / ScoredRows::size;
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
      keeps_(chunks_of(rows) <= std::max<size_t>(room / sizeof(ScoredRows), 1)),
      chunks_(memory, keeps_ ? chunks_of(rows) : 1, stop) {}

// What is kept stays as it is; else the chunk is wanted for the rows that come next.
void SettlingRounds::end_chunk() {
    add_to_round(chunks_[chunk_]);
    filled_ = 0;
    if (keeps_) {
        ++chunk_;
    } else {
        chunks_[0] = {};
    }
}

bool SettlingRounds::end_pass() {
    if (filled_ > 0) end_chunk();
    chunk_ = 0;
    found_ = is_unbounded() || end_round();
    return found_ || keeps_;
}

void SettlingRounds::go_on(StopSign stop) {
    while (!found_) {
        for (; chunk_ < chunks_.size(); ++chunk_) {
            stop.poll();
            add_to_round(chunks_[chunk_]);
        }
        chunk_ = 0;
        found_ = end_round();
    }
}

}  // namespace sparselin
