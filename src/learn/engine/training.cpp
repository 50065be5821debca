#include "engine/training.h"

#include "rows/holdout.h"

namespace sparselin {

// Whether there is nothing to be found out from rows first.
static bool can_begin_at_once(const Request& request) {
    const bool classes_known = request.labels != LabelKind::text || !request.options.classes.empty();
    return request.streams && classes_known && !Survey::is_wanted(request.settings) &&
           !LabelUnit::is_wanted(request.settings, request.finds_lambda);
}

// Rows that are normalised have a length that is known.
static bool measures_rows(const Settings& settings) {
    return settings.shortens_steps() && !settings.normalizes();
}

// Whether the learner will see rows as they come, of the weight that they have, and all of them together: then their
// lengths are known already.
static bool may_survey_arrivals(const Request& request) {
    const Settings& its = request.settings;
    const bool leaves_rows = its.scale == Scaling::none && !its.normalizes() && !traits_of(its.learner).centres;
    const bool leaves_weights = its.class_weight != ClassWeight::balanced;
    return Survey::is_wanted(its) && leaves_rows && leaves_weights && !its.search && !request.streams;
}

Training::Training(const Request& request, Memory memory, StopSign stop)
    : memory_(memory),
      request_(request),
      origins_(request.origins),
      intake_(request.settings.loss, request.labels, measures_rows(request.settings), memory),
      phase_(can_begin_at_once(request) ? Phase::streaming : Phase::collecting),
      surveys_arrivals_(may_survey_arrivals(request)),
      class_weights_(memory),
      // Those that a stream holds back go into its model, where nothing is to tell whether there was a file.
      store_(memory, request.streams ? Layout::plain : Layout::small),
      bank_(Box<Bank>::make<Bank>(memory, request.settings, memory)) {
    if (request_.options.has_center) {
        const SparseRow centre = request_.options.center();
        intake_.set_centre(centre);
        Centre& given = bank_->frame().make_centre();
        given.index.assign(centre.index, centre.index + centre.nnz);
        given.mu.assign(centre.value, centre.value + centre.nnz);
    }
    if (!request_.options.classes.empty()) intake_.labels().named().expect(request_.options.classes, stop);
    if (phase_ != Phase::streaming) return;
    tell_classes_apart(*bank_);
    bank_->begin(stop);
}

// A run for each that needs one.
void Training::tell_classes_apart(Bank& bank) const {
    if (labels() == LabelKind::text)
        bank.tell_apart(intake_.labels().named().positive(request_.settings.loss, memory_));
}

void Training::take_over(double chosen, std::span<const Tried> tried) {
    if (!settings().search) return;
    search_ = Box<Search>::make<Search>(memory_, store_, features(), *bank_, request_, memory_);
    search_->take_over(chosen, tried);
}

Training::Answer Training::accept(const SparseRow& x, const Label& label, double weight, StopSign stop,
                                  std::optional<bool> judges) {
    if (phase_ == Phase::streaming) bank_->expect_now(x);
    const Example example = intake_.read(x, label, weight, stop);
    if (weight == 0) {
        skip();
        return Answer::taken;
    }
    if (phase_ == Phase::streaming) {
        learn_now(example, stop);
    } else {
        if (!store_.has_room_for(x)) return Answer::no_room;
        validate_values(x, rows_seen() + 1, stop);
        if (settings().search && !judges) judges = is_held_out(x, Search::share_held_out, stop, Deal::searched);
        // What comes after it is never Interrupted: a row counts once.
        if (surveys_arrivals_) survey_arrival(example, stop);
        store_.append(example, stop, settings().search && *judges);
    }
    intake_.take(example, label);
    if (streams()) watch_order(example.y);
    if (phase_ == Phase::streaming || !streams() || learned_rows() < held_back) return Answer::taken;
    begin_passing(Phase::catching_up);
    return Answer::must_work;
}

// Many rows are not to be gone through once more for that. A few may be: there can be thousands of groups of them, and
// a survey takes 0.2 to 0.6 MB.
void Training::survey_arrival(const Example& example, StopSign stop) {
    constexpr size_t bytes_of_many = size_t{1} << 20;
    if (store_.bytes() < bytes_of_many) return;
    if (!survey_ && store_.spilled()) {
        surveys_arrivals_ = false;
        return;
    }
    if (!survey_) survey_stored_rows(stop);
    survey_->add(squared_norm_of(example.x, stop), example.omega);
    surveys_arrivals_ = !survey_->has_seen_enough();
}

void Training::survey_stored_rows(StopSign stop) {
    Box<Survey> survey = Box<Survey>::make<Survey>(memory_, settings(), memory_);
    for (const RowBlock& block : store_.blocks())
        each_row_of(block, [&](const PackedRow* row) {
            const Example its = row->example(nullptr);
            survey->add(squared_norm_of(its.x, stop), its.omega);
        });
    survey_ = std::move(survey);
}

// Rows that arrive are judged in stages of 1000. Values that are no numbers need no look at each: they give no number
// as a prediction, which stops a learner before it has changed anything.
void Training::learn_now(const Example& example, StopSign stop) {
    if (!bank_->learn(example, stop)) raise_for(example, stop);
    if ((learned_rows() + 1) % held_back == 0 && !bank_->judge_trend()) bank_->raise();
    if (watches_ && learned_rows() >= FirstRows::fewest_for_scale) watches_ = watch(example, stop);
}

void Training::raise_for(const Example& example, StopSign stop) {
    try {
        validate_values(example.x, rows_seen() + 1, stop);
    } catch (const Error&) {
        bank_->pardon();
        throw;
    }
    bank_->raise();
}

// There may be thousands of groups of a few rows, which are not to pay for this. False when all has been seen.
bool Training::watch(const Example& example, StopSign stop) {
    const FirstRows::Wanted wanted = {request_.watches_scale, is_classification(settings().loss)};
    if (!wanted.any()) return false;
    Box<FirstRows>& first_rows = watched().first_rows;
    if (!first_rows) first_rows = Box<FirstRows>::make<FirstRows>(memory_, wanted, memory_);
    first_rows->add(example.x, example.y, stop);
    return !first_rows->have_ended();
}

void Training::watch_order(double y) {
    if (!is_classification(settings().loss)) return;
    watched().label_order.add(y);
}

void Training::end_rows(size_t largest_model) {
    if (learned_rows() == 0 || rows_end()) return;
    if (store_.rows() == 0 && !parts_ && !has_learned()) {
        throw Error(Fault::bad_binary, "%lld rows of a training are missing", static_cast<long long>(learned_rows()))
            .hint("What a process has learned was damaged on its way.");
    }
    if (keeps_few()) check_resume_size(store_.bytes(), largest_model);
    const bool streamed = streams() && bank_->has_begun();
    phase_ = Phase::ended;
    if (store_.rows() > 0) {
        begin_passing(Phase::last_passing);
    } else if (streamed && !bank_->judge_trend()) {
        bank_->raise();
    }
}

void Training::begin_passing(Phase phase) {
    phase_ = phase;
    const bool anew = !goes_on_ || !bank_->has_begun();
    if (anew) tell_classes_apart(*bank_);
    if (phase == Phase::catching_up && labels() == LabelKind::text) intake_.labels().named().close();
    if (anew && settings().search && !search_)
        search_ = Box<Search>::make<Search>(memory_, store_, features(), *bank_, request_, memory_);
    if (!search_ || search_->ended()) begin_course();
}

// What a search has chosen, or would do without.
double Training::strength_for_own_rows() const {
    if (!is_automatic(search_->chosen())) return search_->chosen();
    const StrengthTraits& strength = strength_of(learner());
    const double usual = find_option(strength.option).default_for(learner());
    if (!strength.is_by_rows) return usual;
    return is_automatic(usual) ? 1 : usual * static_cast<double>(store_.rows());
}

void Training::begin_course() {
    const bool anew = !goes_on_ || !bank_->has_begun();
    if (search_) {
        const double own = strength_for_own_rows();
        const bool by_rows = strength_of(learner()).is_by_rows;
        bank_->set_strength(by_rows ? lambda_for(store_.rows(), 1, own) : own);
        strength_ = strength_of_both(strength_, parts_ ? parts_->rows : 0, own, store_.rows());
    }
    if (is_automatic(settings().lambda)) bank_->set_lambda(lambda_for(store_.rows(), 1));
    if (anew && settings().class_weight == ClassWeight::balanced) intake_.labels().balance(class_weights_);
    course_ =
        Box<Course>::make<Course>(memory_, store_, features(), class_weights_, *bank_, request_.finds_centre, memory_);
    if (!anew) course_->go_on_after(epochs_done_);
    if (anew && LabelUnit::is_wanted(settings(), request_.finds_lambda)) course_->find_unit(request_.finds_lambda);
    if (survey_) course_->begin_after(std::move(survey_));
    const bool may_tell = is_classification(settings().loss) && store_.rows() >= FirstRows::fewest_for_telltale;
    if (const FirstRows::Wanted wanted = {request_.watches_scale, may_tell}; wanted.any()) {
        watched().first_rows = Box<FirstRows>::make<FirstRows>(memory_, wanted, memory_);
        course_->show_to(*watched_->first_rows);
    }
    settled_ = {};
    if (phase_ == Phase::last_passing && will_settle()) course_->settle_in_the_end();
    keeps_rows_ = keeps_few();
}

bool Training::will_settle() const {
    if (!settings().settle || is_part_ || parts_) return false;
    if (bank_->count() == 1) return true;
    if (origins_.of(&Options::settle) == Origin::given)
        throw Error(Fault::mismatch, "a model of %zu classes cannot be settled", bank_->count())
            .hint("Settling is for two classes, and for numbers: leave settle out.");
    return false;
}

// Whether the model needs all rows that there are, since they are too few to go on from without them.
bool Training::keeps_few() const {
    return streams() && !parts_ && learned_rows() < held_back && store_.rows() > 0 && settings().resumable;
}

std::optional<Standing> Training::standing() const {
    if (!course_) return search_ && !search_->ended() ? std::optional(search_->standing()) : std::nullopt;
    Standing its = course_->standing();
    if (search_) its.visits += search_->visits();
    return its;
}

// Where rows are learned from for the first time, by us alone, and are not needed afterwards.
bool Training::may_number_features() const {
    return !streams() && !goes_on_ && !parts_ && !is_part_ && !request_.options.has_center;
}

void Training::look_at_features(StopSign stop) {
    features().look_at(store_, may_number_features(), stop);
    bank_->frame().names = features().names();
}

ScaleGap Training::scale_gap() const {
    if (!watched_ || !watched_->first_rows) return {};
    ScaleGap gap = watched_->first_rows->scale_gap();
    gap.narrow = bank_->frame().names(gap.narrow);
    gap.wide = bank_->frame().names(gap.wide);
    return gap;
}

Telltale Training::telltale() const {
    if (!watched_ || !watched_->first_rows) return {};
    Telltale found = watched_->first_rows->telltale();
    found.feature = bank_->frame().names(found.feature);
    return found;
}

bool Training::work(size_t window_bytes, StopSign stop) {
    if (store_.rows() > 0 && !features().looked_at()) look_at_features(stop.for_cancels());
    if (search_ && !search_->ended()) {
        if (!search_->work(window_bytes, stop)) return false;
        begin_course();
    }
    if (course_) {
        if (!course_->work(window_bytes, stop)) return false;
        if (keeps_rows_ && !course_->has_all_rows()) return false;
        end_passing();
    }
    if (parts_ && rows_end()) join_parts(stop.for_cancels());
    return true;
}

void Training::end_passing() {
    settled_ = course_->settled(0);
    course_ = {};
    epochs_done_ = (goes_on_ && !streams() ? epochs_done_ : 0) + settings().epochs;
    phase_ = phase_ == Phase::catching_up ? Phase::streaming : Phase::ended;
    if (!keeps_rows_) store_.clear();
}

// As values of the option, for all rows.
void Training::write_search(Model& model) const {
    model.search = search_->tried(model.search.get_allocator().resource());
    if (!strength_of(learner()).is_by_rows) return;
    for (Tried& tried : model.search) tried.strength = lambda_for(learned_rows(), bank_->per_unit(), tried.strength);
}

void Training::write_model(Model& model, Memory memory, StopSign stop) const {
    write_head(model, memory, stop);
    model.resume.clear();
    const Sizes sizes = make_room_for_rest(model, stop);
    if (!is_resumable()) return write_rest(model, nullptr, stop);
    model.resume.reserve(sizes.resume);
    Writer writer(model.resume, stop);
    write_rest(model, &writer, stop);
}

void Training::write_rest(Model& model, Writer* resume, StopSign stop) const {
    if (resume != nullptr) {
        save_resume(*resume, model, stop);
    } else {
        bank_->write_weights(model, stop);
    }
    if (settled_) settled_->apply_to(model, stop);
}

void Training::write_head(Model& model, Memory memory, StopSign stop) const {
    model.learner = learner();
    model.loss = settings().loss;
    model.coding = intake_.labels().coding();
    if (labels() == LabelKind::text) intake_.labels().named().write_names(model.classes);
    model.origins = origins();
    model.lambda = settings().lambda;
    model.rows = learned_rows();
    model.skipped = intake_.skipped();
    model.epochs = streams() ? 1 : epochs_done_;
    model.dimension = dimension();
    model.set_runs(bank_->count());
    bank_->write_progress(model, stop);
    Options options = request_.options_with(settings(), memory, stop);
    options.settle = settled_.has_value();
    bank_->note_options(0, options);
    if (search_) write_search(model);
    model.options = print_options(options, memory, stop);
}

}  // namespace sparselin
