#include "engine/bank.h"

#include <exception>

namespace sparselin {

static double positive_of(std::span<const double> positive, size_t run) {
    return positive.empty() ? automatic : positive[run];
}

Bank::Bank(std::span<const Settings> settings, std::span<const double> positive, Memory memory)
    : memory_(memory),
      frame_(memory, settings.front().normalizes(), settings.front().keeps_scale()),
      first_(settings.front(), positive_of(positive, 0), memory) {
    if (settings.size() == 1) return;
    others_ = Box<Others>::make<Others>(memory, memory);
    for (size_t k = 1; k < settings.size(); ++k)
        others_->runs.emplace_back(settings[k], positive_of(positive, k), memory);
    others_->labels.resize(settings.size());
    others_->seen.resize(settings.size());
}

void Bank::tell_apart(std::span<const double> positive) {
    first_.positive = positive.front();
    if (positive.size() == 1) return;
    others_ = Box<Others>::make<Others>(memory_, memory_);
    for (const double its : positive.subspan(1)) others_->runs.emplace_back(first_.settings, its, memory_);
    others_->labels.resize(positive.size());
    others_->seen.resize(positive.size());
}

void Bank::set_lambda(double lambda) {
    for (size_t k = 0; k < count(); ++k) {
        Settings& settings = run(k).settings;
        settings.lambda = lambda;
        if (is_automatic(settings.decay_rate)) settings.decay_rate = lambda;
    }
}

void Bank::set_strength(double value) {
    for (size_t k = 0; k < count(); ++k) sparselin::set_strength(run(k).settings, value);
}

void Bank::set_unit(double S, bool multiplies_lambda) {
    set_per_unit(curvature_per_unit(first_.settings.chosen_loss(), S));
    if (!multiplies_lambda) return;
    for (size_t k = 0; k < count(); ++k) {
        Settings& settings = run(k).settings;
        settings.lambda = std::max(settings.lambda * per_unit(), traits_of(settings.learner).least_lambda);
    }
}

void Bank::set_per_unit(double per_unit) {
    for (size_t k = 0; k < count(); ++k) run(k).settings.per_unit = per_unit;
    if (learners_) learners_->set_reach(first_.settings.reach());
}

double Bank::per_unit_with(const Bank& other) const {
    const double its = other.per_unit(), steps = static_cast<double>(this->steps()),
                 its_steps = static_cast<double>(other.steps());
    if (steps == 0 || per_unit() == its) return its;
    return (steps + its_steps) / (steps / per_unit() + its_steps / its);
}

double Bank::progressive_loss() const {
    double sum = 0;
    for (size_t k = 0; k < count(); ++k) sum += run(k).progress.progressive_loss();
    return sum / static_cast<double>(count());
}

void Bank::begin(StopSign stop) {
    Vector<Settings> settings(memory_);
    for (size_t k = 0; k < count(); ++k) settings.push_back(run(k).settings);
    learners_ = make_learners(settings, frame_, memory_, stop);
}

void Bank::begin_survey() {
    survey_ = Box<Survey>::make<Survey>(memory_, first_.settings, memory_);
}

bool Bank::end_survey_pass() {
    if (!survey_->end_pass()) return false;
    for (size_t k = 0; k < count(); ++k) learners_->begin_with(k, survey_->step(run(k).settings));
    survey_ = {};
    return true;
}

void Bank::make_room_for(const FeatureWidths& features, StopSign stop) {
    learners_->make_room_for(features, stop);
    see_how_far();
}

bool Bank::judge_trend() {
    see_how_far();
    for (size_t k = 0; k < count(); ++k) {
        if (run(k).fault) continue;
        if (const auto fault = run(k).progress.judge_trend()) mark(k, *fault);
    }
    return all_learn_;
}

void Bank::end_first_epoch(StopSign stop) {
    learners_->expect_no_others(stop);
    for (size_t k = 0; k < count(); ++k) run(k).progress.end_first_epoch();
}

size_t Bank::learn_all(const Batch& rows, StopSign stop) {
    return taken_of(rows, [&](size_t row) {
        if (rows.after(row) != nullptr) learners_->expect(*rows.after(row));
        return all_learn_from(rows[row], stop);
    });
}

// False when one has diverged at that row.
bool Bank::all_learn_from(const Example& row, StopSign stop) {
    const Vector<Seen>& seen = others_->seen;
    for (size_t k = 0; k < count(); ++k) others_->labels[k] = run(k).label(row.y);
    learners_->learn(Batch(row), others_->labels.data(), others_->seen.data(), stop);
    bool all = true;
    for (size_t k = 0; k < count(); ++k) {
        if (run(k).fault) continue;
        if (seen[k].finite) {
            run(k).progress.add(seen[k], row.omega);
        } else {
            mark(k, not_finite("prediction", steps()));
            all = false;
        }
    }
    return all;
}

void Bank::mark(size_t k, const Error& fault) {
    run(k).fault = Box<Error>::make<Error>(memory_, fault);
    all_learn_ = false;
}

void Bank::pardon() {
    first_.fault = {};
    all_learn_ = true;
}

bool Bank::any_learns() const {
    for (size_t k = 0; k < count(); ++k)
        if (!run(k).fault) return true;
    return false;
}

void Bank::raise() const {
    for (size_t k = 0; k < count(); ++k)
        if (run(k).fault) throw *run(k).fault;
    std::terminate();
}

void Bank::write_model(Model& model, StopSign stop, size_t first) const {
    write_progress(model, stop, first);
    make_room_for_weights(model, stop);
    write_weights(model, stop, first);
}

void Bank::write_progress(Model& model, StopSign stop, size_t first) const {
    model.steps = steps();
    if (frame_.keeps_scale()) write_scale(model.scale, stop);
    run(first).progress.write_model(model);
    const auto runs = static_cast<double>(model.runs());
    if (runs == 1) return;
    for (size_t k = first + 1; k < first + model.runs(); ++k) run(k).progress.add_to(model);
    model.progressive_loss /= runs;
    for (HistoryPoint& point : model.history) point.loss /= runs;
}

void Bank::write_scale(KeptScale& kept, StopSign stop) const {
    kept.clear();
    frame_.scale.walk(stop, [&](int32_t feature, double s) { kept.push_back(frame_.names(feature), s); });
}

void Bank::save(Writer& writer, Model* model, StopSign stop) const {
    for (size_t k = 0; k < count(); ++k) run(k).progress.save(writer);
    frame_.scale.save(writer, frame_.names, stop);
    writer.u8(learners_ && steps() > 0);
    if (!learners_ || steps() == 0) return;
    if (LabelUnit::may_matter(first_.settings)) writer.f64(per_unit());
    learners_->save(writer, model, stop);
}

size_t Bank::saved_size_of_feature() const {
    const size_t of_scale = frame_.scale.is_one() ? 0 : sizeof(int32_t) + sizeof(double);
    return of_scale + (learners_ ? learners_->saved_size_of_feature() : 0);
}

void Bank::load(Reader& reader, bool known, StopSign stop) {
    for (size_t k = 0; k < count(); ++k) {
        run(k).progress.load(reader);
        if (!run(k).progress.is_beside(first_.progress)) reader.fail("runs of different rows");
    }
    frame_.scale.load(reader, stop);
    if (reader.u8() == 0) return;
    if (!known) reader.fail("no lambda");
    if (LabelUnit::may_matter(first_.settings)) {
        set_per_unit(reader.f64());
        if (!(per_unit() > 0) || !std::isfinite(per_unit())) reader.fail("no such unit of the labels");
    }
    begin(stop);
    learners_->load(reader, stop);
    if (steps() == 0) reader.fail("no steps");
}

void Bank::merge(const Bank& other, double lambda, StopSign stop) {
    const bool both = steps() > 0 && other.steps() > 0;
    if (both && frame_.keeps_scale() && !equal(frame_.scale, other.frame_.scale, stop)) refuse_other_scale();
    const Vector<double> of_run(count(), lambda, memory_);
    const double per_unit = per_unit_with(other);
    learners_->merge(*other.learners_, of_run.data(), memory_, stop);
    // After what can be interrupted, and is made again then.
    set_per_unit(per_unit);
    for (size_t k = 0; k < count(); ++k) run(k).progress.merge(other.run(k).progress);
}

}  // namespace sparselin
