#include "engine/search.h"

namespace sparselin {

static constexpr double not_tried = std::numeric_limits<double>::infinity();
static constexpr double diverges = std::numeric_limits<double>::quiet_NaN();

Search::Search(RowStore& store, const StoredFeatures& features, const Bank& likeness, const Request& request,
               Memory memory)
    : store_(store),
      features_(features),
      likeness_(likeness),
      request_(request),
      strength_(strength_of(request.settings.learner)),
      memory_(memory),
      stage_(Stage::finished),
      classes_(memory),
      weights_(memory),
      scores_(memory),
      labels_(memory),
      slopes_(memory),
      outlines_(memory),
      settled_(memory),
      losses_(memory) {
    loss_.fill(not_tried);
    if (store.rows_on(Side::held_out) < fewest_held_out || store.rows_on(Side::learned) < fewest_held_out) return;
    if (is_classification(settings().loss)) {
        stage_ = Stage::counting;
        begin_walk(Side::learned);
    } else {
        begin_with_grid();
    }
}

// Strengths may have gone through a division and back.
void Search::take_over(double chosen, std::span<const Tried> tried) {
    stage_ = Stage::finished;
    chosen_ = chosen;
    for (const Tried& its : tried) {
        const auto distance = [&](double strength) { return std::fabs(std::log(strength / its.strength)); };
        const auto nearest = std::ranges::min_element(strength_.grid, {}, distance);
        loss_[static_cast<size_t>(nearest - strength_.grid.begin())] = its.loss;
    }
}

bool Search::work(size_t window_bytes, StopSign stop) {
    const Random in_order(0, 0);
    while (stage_ != Stage::finished) {
        if (stage_ == Stage::learning) {
            if (!learn(window_bytes, stop)) return false;
            continue;
        }
        if (!walk_->in_pass()) walk_->begin(Sampling::sequential, in_order, window_bytes);
        const auto visit_each = [&](const Batch& rows) {
            return taken_of(rows, [&](size_t k) { return visit(rows[k], stop.for_cancels()), true; });
        };
        if (!walk_->go_on(stop, visit_each)) return false;
        end_walk();
    }
    return true;
}

void Search::visit(const Example& example, StopSign stop) {
    if (stage_ == Stage::judging) return judge(example, stop);
    count(example.y, stage_ == Stage::counting_held_out);
}

// Nothing here can be interrupted.
void Search::end_walk() {
    if (stage_ == Stage::judging) return end_judging();
    end_counting();
}

void Search::begin_walk(Side side) {
    if (walk_) visits_ += walk_->rows();
    walk_ = Box<Walk>::make<Walk>(memory_, store_, side, weights_, memory_);
}

// Rows of one class often come together.
void Search::count(double y, bool held_out) {
    auto its = std::ranges::lower_bound(classes_, y, {}, &ClassRows::y);
    if (its == classes_.end() || its->y != y) its = classes_.insert(its, {y, 0, 0});
    ++(held_out ? its->held_out : its->learned);
}

// With two classes, or fewer, a side that lacks one has nothing to say about either.
void Search::end_counting() {
    if (stage_ == Stage::counting) {
        stage_ = Stage::counting_held_out;
        return begin_walk(Side::held_out);
    }
    size_t on_both = 0;
    for (const ClassRows& its : classes_) on_both += its.learned > 0 && its.held_out > 0;
    classes_on_one_side_ = classes_.size() - on_both;
    if (on_both < 2) {
        stage_ = Stage::finished;
        return;
    }
    if (settings().class_weight == ClassWeight::balanced) weigh_classes();
    begin_with_grid();
}

// By the rows that are learned from: a class that has none there counts as it is.
void Search::weigh_classes() {
    double rows = 0, classes = 0;
    for (const ClassRows& its : classes_) {
        rows += static_cast<double>(its.learned);
        classes += its.learned > 0;
    }
    const auto weight = [&](const ClassRows& its) {
        return its.learned == 0 ? 1 : rows / (classes * static_cast<double>(its.learned));
    };
    if (request_.labels == LabelKind::text) {
        for (const ClassRows& its : classes_) weights_.named.push_back({its.y, weight(its)});
    } else {
        weights_.negative = weight(classes_.front());
        weights_.positive = weight(classes_.back());
    }
}

Settings Search::settings_with(size_t strength, size_t run) const {
    Settings its = likeness_.run(run).settings;
    const double tried = strength_.grid[strength];
    set_strength(its, strength_.is_by_rows ? tried / static_cast<double>(store_.rows_on(Side::learned)) : tried);
    its.largest_model = SIZE_MAX;
    its.joint = likeness_.count();
    return its;
}

bool Search::can_learn(size_t strength) const {
    const Settings its = settings_with(strength, 0);
    return !(its.learner == LearnerKind::onepass && its.lambda * its.gamma0 >= 1);
}

// A strength that a given gamma0 does not go with is as one that diverges; those are the strongest.
void Search::begin_with_grid() {
    size_t first = StrengthTraits::first_at_once;
    for (; first < StrengthTraits::last_at_once && !can_learn(first); ++first) loss_[first] = diverges;
    tried_ = {first, StrengthTraits::last_at_once - first + 1};
    begin(tried_);
}

void Search::begin(Candidates candidates) {
    course_ = {};
    Vector<Settings> settings(memory_);
    Vector<double> positive(memory_);
    for (size_t strength = candidates.first; strength < candidates.first + candidates.count; ++strength) {
        for (size_t k = 0; k < likeness_.count(); ++k) {
            settings.push_back(settings_with(strength, k));
            positive.push_back(likeness_.run(k).positive);
        }
    }
    bank_ = Box<Bank>::make<Bank>(memory_, settings, positive, memory_);
    if (const Centre* const centre = likeness_.frame().centre()) {
        bank_->frame().make_centre().index = centre->index;
        bank_->frame().make_centre().mu = centre->mu;
    }
    course_ = Box<Course>::make<Course>(memory_, store_, features_, weights_, *bank_, request_.finds_centre, memory_,
                                        Side::learned);
    course_->leave_diverged_behind();
    if (settings.front().settle && likeness_.count() == 1) course_->settle_in_the_end();
    if (LabelUnit::is_wanted(settings.front(), request_.finds_lambda)) course_->find_unit(request_.finds_lambda);
    candidates_ = candidates;
    stage_ = Stage::learning;
}

// When all diverge of those in the grid, there is nothing to choose from; one at its end may.
bool Search::learn(size_t window_bytes, StopSign stop) {
    try {
        if (!course_->work(window_bytes, stop)) return false;
    } catch (const Error& error) {
        const bool in_grid = candidates_.count == tried_.count;
        if (error.fault() != Fault::diverged || in_grid) throw;
        loss_[candidates_.first] = diverges;
        go_on_from_best();
        return true;
    }
    begin_judging(stop.for_cancels());
    return true;
}

void Search::begin_judging(StopSign stop) {
    outlines_ = bank_->outlines(stop);
    settled_.clear();
    for (size_t run = 0; run < bank_->count(); ++run) settled_.push_back(course_->settled(run));
    visits_ += course_->standing().visits;
    course_ = {};
    begin_walk(Side::held_out);
    for (Vector<double>* of_runs : {&scores_, &labels_, &slopes_}) of_runs->assign(bank_->count(), 0.0);
    losses_.assign(candidates_.count, 0.0);
    omega_ = 0;
    stage_ = Stage::judging;
}

void Search::judge(const Example& example, StopSign stop) {
    bank_->products(example.x, scores_.data(), stop);
    for (size_t run = 0; run < bank_->count(); ++run) {
        const Outline& outline = outlines_[run];
        const double w_mu = outline.centred_bias - outline.bias;
        const Settled its = settled_[run].value_or(Settled{1, outline.centred_bias});
        scores_[run] = its.alpha * (scores_[run] - w_mu) + its.beta;
        labels_[run] = bank_->run(run).label(example.y);
    }
    for (size_t i = 0; i < candidates_.count; ++i) losses_[i] += example.omega * loss_of(i);
    omega_ += example.omega;
}

// Of the row at hand; with several classes it is the mean over theirs.
double Search::loss_of(size_t candidate) {
    const size_t runs = likeness_.count(), first = candidate * runs;
    return with_loss(settings().chosen_loss(), [&](const auto& loss) {
        if constexpr (requires { loss.judge(std::span<const double>(scores_), labels_.data(), slopes_.data()); }) {
            return loss.judge(std::span<const double>(scores_).subspan(first, runs), &labels_[first], &slopes_[first]);
        } else {
            double sum = 0;
            for (size_t run = first; run < first + runs; ++run) sum += loss.value(scores_[run], labels_[run]);
            return sum / static_cast<double>(runs);
        }
    });
}

void Search::end_judging() {
    for (size_t i = 0; i < candidates_.count; ++i) {
        const double mean = losses_[i] / omega_;
        loss_[candidates_.first + i] = has_diverged(i) || !std::isfinite(mean) ? diverges : mean;
    }
    go_on_from_best();
}

bool Search::has_diverged(size_t candidate) const {
    const size_t runs = likeness_.count();
    for (size_t k = 0; k < runs; ++k)
        if (bank_->run(candidate * runs + k).fault) return true;
    return false;
}

// One step beyond the end at which the best lies, or no further. Of equals the strongest is the best.
void Search::go_on_from_best() {
    size_t best = most;
    for (size_t i = tried_.first; i < tried_.first + tried_.count; ++i)
        if (loss_[i] < (best == most ? not_tried : loss_[best])) best = i;
    if (best == most) bank_->raise();
    const size_t end = tried_.first + tried_.count;
    if (best == tried_.first && best > 0) {
        --tried_.first;
        ++tried_.count;
        return try_next(tried_.first);
    }
    if (best + 1 == end && end < most) {
        ++tried_.count;
        return try_next(end);
    }
    chosen_ = strength_.grid[best];
    visits_ += walk_ ? walk_->rows() : 0;
    walk_ = {};
    bank_ = {};
    course_ = {};
    stage_ = Stage::finished;
}

void Search::try_next(size_t strength) {
    if (can_learn(strength)) return begin({strength, 1});
    loss_[strength] = diverges;
    go_on_from_best();
}

Standing Search::standing() const {
    Standing its = course_ ? course_->standing()
                           : Standing{settings().epochs, settings().epochs, walk_->in_this(),
                                      walk_->rows(),     walk_->in_this(),  walk_->rows() - walk_->in_this()};
    its.visits += visits_;
    its.searching = true;
    return its;
}

Vector<Tried> Search::tried(Memory memory) const {
    Vector<Tried> all(memory);
    for (size_t i = 0; i < most; ++i)
        if (loss_[i] != not_tried) all.push_back({strength_.grid[i], loss_[i]});
    return all;
}

}  // namespace sparselin
