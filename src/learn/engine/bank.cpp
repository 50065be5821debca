#include "engine/bank.h"

namespace sparselin {

Bank::Bank(std::span<const Settings> settings, std::span<const double> positive, Memory memory)
    : memory_(memory), frame_(memory), runs_(memory), labels_(memory), seen_(memory) {
    runs_.reserve(settings.size());
    for (size_t k = 0; k < settings.size(); ++k)
        runs_.emplace_back(settings[k], positive.empty() ? automatic : positive[k], memory);
    if (settings.size() == 1) return;
    labels_.resize(settings.size());
    seen_.resize(settings.size());
}

void Bank::begin(StopSign stop) {
    if (runs_.size() == 1) {
        learners_ = make_runs(std::span(&runs_.front().settings, 1), frame_, memory_, stop);
        return;
    }
    Vector<Settings> settings(memory_);
    for (const Run& run : runs_) settings.push_back(run.settings);
    learners_ = make_runs(settings, frame_, memory_, stop);
}

void Bank::begin_survey(int64_t rows, size_t room) {
    survey_ = Box<Survey>::make<Survey>(memory_, runs_.front().settings, rows, room, memory_);
}

bool Bank::end_survey_pass() {
    if (!survey_->end_pass()) return false;
    for (size_t k = 0; k < runs_.size(); ++k) learners_->begin_with(k, survey_->step(runs_[k].settings.lambda));
    survey_ = {};
    return true;
}

bool Bank::end_stage() {
    for (size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].fault) continue;
        if (const auto fault = runs_[k].progress.end_stage()) mark(k, *fault);
    }
    return all_learn_;
}

void Bank::end_first_epoch() {
    for (Run& run : runs_) run.progress.end_first_epoch();
}

bool Bank::learn_all(const Example& example, StopSign stop) {
    for (size_t k = 0; k < runs_.size(); ++k) labels_[k] = runs_[k].label(example.y);
    learners_->learn(example.x, labels_.data(), example.omega, seen_.data(), stop);
    for (size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].fault) continue;
        if (seen_[k].finite) {
            runs_[k].progress.add(seen_[k], example.omega);
        } else {
            mark(k, not_finite("prediction", steps()));
        }
    }
    return all_learn_;
}

bool Bank::mark(size_t run, const Error& fault) {
    runs_[run].fault = Box<Error>::make<Error>(memory_, fault);
    return all_learn_ = false;
}

void Bank::pardon() {
    runs_.front().fault = {};
    all_learn_ = true;
}

void Bank::raise() const {
    for (const Run& run : runs_)
        if (run.fault) throw *run.fault;
    std::terminate();
}

void Bank::write_model(size_t run, Model& model, StopSign stop) const {
    model.steps = steps();
    learners_->write_model(run, model, stop);
    runs_[run].progress.write_model(model);
}

void Bank::save(Writer& writer, StopSign stop) const {
    for (const Run& run : runs_) run.progress.save(writer);
    frame_.scale.save(writer, stop);
    writer.u8(learners_ && steps() > 0);
    if (learners_ && steps() > 0) learners_->save(writer, stop);
}

void Bank::load(Reader& reader, bool known, StopSign stop) {
    for (Run& run : runs_) run.progress.load(reader);
    frame_.scale.load(reader, stop);
    if (reader.u8() == 0) return;
    if (!known) reader.fail("no lambda");
    begin(stop);
    learners_->load(reader, stop);
    if (steps() == 0) reader.fail("no steps");
}

void Bank::merge(const Bank& other, double lambda, StopSign stop) {
    Vector<double> of_run(runs_.size(), lambda, memory_);
    learners_->merge(*other.learners_, of_run.data(), memory_, stop);
    for (size_t k = 0; k < runs_.size(); ++k) runs_[k].progress.merge(other.runs_[k].progress);
}

}  // namespace sparselin
