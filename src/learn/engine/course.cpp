#include "engine/course.h"

#include <limits>
#include <utility>

namespace sparselin {

Course::Course(RowStore& store, const Settings& settings, const ClassWeights& weights, Frame& frame,
               bool centre_unknown, Progress& progress, Memory memory)
    : store_(store),
      settings_(settings),
      weights_(weights),
      weighs_classes_(weights.negative != 1 || weights.positive != 1),
      frame_(frame),
      centre_unknown_(centre_unknown),
      progress_(progress),
      memory_(memory),
      stage_(Stage::measuring) {
    if (settings.scale != Scaling::none) {
        spread_ = Box<Spread>::make<Spread>(memory, settings.scale, memory);
    } else if (centre_unknown) {
        mean_ = Box<Mean>::make<Mean>(memory, memory);
    } else {
        stage_ = Stage::surveying;
    }
}

void Course::go_on_with(Box<Learner>&& learner, int64_t epochs) {
    learner_ = std::move(learner);
    epochs_before_ = epochs;
    stage_ = Stage::learning;
}

bool Course::work(size_t window_bytes, StopSign stop) {
    while (stage_ != Stage::finished) {
        if (stage_ == Stage::surveying && !learner_) start_learner(window_bytes, stop.when_grave());
        if (!in_pass_) open_pass(window_bytes);
        if (!run_pass(stop)) return false;
        end_stage(stop.when_grave());
        in_pass_ = false;
    }
    return true;
}

// Rows that are all in memory make one window.
void Course::open_pass(size_t window_bytes) {
    if (!store_.spilled()) window_bytes = std::numeric_limits<size_t>::max();
    const Sampling sampling = stage_ == Stage::learning ? settings_.sampling : Sampling::sequential;
    const Random random(settings_.seed, static_cast<uint64_t>(epochs_before_ + epoch_));
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
            visit(example, stop.when_grave());
        }
        if (at_ != no_window) in_pass_before_window_ += static_cast<int64_t>(window.size());
        at_ = no_window;
        if (!pass_->open_window(stop.when_grave())) return pass_->at_end();
        at_ = 0;
    }
}

Standing Course::standing() const {
    const bool learning = stage_ == Stage::learning;
    const int64_t row = in_pass_before_window_ + (at_ == no_window ? 0 : static_cast<int64_t>(at_));
    const int64_t passes = settings_.epochs + (learning ? -epoch_ : 1);
    return {learning ? epoch_ + 1 : 0,   settings_.epochs, row, store_.rows(), before_pass_ + row,
            passes * store_.rows() - row};
}

void Course::visit(const Example& example, StopSign stop) {
    switch (stage_) {
        case Stage::measuring: spread_ ? spread_->add(example.x, stop) : mean_->add(example.x, stop); break;
        case Stage::surveying: survey_->add(learner_->squared_length(example.x, stop), example.omega); break;
        case Stage::learning: learn(example, stop); break;
        case Stage::finished: break;
    }
}

void Course::learn(const Example& example, StopSign stop) {
    progress_.add(learner_->learn(example, stop), example.omega);
    if (epoch_ == 0 && ranges_ != nullptr) ranges_->add(example.x, stop);
}

void Course::end_stage(StopSign stop) {
    switch (stage_) {
        case Stage::measuring: end_measuring(stop); break;
        case Stage::surveying:
            if (!survey_->end_pass()) break;
            learner_->set_pace(survey_->pace());
            survey_ = {};
            stage_ = Stage::learning;
            break;
        case Stage::learning: end_epoch(); break;
        case Stage::finished: break;
    }
}

void Course::end_measuring(StopSign stop) {
    if (spread_) {
        spread_->write(frame_, centre_unknown_, stop);
    } else {
        mean_->write(frame_.centre, stop);
    }
    spread_ = {};
    mean_ = {};
    stage_ = Stage::surveying;
}

// The learner comes before the survey, since lengths are measured as it sees them.
void Course::start_learner(size_t window_bytes, StopSign stop) {
    learner_ = make_learner(settings_, frame_, memory_, stop);
    if (!Survey::is_wanted(settings_)) {
        stage_ = Stage::learning;
        return;
    }
    constexpr size_t fewest_kept = 4096, most_kept = 1 << 22;
    const size_t kept = store_.spilled() ? std::clamp(window_bytes / 32, fewest_kept, most_kept) : most_kept;
    survey_ = Box<Survey>::make<Survey>(memory_, settings_, store_.rows(), kept, memory_);
}

void Course::end_epoch() {
    progress_.end_stage();
    if (epoch_ == 0 && epochs_before_ == 0 && settings_.epochs > 1) progress_.end_first_epoch();
    if (++epoch_ == settings_.epochs) stage_ = Stage::finished;
}

}  // namespace sparselin
