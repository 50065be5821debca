// What a training is to another process, or to a later one: version, kind, counts, losses, scale and class weights, and
// the learner's raw state. The rows in the store are shipped separately, in blocks.
//
// Two formats, each with a version of its own. Bytes that travel live as long as a query, between processes of one
// version: their kind is what was asked for. A model's resume state lasts: its kind is all settings there were, those
// given and those that the learner had of itself, and the origins of them (settings.h). A setting that is not there is
// decided by rows, which the learner's state has looked at, or is a limit that there is none of.
#include "engine/training.h"

#include "base/codec.h"

namespace sparselin {

static constexpr uint8_t travel_version = 1, resume_version = 1;

static Training::Kind read_kind_of(uint8_t version, Reader& reader) {
    if (reader.u8() != version) reader.fail("unknown version");
    LearnerKind learner{};
    if (!find_by_number(reader.u8(), learner)) reader.fail("unknown learner");
    const auto labels = static_cast<LabelKind>(reader.u8());
    if (labels > LabelKind::text) reader.fail("unknown labels");
    return {learner, reader.string(), labels};
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
    writer.u8(static_cast<uint8_t>(training.labels()));
    writer.string(options);
}

void Training::save(Writer& writer, StopSign stop) const {
    save_kind(writer, travel_version, *this, options());
    save_content(writer, nullptr, stop);
}

// With a model, which our bank has made room in, its weights in one: all rows have been learned from, and all parts are
// in the bank.
void Training::save_content(Writer& writer, Model* model, StopSign stop) const {
    intake_.save(writer, [&] {
        writer.i64(keeps_rows_ ? learned_rows() : unlearned_rows());
        writer.i64(epochs_done_);
    });
    Box<Parts> both;
    // Rows that are kept although they have been learned from: to whoever loads this they are new.
    const Bank* const learned = keeps_rows_ ? nullptr : learned_in(both, stop);
    writer.f64(learned != nullptr ? lambda_now() : settings().lambda);
    if (settings().search) writer.f64(strength_);
    writer.f64(class_weights_.negative);
    writer.f64(class_weights_.positive);
    if (labels() == LabelKind::text) {
        writer.u64(class_weights_.named.size());
        for (const auto& [y, weight] : class_weights_.named) {
            writer.f64(y);
            writer.f64(weight);
        }
        writer.u8(learned != nullptr);
    }
    if (learned != nullptr) return learned->save(writer, model, stop);
    Bank(settings(), memory_).save(writer, nullptr, stop);
    if (model != nullptr) bank_->write_weights(*model, stop);
}

void Training::load(Reader& reader, bool goes_on, StopSign stop) {
    intake_.load(
        reader,
        [&] {
            rows_to_come_ = Intake::read_count(reader);
            epochs_done_ = Intake::read_count(reader);
        },
        stop);
    const double lambda = reader.f64();
    const double largest =
        traits_of(settings().loss).has_unit || settings().search ? std::numeric_limits<double>::max() : 1;
    const bool found = request_.finds_lambda && (is_automatic(lambda) || (lambda > 0 && lambda <= largest));
    if (!found && lambda != settings().lambda) reader.fail("no such lambda");
    bank_->set_lambda(lambda);
    if (settings().search) load_strength(reader);
    for (double* weight : {&class_weights_.negative, &class_weights_.positive}) {
        *weight = reader.f64();
        if (!(*weight > 0) || !std::isfinite(*weight)) reader.fail("no such class weight");
    }
    const bool has_runs = labels() != LabelKind::text || load_classes(reader);
    if (has_runs) {
        bank_->load(reader, !is_automatic(lambda), stop);
    } else {
        Bank(settings(), memory_).load(reader, false, stop);
    }
    goes_on_ = goes_on;
    surveys_arrivals_ = false;  // its learner has its step size, or rows will be adopted
    if (streams() && bank_->has_begun()) phase_ = Phase::streaming;
    if (settings().search && has_learned() == is_automatic(strength_)) reader.fail("no strength of regularisation");
    if (rows_to_come_ > learned_rows() || has_learned() != (rows_to_come_ < learned_rows()))
        reader.fail("rows are missing");
}

void Training::load_strength(Reader& reader) {
    strength_ = reader.f64();
    if (is_automatic(strength_)) return;
    if (!(strength_ > 0) || !std::isfinite(strength_)) reader.fail("no such strength of regularisation");
    if (!strength_of(learner()).is_by_rows) bank_->set_strength(strength_);
}

// The weights of classes that have names. Whether they have runs.
bool Training::load_classes(Reader& reader) {
    for (size_t left = reader.count(16); left > 0; --left) {
        const double y = reader.f64(), weight = reader.f64();
        const bool ascends = class_weights_.named.empty() || class_weights_.named.back().y < y;
        if (!ascends || !intake_.labels().can_have(y) || !(weight > 0) || !std::isfinite(weight))
            reader.fail("no such class weight");
        class_weights_.named.push_back({y, weight});
    }
    const size_t weighted = class_weights_.named.size();
    if (weighted != 0 && weighted != intake_.labels().named().count()) reader.fail("no such class weight");
    if (reader.u8() == 0) return false;
    intake_.labels().named().close();
    if (intake_.labels().named().count() == 0) reader.fail("no classes");
    tell_classes_apart(*bank_);
    return true;
}

Training::Sizes Training::make_room_for_rest(Model& model, StopSign stop) const {
    bank_->make_room_for_weights(model, stop);
    constexpr size_t all_else = 1024;
    const size_t rows = keeps_rows_ ? store_.bytes() : 0;
    const size_t features = model.index.size() * bank_->saved_size_of_feature();
    return {most_before_resume(model, intake_.places()), all_else + model.options.size() + rows + features};
}

void Training::save_resume(Writer& writer, Model& model, StopSign stop) const {
    save_kind(writer, resume_version, *this, request_.all_settings(memory_, stop));
    origins().save(writer);
    save_content(writer, &model, stop);
    save_settled(writer);
    if (!keeps_rows_) return;
    // As one block: how they were cut depends on the calls that they came in.
    writer.make_room(sizeof(uint64_t) + store_.bytes());
    writer.u64(store_.bytes());
    const size_t start = writer.size();
    for (const Block& block : store_.blocks()) writer.elements_alone(std::span<const char>(block.data, block.used));
    rows_to_little_endian(writer.written_since(start));
}

// Whether it has, u8; then alpha and beta, f64. What has been learned stays as it is, to go on from.
void Training::save_settled(Writer& writer) const {
    writer.u8(settled_.has_value());
    if (!settled_) return;
    writer.f64(settled_->alpha);
    writer.f64(settled_->beta);
}

void Training::load_settled(Reader& reader) {
    const uint8_t has = reader.u8();
    if (has > 1) reader.fail("unknown settling");
    if (has == 0) return;
    const double alpha = reader.f64(), beta = reader.f64();
    if (!has_learned() || bank_->count() > 1 || !std::isfinite(alpha) || !std::isfinite(beta))
        reader.fail("no such scale or bias");
    settled_ = Settled{alpha, beta};
}

void Training::resume(Reader& reader, const Model& model, StopSign stop) {
    load(reader, true, stop);
    load_settled(reader);
    if (reader.left() > 0) {
        const std::span<const char> rows = reader.bytes();
        if (!rows.empty()) adopt(rows, rows.size(), stop);
    }
    reader.finish();
    const bool holds = streams() && learned_rows() < held_back && store_.rows() == learned_rows();
    if (store_.rows() != rows_to_come_ || learned_rows() == 0 || !(has_learned() ? rows_to_come_ == 0 : holds))
        reader.fail("rows are missing");
    rows_to_come_ = 0;
    if (!is_of(model, stop)) reader.fail("the resume state belongs to another model");
}

// Where rows are held, what they will make of the weights is not known yet.
bool Training::is_of(const Model& model, StopSign stop) const {
    if (model.learner != learner() || model.loss != settings().loss || model.coding != intake_.labels().coding() ||
        model.rows != learned_rows() || model.skipped != intake_.skipped() || model.dimension != dimension())
        return false;
    if (store_.rows() > 0) return model.steps == learned_rows();
    Model again(memory_);
    again.set_runs(bank_->count());
    bank_->write_model(again, stop);
    if (settled_) settled_->apply_to(again, stop);
    return model.steps == again.steps && model.lambda == settings().lambda && model.bias == again.bias &&
           model.centred_bias == again.centred_bias && all_equal(model.scale.index, again.scale.index, stop) &&
           all_equal(model.scale.s, again.scale.s, stop) && all_equal(model.index, again.index, stop) &&
           all_equal(model.weight, again.weight, stop);
}

}  // namespace sparselin
