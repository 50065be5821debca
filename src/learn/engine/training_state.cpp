// What a training is to another process, or to a later one: version, kind, counts, losses, scale and class weights, and
// the learner's raw state. The rows in the store are brought apart, in blocks.
//
// Two formats, each with a version of its own. Bytes that travel live as long as a query, between processes of one
// version: their kind is what was asked for. A model's resume state lasts: its kind is all settings there were, those
// given and those that the learner had of itself, and the origins of them (origins.h). A setting that is not there is
// decided by rows, which the learner's state has looked at, or is a limit that there is none of.
#include "engine/training.h"

#include "base/codec.h"

namespace sparselin {

static constexpr uint8_t travel_version = 1, resume_version = 1;

static Training::Kind read_kind_of(uint8_t version, Reader& reader) {
    if (reader.u8() != version) reader.fail("unknown version");
    const uint8_t learner = reader.u8(), boolean = reader.u8();
    if (learner > static_cast<uint8_t>(LearnerKind::elasticnet)) reader.fail("unknown learner");
    if (boolean > 1) reader.fail("unknown labels");
    return {static_cast<LearnerKind>(learner), reader.string(), boolean != 0};
}

Training::Kind Training::read_kind(Reader& reader) {
    return read_kind_of(travel_version, reader);
}

Training::Kind Training::read_kind_in_model(Reader& reader) {
    Kind kind = read_kind_of(resume_version, reader);
    kind.origins.emplace().load(reader);
    return kind;
}

static void save_kind(Writer& writer, uint8_t version, const Training& training, std::string_view options) {
    writer.u8(version);
    writer.u8(static_cast<uint8_t>(training.learner()));
    writer.u8(training.is_boolean());
    writer.string(options);
}

void Training::save(Writer& writer, StopSign stop) const {
    save_kind(writer, travel_version, *this, options_);
    save_content(writer, stop);
}

void Training::save_content(Writer& writer, StopSign stop) const {
    labels_.save(writer);
    const int64_t unlearned = keeps_rows_ ? learned_rows_ : unlearned_rows();
    for (const int64_t count : {skipped_, learned_rows_, unlearned, epochs_done_}) writer.i64(count);
    writer.i32(dimension_);
    writer.i32(largest_index_);
    Parts both(memory_);
    // Rows that are kept although they have been learned from: to whoever loads this they are new.
    const Learned learned = keeps_rows_ ? Learned() : learned_in(both, stop);
    writer.f64(learned.learner ? lambda_now() : settings().lambda);
    writer.f64(basis_->class_weights.negative);
    writer.f64(basis_->class_weights.positive);
    (learned.learner ? *learned.progress : both.progress).save(writer);
    (learned.learner ? *learned.frame : both.frame).scale.save(writer, stop);
    writer.u8(learned.learner != nullptr);
    if (learned.learner) learned.learner->save(writer, stop);
}

void Training::load(Reader& reader, bool goes_on, StopSign stop) {
    labels_.load(reader);
    for (int64_t* count : {&skipped_, &learned_rows_, &rows_to_come_, &epochs_done_}) {
        *count = reader.i64();
        if (*count < 0 || *count > most_counted) reader.fail("no such count");
    }
    dimension_ = reader.i32();
    largest_index_ = reader.i32();
    const bool fits = dimension_ == 0 || largest_index_ < dimension_;
    if (dimension_ < 0 || largest_index_ < -1 || largest_index_ >= max_index || !fits) reader.fail("no such dimension");
    const double lambda = reader.f64();
    const bool found = lambda_unknown_ && (is_automatic(lambda) || (lambda > 0 && lambda <= 1));
    if (!found && lambda != settings().lambda) reader.fail("no such lambda");
    settings().lambda = lambda;
    for (double* weight : {&basis_->class_weights.negative, &basis_->class_weights.positive}) {
        *weight = reader.f64();
        if (!(*weight > 0) || !std::isfinite(*weight)) reader.fail("no such class weight");
    }
    progress_.load(reader);
    basis_->frame.scale.load(reader, stop);
    goes_on_ = goes_on;
    if (reader.u8() != 0) {
        if (is_automatic(lambda)) reader.fail("no lambda");
        learner_ = make_learner(settings(), basis_->frame, memory_, stop);
        learner_->load(reader, stop);
        if (learner_->steps() == 0) reader.fail("no steps");
    }
    const bool has_steps = learner_ && learner_->steps() > 0;
    if (rows_to_come_ > learned_rows_ || has_steps != (rows_to_come_ < learned_rows_)) reader.fail("rows are missing");
}

void Training::save_resume(Vector<char>& resume, StopSign stop) const {
    resume.clear();
    Writer writer(resume, stop);
    save_kind(writer, resume_version, *this, all_settings(stop));
    origins().save(writer);
    save_content(writer, stop);
    if (!keeps_rows_) return;
    // As one block: how they were cut depends on the calls that they came in.
    resume.reserve(resume.size() + sizeof(uint64_t) + store_.bytes());
    writer.u64(store_.bytes());
    const size_t start = resume.size();
    for (const Block& block : store_.blocks()) append_all(resume, std::span<const char>(block.data, block.used), stop);
    rows_to_little_endian(std::span(resume).subspan(start));
}

// As they were before there were rows.
String Training::all_settings(StopSign stop) const {
    Options options = parse_options(options_, memory_, stop);
    note_settings(settle(options, learner()), options);
    return print_options(options, memory_, stop);
}

void Training::resume(Reader& reader, const Model& model, StopSign stop) {
    load(reader, true, stop);
    if (reader.left() > 0) {
        const std::span<const char> rows = reader.bytes();
        if (!rows.empty()) adopt(rows, rows.size(), stop);
    }
    reader.finish();
    const bool has_steps = learner_ && learner_->steps() > 0;
    const bool holds = streams_ && learned_rows_ < held_back && store_.rows() == learned_rows_;
    if (store_.rows() != rows_to_come_ || learned_rows_ == 0 || !(has_steps ? rows_to_come_ == 0 : holds))
        reader.fail("rows are missing");
    rows_to_come_ = 0;
    if (!is_of(model, stop)) reader.fail("the resume state belongs to another model");
}

// Where rows are held, what they will make of the weights is not known yet.
bool Training::is_of(const Model& model, StopSign stop) const {
    if (model.learner != settings().learner || model.loss != settings().loss || model.coding != labels_.coding() ||
        model.rows != learned_rows_ || model.skipped != skipped_ || model.dimension != dimension_)
        return false;
    if (store_.rows() > 0) return model.steps == learned_rows_;
    Model again(memory_);
    learner_->write_model(again, stop);
    return model.steps == learner_->steps() && model.lambda == settings().lambda && model.bias == again.bias &&
           model.centred_bias == again.centred_bias && all_equal(model.index, again.index, stop) &&
           all_equal(model.weight, again.weight, stop);
}

size_t Training::adopt(std::span<const char> rows, size_t largest, StopSign stop, bool checked) {
    const auto good = [this, checked, stop](const Example& example) { return checked || can_be(example, stop); };
    const size_t taken = store_.adopt(rows, largest, stop, good);
    if (taken > 0) return taken;
    throw Error(Fault::bad_binary, "invalid binary rows of a training: one of %zu bytes is damaged", rows.size())
        .hint("The value was damaged on its way; take it from its source again.");
}

bool Training::can_be(const Example& example, StopSign stop) const {
    validate(example.x, stop);
    const bool classified = !is_classification(settings().loss) || example.y == 1 || example.y == -1;
    return classified && example.x.last() <= largest_index_ && std::isfinite(example.y) &&
           std::isfinite(example.omega) && example.omega > 0;
}

void Training::check_same_kind(const Training& part) const {
    if (settings().learner == part.settings().learner && options_ == part.options_ &&
        labels_.is_boolean() == part.labels_.is_boolean())
        return;
    throw Error(Fault::mismatch, "the options are not the same for all rows")
        .hint("Options are the same for all rows of a group; add what they depend on to GROUP BY.");
}

void Training::absorb(const Training& part, StopSign stop) {
    check_same_kind(part);
    const int32_t dimension = common_dimension(dimension_, part.dimension_);
    const int32_t largest = std::max(largest_index_, part.largest_index_);
    if (dimension != 0 && largest >= dimension)
        throw Error(Fault::mismatch, "index %d is beyond the dimension %d", largest + 1, dimension)
            .hint("Where one row of a call, or a given center, has a dimension, all rows must fit in it.");
    Labels labels = labels_;
    labels.add(part.labels_);
    take_in(part, stop);
    basis_->origins.keep_common(part.origins());
    labels_ = labels;
    dimension_ = dimension;
    largest_index_ = largest;
    skipped_ += part.skipped_;
    learned_rows_ += part.learned_rows_;
    epochs_done_ = std::max(epochs_done_, part.epochs_done_);
}

void Training::begin_parts(Parts& parts, double lambda, StopSign stop) const {
    Settings its = settings();
    its.lambda = lambda;
    parts.learner = make_learner(its, parts.frame, memory_, stop);
}

// Ours, that of the parts, or, where there are both, the two as one, which `both` is there for.
Training::Learned Training::learned_in(Parts& both, StopSign stop) const {
    const bool ours = learner_ && learner_->steps() > 0;
    if (!parts_ || parts_->rows == 0) return ours ? Learned{&*learner_, &basis_->frame, &progress_} : Learned();
    if (!ours) return {&*parts_->learner, &parts_->frame, &parts_->progress};
    begin_parts(both, lambda_now(), stop);
    both.learner->merge(*learner_, lambda_now(), memory_, stop);
    both.learner->merge(*parts_->learner, lambda_for(learned_rows_ - unlearned_rows()), memory_, stop);
    both.progress.merge(progress_);
    both.progress.merge(parts_->progress);
    return {&*both.learner, &both.frame, &both.progress};
}

void Training::take_in(const Training& part, StopSign stop) {
    Parts both(memory_);
    const Learned learned = part.learned_in(both, stop);
    if (!learned.learner) return;
    if (!parts_) {
        Box<Parts> parts = Box<Parts>::make<Parts>(memory_, memory_);
        begin_parts(*parts, part.lambda_now(), stop);
        parts_ = std::move(parts);
    }
    const int64_t rows = parts_->rows + part.learned_rows_ - part.unlearned_rows();
    parts_->learner->merge(*learned.learner, lambda_for(rows), memory_, stop);
    parts_->rows = rows;
    parts_->progress.merge(*learned.progress);
}

// The learner of our own rows, if there were any, and what the parts have learned become one.
void Training::join_parts(StopSign stop) {
    settings().lambda = lambda_for(learned_rows_);
    if (!learner_) learner_ = make_learner(settings(), basis_->frame, memory_, stop);
    learner_->merge(*parts_->learner, settings().lambda, memory_, stop);
    if (settings().class_weight == ClassWeight::balanced) basis_->class_weights = labels_.balanced();
    progress_.merge(parts_->progress);
    parts_ = {};
    if (streams_) progress_.end_stage();
}

double Training::lambda_for(int64_t rows) const {
    return lambda_unknown_ ? 1 / static_cast<double>(rows) : settings().lambda;
}

// Of what has been learned so far, by us or by the parts.
double Training::lambda_now() const {
    return is_automatic(settings().lambda) ? lambda_for(learned_rows_ - unlearned_rows()) : settings().lambda;
}

}  // namespace sparselin
