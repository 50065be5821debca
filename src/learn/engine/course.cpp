#include "engine/course.h"

#include <limits>
#include <utility>

namespace sparselin {

Course::Course(RowStore& store, const ClassWeights& weights, Bank& bank, bool centre_unknown, Memory memory)
    : store_(store),
      weights_(weights),
      weighs_classes_(!weights.are_equal()),
      bank_(bank),
      centre_unknown_(centre_unknown),
      memory_(memory),
      stage_(Stage::measuring) {
    if (settings().scale != Scaling::none) {
        spread_ = Box<Spread>::make<Spread>(memory, settings().scale, memory);
    } else if (centre_unknown) {
        mean_ = Box<Mean>::make<Mean>(memory, memory);
    } else {
        stage_ = Stage::beginning;
    }
}

void Course::find_unit(bool multiplies_lambda) {
    finds_unit_ = true;
    multiplies_lambda_ = multiplies_lambda;
    stage_ = Stage::measuring;
}

void Course::go_on_after(int64_t epochs) {
    epochs_before_ = epochs;
    stage_ = Stage::learning;
}

bool Course::work(size_t window_bytes, StopSign stop) {
    for (;;) {
        if (stage_ == Stage::beginning) begin_bank(window_bytes, stop.for_cancels());
        if (stage_ == Stage::scoring && !settling_) begin_settling(window_bytes, stop.for_cancels());
        if (stage_ == Stage::settling) end_settling(stop);
        if (stage_ == Stage::finished) break;
        if (!in_pass_) open_pass(window_bytes);
        if (!run_pass(stop)) return false;
        end_stage(stop.for_cancels());
        in_pass_ = false;
    }
    return true;
}

// Rows that are all in memory make one window.
void Course::open_pass(size_t window_bytes) {
    if (stage_ == Stage::measuring && finds_unit_ && !unit_)
        unit_ = Box<LabelUnit>::make<LabelUnit>(memory_, store_.rows(), room_for_median(window_bytes), memory_);
    // Scores need no list of all rows: there is as much memory for them as that took.
    if (stage_ == Stage::scoring) {
        window_bytes = 0;
    } else if (!store_.spilled()) {
        window_bytes = std::numeric_limits<size_t>::max();
    }
    const Sampling sampling = stage_ == Stage::learning ? settings().sampling : Sampling::sequential;
    const Random random(settings().seed, static_cast<uint64_t>(epochs_before_ + epoch_));
    at_ = no_window;
    before_pass_ += std::exchange(in_pass_before_window_, 0);
    in_pass_ = true;
    switch (sampling) {
        case Sampling::shuffle:
            if (!pass_ || !pass_->again(random)) pass_ = shuffled_pass(store_, window_bytes, random, memory_);
            break;
        case Sampling::sequential:
            if (!pass_ || !pass_->again(std::nullopt)) pass_ = sequential_pass(store_, window_bytes, memory_);
            break;
        case Sampling::replacement: pass_ = drawn_pass(store_, window_bytes, random, memory_); break;
    }
}

// Shuffled rows lie anywhere: what comes next is asked for in time, its length first.
[[gnu::always_inline]] static inline void prefetch(const Vector<const PackedRow*>& window, size_t at) {
    if (at + 8 < window.size()) __builtin_prefetch(window[at + 8]);
    if (at + 4 < window.size()) window[at + 4]->prefetch();
}

// True at the end of the pass. Interrupted is thrown between rows, and the next call goes on from there; what a row
// takes would begin anew.
bool Course::run_pass(StopSign stop) {
    for (;;) {
        const auto& window = pass_->window();
        for (; at_ < window.size(); ++at_) {
            stop.poll();
            prefetch(window, at_);
            Example example = window[at_]->example();
            if (weighs_classes_) example.omega *= weights_.of(example.y);
            visit(example, stop.for_cancels());
        }
        if (at_ != no_window) in_pass_before_window_ += static_cast<int64_t>(window.size());
        at_ = no_window;
        if (!pass_->open_window(stop.for_cancels())) return pass_->at_end();
        at_ = 0;
    }
}

Standing Course::standing() const {
    const int64_t row = in_pass_before_window_ + (at_ == no_window ? 0 : static_cast<int64_t>(at_));
    const bool learns = stage_ >= Stage::learning;
    const int64_t passes = settings().epochs - epoch_ + (learns ? 0 : 1) + (settles_ ? 1 : 0);
    const int64_t left = stage_ > Stage::scoring ? 0 : passes * store_.rows() - row;
    return {learns ? epoch_ + 1 : 0, settings().epochs, row, store_.rows(), before_pass_ + row, left};
}

void Course::visit(const Example& example, StopSign stop) {
    switch (stage_) {
        case Stage::measuring: measure(example, stop); break;
        case Stage::beginning: break;
        case Stage::surveying: bank_.survey(example, stop); break;
        case Stage::learning: learn(example, stop); break;
        case Stage::scoring: score(example, stop); break;
        case Stage::settling:
        case Stage::finished: break;
    }
}

void Course::measure(const Example& example, StopSign stop) {
    if (spread_) spread_->add(example.x, stop);
    if (mean_) mean_->add(example.x, stop);
    if (unit_) unit_->add(example.y);
}

void Course::learn(const Example& example, StopSign stop) {
    if (!bank_.learn(example, stop)) bank_.raise();
    if (epoch_ == 0 && ranges_ != nullptr) ranges_->add(example.x, stop);
}

void Course::end_stage(StopSign stop) {
    switch (stage_) {
        case Stage::measuring: end_measuring(stop); break;
        case Stage::beginning: break;
        case Stage::surveying:
            if (bank_.end_survey_pass()) stage_ = Stage::learning;
            break;
        case Stage::learning: end_epoch(); break;
        case Stage::scoring:
            if (settling_->end_pass()) stage_ = Stage::settling;
            break;
        case Stage::settling:
        case Stage::finished: break;
    }
}

void Course::end_measuring(StopSign stop) {
    if (spread_) spread_->write(bank_.frame(), centre_unknown_, stop);
    if (mean_) mean_->write(bank_.frame().centre, stop);
    spread_ = {};
    mean_ = {};
    if (unit_ && !unit_->end_pass()) return;
    if (unit_) bank_.set_unit(unit_->value(), multiplies_lambda_);
    unit_ = {};
    finds_unit_ = false;
    stage_ = Stage::beginning;
}

// The learners come before the survey, since lengths are measured as they see them.
void Course::begin_bank(size_t window_bytes, StopSign stop) {
    bank_.begin(stop);
    if (!Survey::is_wanted(settings())) {
        stage_ = Stage::learning;
        return;
    }
    bank_.begin_survey(store_.rows(), room_for_median(window_bytes));
    stage_ = Stage::surveying;
}

// For how many numbers; with more rows it takes more passes.
size_t Course::room_for_median(size_t window_bytes) const {
    constexpr size_t fewest = 4096, most = 1 << 22;
    return store_.spilled() ? std::clamp(window_bytes / 32, fewest, most) : most;
}

void Course::end_epoch() {
    if (!bank_.judge_trend()) bank_.raise();
    if (epoch_ == 0 && epochs_before_ == 0 && settings().epochs > 1) bank_.end_first_epoch();
    if (++epoch_ == settings().epochs) stage_ = settles_ ? Stage::scoring : Stage::finished;
}

void Course::begin_settling(size_t window_bytes, StopSign stop) {
    pass_ = {};
    settling_ = Box<SettlingRounds>::make<SettlingRounds>(memory_, settings(), bank_.outline(stop), store_.rows(),
                                                          window_bytes, memory_, stop);
    if (!settling_->is_wanted()) stage_ = Stage::settling;
}

void Course::score(const Example& example, StopSign stop) {
    settling_->add(bank_.product(example.x, stop), bank_.run(0).label(example.y), example.omega);
}

void Course::end_settling(StopSign stop) {
    settling_->go_on(stop);
    settled_ = settling_->result();
    settling_ = {};
    stage_ = Stage::finished;
}

}  // namespace sparselin
