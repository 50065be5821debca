#include "engine/training.h"

namespace sparselin {

Training::Training(const Kind& kind, Memory memory, StopSign stop)
    : Training(kind, parse_options(kind.options, memory, stop), memory, stop) {}

// Later versions may do other things by themselves. A model goes on with what it had, so all of that has to be there.
static void check_complete(const Options& options, const Settings& settings, Memory memory) {
    Options all(memory);
    note_settings(settings, all);
    for (const OptionSpec& spec : option_table())
        if (spec.is_set_in(all) && !spec.is_set_in(options))
            throw Error(Fault::bad_binary, "invalid resume state of a model: it does not say %s", spec.name)
                .hint("The value was damaged on its way; take it from its source again.");
}

Training::Training(const Kind& kind, const Options& options, Memory memory, StopSign stop)
    : memory_(memory),
      basis_(Box<Basis>::make<Basis>(memory, settle(options, kind.learner), kind.origins.value_or(Origins(options)),
                                     memory)),
      options_(kind.options),
      labels_(settings().loss, kind.boolean),
      centre_unknown_(kind.learner == LearnerKind::casgd && !options.has_center),
      streams_(settings().epochs == 1 && settings().sampling == Sampling::sequential && !needs_all_rows()),
      watches_scale_(origins().of(&Options::scale) == Origin::automatic),
      lambda_unknown_(is_automatic(settings().lambda)),
      store_(memory),
      progress_(memory) {
    if (kind.origins) check_complete(options, settings(), memory);
    if (options.has_center) set_centre(options.center());
    if (!streams_) return;
    if (lambda_unknown_) {
        throw Error(Fault::bad_value, "lambda must be given when rows are learned from as they arrive")
            .hint(
                "Give lambda, for example sparselin_options(lambda => 1e-5, epochs => 1, sampling => 'sequential'). "
                "It is 1/rows by itself only where rows are kept, as with sampling => 'shuffle' or more epochs.");
    }
    if (!Survey::is_wanted(settings())) learner_ = make_learner(settings(), basis_->frame, memory_, stop);
}

bool Training::needs_all_rows() const {
    return centre_unknown_ || settings().scale != Scaling::none || settings().class_weight != ClassWeight::none;
}

void Training::set_centre(const SparseRow& center) {
    dimension_ = center.dim;
    largest_index_ = center.last();
    basis_->frame.centre.index.assign(center.index, center.index + center.nnz);
    basis_->frame.centre.mu.assign(center.value, center.value + center.nnz);
}

void Training::check_row(const SparseRow& x, double weight, StopSign stop) const {
    const int64_t row = rows_seen_ + 1;
    validate_indices(x, row, stop);
    check_weight(weight, row);
    if (x.dim != 0 && dimension_ != 0 && x.dim != dimension_) {
        throw Error(Fault::mismatch, "features have dimension %d, but %d was known before", x.dim, dimension_)
            .at_row(row)
            .hint("All rows of a call, and a given center, must have the same dimension, or leave it open.");
    }
    const int32_t dimension = std::max(x.dim, dimension_);
    const int64_t largest = std::max(x.last(), largest_index_);
    if (dimension != 0 && largest >= dimension) {
        throw Error(Fault::mismatch, "index %lld is beyond the dimension %d", static_cast<long long>(largest + 1),
                    dimension)
            .at_row(row)
            .hint("Where one row of a call, or a given center, has a dimension, all rows must fit in it.");
    }
}

Training::Answer Training::accept(const SparseRow& x, double label, double weight, StopSign stop) {
    check_row(x, weight, stop);
    const Example example{x, labels_.read(label, rows_seen_ + 1), weight};
    if (weight == 0) {
        skip();
        return Answer::taken;
    }
    const bool learns_now = streams_ && learner_;
    if (learns_now) {
        learn_now(example, stop);
    } else {
        if (!store_.has_room_for(x)) return Answer::no_room;
        validate_values(x, rows_seen_ + 1, stop);
        store_.append(example, stop);
    }
    labels_.note(label);
    dimension_ = std::max(x.dim, dimension_);
    largest_index_ = std::max(x.last(), largest_index_);
    ++rows_seen_;
    ++learned_rows_;
    if (learns_now || !streams_ || learned_rows_ < held_back) return Answer::taken;
    begin_course();
    return Answer::must_work;
}

// Rows that arrive are judged in stages of 1000. Values that are no numbers need no look at each: they give no number
// as a prediction, which stops a learner before it has changed anything.
void Training::learn_now(const Example& example, StopSign stop) {
    try {
        progress_.add(learner_->learn(example, stop), example.omega);
    } catch (const Error&) {
        validate_values(example.x, rows_seen_ + 1, stop);
        throw;
    }
    if ((learned_rows_ + 1) % held_back == 0) progress_.end_stage();
    if (watches_scale_) watch_scale(example.x, stop);
}

// There may be thousands of groups of a few rows: those are not to pay for this.
void Training::watch_scale(const SparseRow& x, StopSign stop) {
    if (learned_rows_ < Ranges::fewest_rows) return;
    if (!ranges_) ranges_ = Box<Ranges>::make<Ranges>(memory_, memory_);
    ranges_->add(x, stop);
}

void Training::end_rows(size_t largest_model) {
    if (learned_rows_ == 0 || ended_) return;
    if (store_.rows() == 0 && !parts_ && (!learner_ || learner_->steps() == 0)) {
        throw Error(Fault::bad_binary, "%lld rows of a training are missing", static_cast<long long>(learned_rows_))
            .hint("What a process has learned was damaged on its way.");
    }
    if (keeps_few()) check_resume_size(store_.bytes(), largest_model);
    ended_ = true;
    if (store_.rows() > 0) {
        begin_course();
    } else if (streams_ && learner_) {
        progress_.end_stage();
    }
}

void Training::begin_course() {
    if (is_automatic(settings().lambda)) settings().lambda = 1 / static_cast<double>(store_.rows());
    const bool anew = !goes_on_ || !learner_;
    if (anew && settings().class_weight == ClassWeight::balanced) basis_->class_weights = labels_.balanced();
    course_ = Box<Course>::make<Course>(memory_, store_, settings(), basis_->class_weights, basis_->frame,
                                        centre_unknown_, progress_, memory_);
    if (!anew) course_->go_on_with(std::move(learner_), epochs_done_);
    if (watches_scale_) {
        ranges_ = Box<Ranges>::make<Ranges>(memory_, memory_);
        course_->note_ranges_in(*ranges_);
    }
    keeps_rows_ = keeps_few();
}

// Whether the model needs all rows that there are, since they are too few to go on from without them.
bool Training::keeps_few() const {
    return streams_ && !parts_ && learned_rows_ < held_back && store_.rows() > 0 && settings().resumable;
}

bool Training::work(size_t window_bytes, StopSign stop) {
    if (course_) {
        if (!course_->work(window_bytes, stop)) return false;
        if (keeps_rows_ && !course_->has_all_rows()) return false;
        learner_ = course_->take_learner();
        course_ = {};
        epochs_done_ = (goes_on_ && !streams_ ? epochs_done_ : 0) + settings().epochs;
        if (!keeps_rows_) store_.clear();
    }
    if (parts_ && ended_) join_parts(stop.when_grave());
    return true;
}

void Training::write_model(Model& model, Memory memory, StopSign stop) const {
    model.learner = settings().learner;
    model.loss = settings().loss;
    model.coding = labels_.coding();
    model.options = resolved_options(memory, stop);
    model.origins = origins();
    model.lambda = settings().lambda;
    model.rows = learned_rows_;
    model.skipped = skipped_;
    model.steps = learner_->steps();
    model.epochs = streams_ ? 1 : epochs_done_;
    model.dimension = dimension_;
    learner_->write_model(model, stop);
    progress_.write_model(model);
    if (settings().resumable) save_resume(model.resume, stop);
}

// What was asked for, and what the rows or the defaults decided.
String Training::resolved_options(Memory memory, StopSign stop) const {
    Options options = parse_options(options_, memory, stop);
    note_settings(settings(), options);
    learner_->note_options(options);
    return print_options(options, memory, stop);
}

}  // namespace sparselin
