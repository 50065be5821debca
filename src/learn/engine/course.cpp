#include "engine/course.h"

namespace sparselin {

Course::Course(RowStore& store, const StoredFeatures& features, const ClassWeights& weights, Bank& bank,
               bool centre_unknown, Memory memory, Side side)
    : features_(features),
      walk_(store, side, weights, memory),
      bank_(bank),
      centre_unknown_(centre_unknown),
      memory_(memory),
      stage_(Stage::measuring),
      settling_(memory),
      settled_(memory),
      products_(memory) {
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
    bank_.frame().expect_other_rows();
    stage_ = Stage::learning;
}

bool Course::work(size_t window_bytes, StopSign stop) {
    for (;;) {
        if (stage_ == Stage::beginning) begin_bank(stop.for_cancels());
        if (stage_ == Stage::scoring && settling_.empty()) begin_settling(window_bytes, stop.for_cancels());
        if (stage_ == Stage::settling) end_settling(stop);
        if (stage_ == Stage::finished) break;
        if (!walk_.in_pass()) begin_pass(window_bytes, stop.for_cancels());
        if (!walk_.go_on(stop, [&](const Batch& rows) { return visit(rows, stop.for_cancels()); })) return false;
        end_stage(stop.for_cancels());
        walk_.end();
    }
    return true;
}

void Course::begin_measuring(StopSign stop) {
    if (finds_unit_ && !unit_) unit_ = Box<LabelUnit>::make<LabelUnit>(memory_, memory_);
    if (spread_) spread_->make_room_for(features_.widths(), stop);
    if (mean_) mean_->make_room_for(features_.widths(), stop);
}

void Course::begin_pass(size_t window_bytes, StopSign stop) {
    if (stage_ == Stage::measuring) begin_measuring(stop);
    // Scores need no list of all rows: there is as much memory for them as that took.
    if (stage_ == Stage::scoring) return walk_.begin_block_by_block();
    const Sampling sampling = stage_ == Stage::learning ? settings().sampling : Sampling::sequential;
    const Random random(settings().seed, static_cast<uint64_t>(epochs_before_ + epoch_));
    walk_.begin(sampling, random, window_bytes);
}

// In one pass at least, from where it is.
bool Course::looks_before_learning() const {
    if (stage_ == Stage::beginning) return Survey::is_wanted(settings()) && !survey_;
    return stage_ < Stage::learning;
}

Standing Course::standing() const {
    const bool learns = stage_ >= Stage::learning;
    const int64_t rows = walk_.rows(), row = walk_.in_this();
    const int64_t passes = settings().epochs - epoch_ + looks_before_learning() + settles_;
    const int64_t left = stage_ > Stage::scoring ? 0 : passes * rows - row;
    return {learns ? epoch_ + 1 : 0, settings().epochs, row, rows, walk_.before_this() + row, left};
}

size_t Course::visit(const Batch& rows, StopSign stop) {
    if (stage_ == Stage::learning) return learn(rows, stop);
    return taken_of(rows, [&](size_t k) {
        if (stage_ == Stage::measuring) measure(rows[k], stop);
        if (stage_ == Stage::surveying) bank_.survey(rows[k], stop);
        if (stage_ == Stage::scoring) score(rows[k], stop);
        return true;
    });
}

void Course::measure(const Example& example, StopSign stop) {
    if (spread_) spread_->add(example.x, stop);
    if (mean_) add_to_mean(example.x, stop);
    if (unit_) unit_->add(example.y);
}

void Course::add_to_mean(const SparseRow& x, StopSign stop) {
    Frame& frame = bank_.frame();
    frame.leaves_rows() ? mean_->add(x, stop) : mean_->add(frame.apply(x, stop), stop);
}

size_t Course::learn(const Batch& rows, StopSign stop) {
    const size_t taken = bank_.learn(rows, stop);
    if (!bank_.all_learn()) see_to_those_diverged();
    if (epoch_ > 0 || first_rows_ == nullptr || first_rows_->have_ended()) return taken;
    for (size_t k = 0; k < taken; ++k) first_rows_->add(rows[k].x, rows[k].y, stop);
    return taken;
}

void Course::end_stage(StopSign stop) {
    switch (stage_) {
        case Stage::measuring: end_measuring(stop); break;
        case Stage::beginning: break;
        case Stage::surveying:
            if (bank_.end_survey_pass()) stage_ = Stage::learning;
            break;
        case Stage::learning: end_epoch(stop); break;
        case Stage::scoring: end_scoring(); break;
        case Stage::settling:
        case Stage::finished: break;
    }
}

void Course::end_measuring(StopSign stop) {
    Frame& frame = bank_.frame();
    const bool mean_comes_next = spread_ && centre_unknown_ && frame.normalizes();
    if (spread_) spread_->write(frame, centre_unknown_ && !mean_comes_next, stop);
    if (mean_) mean_->write(frame.make_centre(), stop);
    spread_ = {};
    mean_ = mean_comes_next ? Box<Mean>::make<Mean>(memory_, memory_) : Box<Mean>();
    if (unit_ && !unit_->end_pass()) return;
    if (unit_) bank_.set_unit(unit_->value(), multiplies_lambda_);
    unit_ = {};
    finds_unit_ = false;
    if (!mean_) stage_ = Stage::beginning;
}

// The learners come before the survey, since lengths are measured as they see them.
void Course::begin_bank(StopSign stop) {
    bank_.begin(stop);
    bank_.make_room_for(features_.widths(), stop);
    if (first_rows_ != nullptr) first_rows_->make_room_for(features_.widths());
    if (!Survey::is_wanted(settings())) {
        stage_ = Stage::learning;
        return;
    }
    if (survey_) {
        bank_.begin_survey(std::move(survey_));
        stage_ = bank_.end_survey_pass() ? Stage::learning : Stage::surveying;
    } else {
        bank_.begin_survey();
        stage_ = Stage::surveying;
    }
}

void Course::see_to_those_diverged() {
    if (!leaves_behind_ || !bank_.any_learns()) bank_.raise();
}

void Course::end_epoch(StopSign stop) {
    if (!bank_.judge_trend()) see_to_those_diverged();
    if (epoch_ == 0 && epochs_before_ == 0 && settings().epochs > 1) bank_.end_first_epoch(stop);
    if (++epoch_ == settings().epochs) stage_ = settles_ ? Stage::scoring : Stage::finished;
}

// Of each run that has not diverged. They share the room: that of a window, and, where rows are read from a file, block
// by block, as much again.
void Course::begin_settling(size_t window_bytes, StopSign stop) {
    walk_.forget_rows();
    const size_t runs = bank_.count(), room = (walk_.reads_file() ? 2 * window_bytes : window_bytes) / runs;
    const Vector<Outline> outlines = bank_.outlines(stop);
    products_.resize(runs);
    settled_.resize(runs);
    bool is_wanted = false;
    Vector<Settling> settling(memory_);
    for (size_t k = 0; k < runs; ++k) {
        Settling& its = settling.emplace_back();
        if (bank_.run(k).fault) continue;
        its.rounds = Box<SettlingRounds>::make<SettlingRounds>(memory_, bank_.run(k).settings, outlines[k],
                                                               walk_.rows(), room, memory_, stop);
        its.wants_rows = its.rounds->is_wanted();
        is_wanted = is_wanted || its.wants_rows;
    }
    settling_ = std::move(settling);
    if (!is_wanted) stage_ = Stage::settling;
}

void Course::score(const Example& example, StopSign stop) {
    bank_.products(example.x, products_.data(), stop);
    for (size_t k = 0; k < products_.size(); ++k)
        if (settling_[k].wants_rows)
            settling_[k].rounds->add(products_[k], bank_.run(k).label(example.y), example.omega);
}

void Course::end_scoring() {
    bool is_wanted = false;
    for (Settling& its : settling_) {
        if (its.wants_rows) its.wants_rows = !its.rounds->end_pass();
        is_wanted = is_wanted || its.wants_rows;
    }
    if (!is_wanted) stage_ = Stage::settling;
}

void Course::end_settling(StopSign stop) {
    for (size_t k = 0; k < settling_.size(); ++k) {
        if (!settling_[k].rounds) continue;
        if (settling_[k].rounds->is_wanted()) settling_[k].rounds->go_on(stop);
        settled_[k] = settling_[k].rounds->result();
        settling_[k].rounds = {};
    }
    stage_ = Stage::finished;
}

}  // namespace sparselin
