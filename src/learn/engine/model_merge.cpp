#include "engine/model_merge.h"

#include "base/codec.h"

namespace sparselin {

// Whether all rows had the label 1, so that it is not known how the other class is written.
static bool has_open_coding(const Model& model, Memory memory) {
    if (model.coding != Coding::plus_minus || model.resume.empty()) return false;
    Reader reader(model.resume, "resume state of a model");
    Training::read_kind_in_model(reader);
    Labels labels(model.loss, LabelKind::number, memory);
    labels.load(reader, StopSign());
    return labels.only_ones();
}

bool ModelMerge::goes_with(Coding coding, bool coding_open) const {
    const auto of_numbers = [](Coding its) { return its == Coding::plus_minus || its == Coding::zero_one; };
    return coding == mean_.coding || ((coding_open || coding_open_) && of_numbers(coding) && of_numbers(mean_.coding));
}

void ModelMerge::check_fits(const Model& model, bool coding_open) const {
    if (model.steps == 0)
        throw Error(Fault::bad_value, "a model of no steps cannot be merged")
            .hint("Steps say how much a model counts; one that was trained elsewhere needs the key \"steps\".");
    check_counts(model);
    if (models_ == 0) return;
    if (model.learner != mean_.learner || model.loss != mean_.loss || !goes_with(model.coding, coding_open))
        throw Error(Fault::mismatch,
                    "a model of %s_train with loss %s and labels %s does not go with one of %s_train "
                    "with loss %s and labels %s",
                    name_of(mean_.learner), name_of(mean_.loss), name_of(mean_.coding), name_of(model.learner),
                    name_of(model.loss), name_of(model.coding))
            .hint("Merge models that were trained in the same way on different rows.");
    const ChosenLoss loss = loss_of(model, memory_, StopSign()), others = loss_of(mean_, memory_, StopSign());
    if (loss.parameter != others.parameter)
        throw Error(Fault::mismatch, "a model with %s %s does not go with one with %s %s",
                    traits_of(loss.loss).parameter, NumberText(others.parameter).c_str(),
                    traits_of(loss.loss).parameter, NumberText(loss.parameter).c_str())
            .hint("Merge models that were trained in the same way on different rows.");
    if (model.classes != mean_.classes) refuse_other_classes();
    check_normalizing(model);
    check_dimension(model);
}

// The mean of the weights is that of the scores where all models see a row alike.
void ModelMerge::check_normalizing(const Model& model) const {
    const bool its = normalizes(model, memory_, StopSign());
    if (its != normalizes(mean_, memory_, StopSign()))
        throw Error(Fault::mismatch, "a model that %s does not go with one that %s",
                    its ? "normalises rows" : "takes rows as they are",
                    its ? "takes them as they are" : "normalises them")
            .hint("Merge models that were trained in the same way on different rows.");
    if (model.scale.index != mean_.scale.index || model.scale.s != mean_.scale.s) refuse_other_scale();
}

void ModelMerge::check_dimension(const Model& model) const {
    const int32_t dimension = common_dimension(mean_.dimension, model.dimension);
    const int64_t largest = std::max<int64_t>(largest_index_, model.index.empty() ? -1 : model.index.back());
    if (dimension != 0 && largest >= dimension)
        throw Error(Fault::mismatch, "a model of feature %lld does not go with one of dimension %d",
                    static_cast<long long>(largest + 1), dimension)
            .hint("Merge models of the same features.");
}

void ModelMerge::check_counts(const Model& model) const {
    const auto fits = [](int64_t sum, int64_t count) { return count <= most_counted - sum; };
    const auto last = [](const Model& its) { return its.history.empty() ? 0 : its.history.back().step; };
    if (fits(mean_.rows, model.rows) && fits(mean_.skipped, model.skipped) && fits(mean_.steps, model.steps) &&
        fits(last(mean_), last(model)))
        return;
    throw Error(Fault::bad_value, "models of more than %lld steps cannot be merged",
                static_cast<long long>(most_counted))
        .hint("Give a model that was trained elsewhere as many \"steps\" as rows it has learned from.");
}

bool has_lambda_by_rows(const Model& model, Memory memory) {
    const OptionSpec& spec = find_option("lambda");
    if (model.origins.of(spec) == Origin::given || !spec.is_taken_by(model.learner)) return false;
    const Options options = parse_options(model.options, memory, StopSign());
    return is_automatic(spec.default_for(model.learner)) ||
           (options.search == 1 && strength_of(model.learner).is_by_rows);
}

// The sum is not finite where one of them is 0.
double ModelMerge::lambda_for_all() const {
    const double rows = rows_by_lambda_.value();
    return std::isfinite(rows) ? 1 / rows : 0;
}

void ModelMerge::begin(const Model& model) {
    mean_.learner = model.learner;
    mean_.loss = model.loss;
    mean_.coding = model.coding;
    mean_.classes = model.classes;
    mean_.set_runs(model.runs());
    mean_.origins = model.origins;
    mean_.lambda = model.lambda;
    mean_.scale.index = model.scale.index;
    mean_.scale.s = model.scale.s;
}

// Options that stand together, whatever the order: those of the most steps.
void ModelMerge::choose_options(const Model& model) {
    const bool longer = model.steps > most_steps_;
    if (!longer && !(model.steps == most_steps_ && model.options < mean_.options)) return;
    mean_.options = model.options;
    most_steps_ = model.steps;
}

static FeatureTable<Numbers> with_weights(const FeatureTable<Numbers>& sums, const Model& model, Memory memory,
                                          StopSign stop) {
    const size_t runs = model.runs();
    FeatureTable<Numbers> all(memory, {runs});
    sums.walk(stop, [&](int32_t index, const double* sum) { std::copy_n(sum, runs, all.at(index, stop)); });
    const auto steps = static_cast<double>(model.steps);
    for (size_t i = 0; i < model.index.size(); ++i) {
        stop.poll_every_so_often(i);
        double* const sum = all.at(model.index[i], stop);
        for (size_t run = 0; run < runs; ++run) sum[run] += steps * model.weights_at(i)[run];
    }
    return all;
}

void ModelMerge::add(const Model& model, StopSign stop) {
    const bool coding_open = has_open_coding(model, memory_);
    check_fits(model, coding_open);
    FeatureTable<Numbers> weights = with_weights(weights_, model, memory_, stop);
    const bool settled = parse_options(model.options, memory_, stop).settle == 1;
    Vector<HistoryPoint> history = merged_history(mean_.history, model.history, memory_);
    add_state(model, stop);

    if (models_ == 0) begin(model);
    choose_options(model);
    mean_.origins.keep_common(model.origins);
    any_settled_ |= settled;
    ++models_;
    if (!coding_open) mean_.coding = model.coding;
    coding_open_ &= coding_open;
    weights_ = std::move(weights);
    mean_.history = std::move(history);
    const auto steps = static_cast<double>(model.steps);
    for (size_t run = 0; run < model.runs(); ++run) {
        mean_.bias[run] += steps * model.bias[run];
        mean_.centred_bias[run] += steps * model.centred_bias[run];
    }
    mean_.progressive_loss += steps * model.progressive_loss;
    lambda_is_given_ &= !has_lambda_by_rows(model, memory_) && model.lambda == mean_.lambda;
    rows_by_lambda_.add(1 / model.lambda);
    largest_index_ = std::max(largest_index_, model.index.empty() ? -1 : model.index.back());
    mean_.dimension = std::max(mean_.dimension, model.dimension);
    mean_.rows += model.rows;
    mean_.skipped += model.skipped;
    mean_.steps += model.steps;
    mean_.epochs = std::max(mean_.epochs, model.epochs);
}

// The one step here that changes anything for good comes last.
void ModelMerge::add_state(const Model& model, StopSign stop) {
    if (models_ > 0 && !together_) return;
    if (model.resume.empty()) {
        together_ = {};
        return;
    }
    Reader reader(model.resume, "resume state of a model", stop);
    const Training::Kind kind = Training::read_kind_in_model(reader);
    if (!together_) {
        together_ = Box<Training>::make<Training>(memory_, kind, memory_, stop);
    } else if (kind.options != together_->options()) {
        together_ = {};
        return;
    }
    Training part(kind, memory_, stop);
    part.resume(reader, model, stop);
    part.end_rows();
    part.work(SIZE_MAX, stop);
    together_->absorb(part, stop);
}

void ModelMerge::write(Model& model, Memory memory, StopSign stop) {
    if (together_) {
        together_->end_rows();
        together_->work(SIZE_MAX, stop);
        return together_->write_model(model, memory, stop);
    }
    const auto steps = static_cast<double>(mean_.steps);
    model.learner = mean_.learner;
    model.loss = mean_.loss;
    model.coding = mean_.coding;
    model.lambda = lambda_is_given_ ? mean_.lambda : lambda_for_all();
    Options options = parse_options(mean_.options, memory, stop);
    if (!is_automatic(options.lambda)) options.lambda = model.lambda;
    options.resumable = false;
    if (any_settled_) options.settle = false;
    model.options = print_options(options, memory, stop);
    model.origins = mean_.origins;
    if (!lambda_is_given_) model.origins.set(find_option("lambda"), Origin::automatic);
    model.classes = mean_.classes;
    model.set_runs(mean_.runs());
    for (size_t run = 0; run < model.runs(); ++run) {
        model.bias[run] = mean_.bias[run] / steps;
        model.centred_bias[run] = mean_.centred_bias[run] / steps;
    }
    model.progressive_loss = mean_.progressive_loss / steps;
    model.rows = mean_.rows;
    model.skipped = mean_.skipped;
    model.steps = mean_.steps;
    model.epochs = mean_.epochs;
    model.dimension = mean_.dimension;
    model.scale.index = mean_.scale.index;
    model.scale.s = mean_.scale.s;
    model.history.assign(mean_.history.begin(), mean_.history.end());
    weights_.walk(stop, [&](int32_t index, const double* sum) {
        for (size_t run = 0; run < model.runs(); ++run) model.weight.push_back(sum[run] / steps);
        model.index.push_back(index);
        model.drop_last_of_zeros();
    });
}

}  // namespace sparselin
