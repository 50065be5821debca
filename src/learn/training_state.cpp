// What a training is to another process, or to a later one: version, kind, counts, losses, scale and class weights, and
// the learner's raw state. The rows in the store are brought apart, in blocks.
#include "training.h"

#include "codec.h"

namespace sparselin {

static constexpr uint8_t state_version = 1;

Training::Kind Training::read_kind(Reader& reader) {
    if (reader.u8() != state_version) reader.fail("unknown version");
    const uint8_t learner = reader.u8(), boolean = reader.u8();
    if (learner > static_cast<uint8_t>(LearnerKind::elasticnet)) reader.fail("unknown learner");
    if (boolean > 1) reader.fail("unknown labels");
    return {static_cast<LearnerKind>(learner), reader.string(), boolean != 0};
}

void Training::save(Writer& writer, StopSign stop) const {
    // Rows that are kept although they have been learned from: to whoever loads this they are new.
    const bool learned = has_learned() && !keeps_rows_;
    writer.u8(state_version);
    writer.u8(static_cast<uint8_t>(settings().learner));
    writer.u8(labels_.is_boolean());
    writer.string(options_);
    labels_.save(writer);
    const int64_t unlearned = keeps_rows_ ? learned_rows_ : unlearned_rows();
    for (const int64_t count : {skipped_, learned_rows_, unlearned, epochs_done_}) writer.i64(count);
    writer.i32(dimension_);
    writer.i32(largest_index_);
    writer.f64(settings().lambda);
    writer.f64(basis_->class_weights.negative);
    writer.f64(basis_->class_weights.positive);
    const Progress none(memory_);
    (learned ? progress_ : none).save(writer);
    (learner_ || !parts_ ? basis_ : parts_->basis)->frame.scale.save(writer, stop);
    writer.u8(learned);
    if (learned) (learner_ ? learner_ : parts_->learner)->save(writer, stop);
}

void Training::load(Reader& reader, bool goes_on, StopSign stop) {
    labels_.load(reader);
    for (int64_t* count : {&skipped_, &learned_rows_, &rows_to_come_, &epochs_done_}) {
        *count = reader.i64();
        if (*count < 0) reader.fail("a count is negative");
    }
    dimension_ = reader.i32();
    largest_index_ = reader.i32();
    if (dimension_ < 0 || largest_index_ < -1 || largest_index_ >= max_index) reader.fail("no such dimension");
    settings().lambda = reader.f64();
    basis_->class_weights.negative = reader.f64();
    basis_->class_weights.positive = reader.f64();
    if (!(basis_->class_weights.negative > 0 && basis_->class_weights.positive > 0))
        reader.fail("no such class weights");
    progress_.load(reader);
    basis_->frame.scale.load(reader, stop);
    goes_on_ = goes_on;
    if (reader.u8() == 0) return;
    if (is_automatic(settings().lambda)) reader.fail("no lambda");
    learner_ = make_learner(settings(), basis_->frame, memory_, stop);
    learner_->load(reader, stop);
}

void Training::save_resume(Vector<char>& resume, StopSign stop) const {
    resume.clear();
    Writer writer(resume, stop);
    save(writer, stop);
    if (!keeps_rows_) return;
    // As one block: how they were cut depends on the calls that they came in.
    Vector<char> rows(memory_);
    rows.reserve(store_.bytes());
    for (const Block& block : store_.blocks()) rows.insert(rows.end(), block.data, block.data + block.used);
    to_little_endian(rows);
    writer.array(std::span<const char>(rows));
}

void Training::resume(Reader& reader, const Model& model, StopSign stop) {
    load(reader, true, stop);
    if (model.rows != learned_rows_ || model.learner != settings().learner || model.loss != settings().loss)
        reader.fail("the resume state belongs to another model");
    if (reader.left() > 0) {
        const std::span<const char> rows = reader.bytes();
        reader.finish();
        store_.add_block(std::max<size_t>(rows.size(), 1));
        if (!store_.adopt(rows)) reader.fail("a block of rows is damaged");
        each_row_of(store_.blocks().back(), [&](const PackedRow* row) { check_held_row(reader, row->example()); });
    }
    if (store_.rows() != rows_to_come_ || rows_to_come_ > learned_rows_) reader.fail("rows are missing");
    rows_to_come_ = 0;
}

// Rows in a model may come from anywhere.
void Training::check_held_row(const Reader& reader, const Example& example) const {
    validate(example.x);
    const bool fits = example.x.last() <= largest_index_ && std::isfinite(example.y) && std::isfinite(example.omega);
    const bool classified = !is_classification(settings().loss) || example.y == 1 || example.y == -1;
    if (!fits || !classified || example.omega <= 0) reader.fail("a held row is damaged");
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
    const Box<Learner>& learned = part.parts_ ? part.parts_->learner : part.learner_;
    if (learned && learned->steps() > 0) take_in(*learned, part, stop);
    labels_ = labels;
    dimension_ = dimension;
    largest_index_ = largest;
    skipped_ += part.skipped_;
    learned_rows_ += part.learned_rows_;
    epochs_done_ = std::max(epochs_done_, part.epochs_done_);
    progress_.merge(part.progress_);
}

void Training::take_in(const Learner& learned, const Training& part, StopSign stop) {
    if (!parts_) {
        Box<Parts> parts = Box<Parts>::make<Parts>(memory_);
        parts->basis = Box<Basis>::make<Basis>(memory_, part.settings(), memory_);
        parts->learner = make_learner(parts->basis->settings, parts->basis->frame, memory_, stop);
        parts_ = std::move(parts);
    }
    const int64_t rows = parts_->rows + part.learned_rows_ - part.unlearned_rows();
    parts_->learner->merge(learned, lambda_for(rows), memory_, stop);
    parts_->rows = rows;
}

// The learner of our own rows, if there were any, and what the parts have learned become one.
void Training::join_parts(StopSign stop) {
    const double lambda = lambda_for(learned_rows_);
    if (learner_ && learner_->steps() > 0) {
        learner_->merge(*parts_->learner, lambda, memory_, stop);
    } else {
        std::swap(basis_, parts_->basis);
        learner_ = std::move(parts_->learner);
    }
    settings().lambda = lambda;
    if (settings().class_weight == ClassWeight::balanced) basis_->class_weights = labels_.balanced();
    parts_ = {};
}

double Training::lambda_for(int64_t rows) const {
    return lambda_unknown_ ? 1 / static_cast<double>(rows) : settings().lambda;
}

}  // namespace sparselin
