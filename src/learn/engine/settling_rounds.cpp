#include "engine/settling_rounds.h"

namespace sparselin {

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
