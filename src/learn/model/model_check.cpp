#include "model/model.h"

#include <cmath>

namespace sparselin {

static constexpr const char* coding_names[] = {"number", "boolean", "plus_minus", "zero_one", "text"};

const char* name_of(Coding coding) {
    return coding_names[static_cast<size_t>(coding)];
}
std::span<const char* const> names_of(Coding) {
    return coding_names;
}

bool find_by_name(std::string_view name, Coding& coding) {
    return find_by_name<Coding>(name, coding) && name == name_of(coding);
}

static bool finite(double value) {
    return value - value == 0;
}

[[noreturn]] static void refuse_weight(int64_t feature, double weight) {
    throw Error(Fault::bad_value, "the weight of feature %lld is %s", static_cast<long long>(feature),
                NumberText(weight).c_str())
        .hint("A model keeps finite weights, and only those that are not zero.");
}

static void validate_weights(const Model& model, StopSign stop) {
    if (model.index.size() * model.runs() != model.weight.size())
        throw Error(Fault::bad_value, "a model has %zu features but %zu weights", model.index.size(),
                    model.weight.size());
    int64_t previous = -1;
    for (size_t i = 0; i < model.index.size(); ++i) {
        stop.poll_every_so_often(i);
        const int64_t feature = int64_t{model.index[i]} + 1;
        if (feature < 1 || feature > max_index)
            throw Error(Fault::bad_value, "feature %lld of a model is out of range", static_cast<long long>(feature))
                .hint("Features are numbered from 1 to %lld.", static_cast<long long>(max_index));
        if (model.index[i] <= previous)
            throw Error(Fault::bad_value, "the features of a model do not ascend at feature %lld",
                        static_cast<long long>(feature))
                .hint("Each feature comes once, the smallest first.");
        bool weighs = false;
        for (const double weight : model.weights_at(i)) {
            weighs = weighs || weight != 0;
            if (!finite(weight)) refuse_weight(feature, weight);
        }
        if (!weighs) refuse_weight(feature, 0);
        previous = model.index[i];
    }
    if (model.dimension < 0)
        throw Error(Fault::bad_value, "the dimension of a model cannot be %d", model.dimension)
            .hint("Use 0 for a dimension that is open.");
    if (model.dimension > 0 && previous >= model.dimension)
        throw Error(Fault::bad_value, "feature %lld is beyond the model's dimension %d",
                    static_cast<long long>(previous + 1), model.dimension)
            .hint("Give a larger dimension, or 0 for one that is open.");
}

void refuse_other_scale() {
    throw Error(Fault::mismatch, "models that normalise rows on different scales cannot be merged")
        .hint(
            "The mean of such models is no model of that kind: learn from all rows in one call, or leave out scale, "
            "with "
            "which models of normalised rows merge.");
}

// Whether there is one, its options decide; it has each feature that weighs anything.
static void validate_scale(const Model& model, const Settings& settings, StopSign stop) {
    const KeptScale& scale = model.scale;
    if (!settings.keeps_scale()) {
        if (scale.empty()) return;
        throw Error(Fault::bad_value, "a model of these options has no scale")
            .hint(
                "A model has a scale where its options have norm=l2 and a scale other than none; elsewhere it is in "
                "the weights.");
    }
    if (scale.index.size() != scale.s.size())
        throw Error(Fault::bad_value, "the scale of a model has %zu features but %zu numbers", scale.index.size(),
                    scale.s.size())
            .hint("Each feature of a scale has one number.");
    int64_t previous = -1;
    each_below(scale.index.size(), stop, [&](size_t i) {
        const int64_t index = scale.index[i];
        if (index <= previous || index >= max_index || (model.dimension > 0 && index >= model.dimension))
            throw Error(Fault::bad_value, "the scale of a model is out of place at feature %lld",
                        static_cast<long long>(index + 1))
                .hint("Each feature comes once, the smallest first, and within the model's dimension.");
        if (!(scale.s[i] >= KeptScale::least && scale.s[i] <= KeptScale::most))
            throw Error(Fault::bad_value, "the scale of feature %lld is %s", static_cast<long long>(index + 1),
                        NumberText(scale.s[i]).c_str())
                .hint("What features are divided by lies between %g and %g.", KeptScale::least, KeptScale::most);
        previous = index;
    });
    size_t at = 0;
    each_below(model.index.size(), stop, [&](size_t i) {
        while (at < scale.index.size() && scale.index[at] < model.index[i]) ++at;
        if (at == scale.index.size() || scale.index[at] != model.index[i])
            throw Error(Fault::bad_value, "feature %lld has a weight but no scale",
                        static_cast<long long>(model.index[i]) + 1)
                .hint("Where options have norm=l2 and a scale, \"scale\" has what each feature is divided by.");
    });
}

static void validate_classes(const Model& model, StopSign stop) {
    const Vector<String>& classes = model.classes;
    if (classes.empty() != (model.coding != Coding::text))
        throw Error(Fault::bad_value, "a model with labels %s has %zu classes", name_of(model.coding), classes.size())
            .hint("Labels are \"text\" where classes have names, and only there.");
    each_below(classes.size(), stop, [&](size_t k) {
        if (k == 0 || classes[k - 1] < classes[k]) return;
        throw Error(Fault::bad_value, "the classes of a model do not ascend at \"%s\"", Excerpt(classes[k]).c_str())
            .hint("Each class comes once, in byte order.");
    });
    const size_t runs = runs_for(model.loss, classes.size());
    if (model.bias.size() != runs || model.centred_bias.size() != runs)
        throw Error(Fault::bad_value, "a model of %zu classes has %zu biases", classes.size(), model.bias.size());
    if (traits_of(model.loss).joint && classes.empty())
        throw Error(Fault::bad_value, "a model with loss %s needs classes", name_of(model.loss))
            .hint("Its labels are text, and its classes have names.");
    if (traits_of(model.loss).joint && !traits_of(model.learner).learns_jointly)
        throw Error(Fault::bad_value, "a model of %s_train cannot have loss %s", name_of(model.learner),
                    name_of(model.loss))
            .hint("That loss is for %s.",
                  names_where(
                      learner_table, [](const LearnerTraits& traits) { return traits.learns_jointly; }, "and")
                      .c_str());
    if (!classes.empty() && !is_classification(model.loss))
        throw Error(Fault::bad_value, "a model with loss %s cannot have classes", name_of(model.loss))
            .hint("Classes go with loss %s.", names_of_class_losses().c_str());
}

static void validate_history(const Model& model) {
    if (model.history.size() > max_history)
        throw Error(Fault::bad_value, "the history of a model has %zu points, more than %zu", model.history.size(),
                    max_history);
    int64_t previous = 0;
    for (const HistoryPoint& point : model.history) {
        if (point.step <= previous || !finite(point.loss))
            throw Error(Fault::bad_value, "the history of a model is wrong at step %lld",
                        static_cast<long long>(point.step))
                .hint("Steps ascend from 1, and losses are finite.");
        previous = point.step;
    }
}

static void validate_search(const Model& model) {
    if (model.search.size() > max_tried)
        throw Error(Fault::bad_value, "the search of a model has %zu points, more than %zu", model.search.size(),
                    max_tried);
    double previous = std::numeric_limits<double>::infinity();
    for (const Tried& tried : model.search) {
        if (!(tried.strength > 0 && tried.strength < previous) || std::isinf(tried.loss))
            throw Error(Fault::bad_value, "the search of a model is wrong at %s", NumberText(tried.strength).c_str())
                .hint("What it has tried descends to 0, and losses are finite.");
        previous = tried.strength;
    }
}

// That a number is finite, and a count not negative.
struct ScalarCheck {
    void operator()(const char* name, double value) const {
        if (!finite(value))
            throw Error(Fault::bad_value, "%s of a model is %s", name, NumberText(value).c_str())
                .hint("Every number in a model is finite.");
    }
    void operator()(const char* name, int64_t value) const {
        if (value < 0)
            throw Error(Fault::bad_value, "%s of a model is %lld", name, static_cast<long long>(value))
                .hint("Counts are not negative.");
    }
    void operator()(const char* name, const Vector<double>& of_runs) const {
        for (const double value : of_runs) (*this)(name, value);
    }
    template <typename Other>
    void operator()(const char*, const Other&) const {}
};

static void validate_scalars(const Model& model) {
    each_field(model, ScalarCheck());
    if (model.lambda < 0)
        throw Error(Fault::bad_value, "lambda of a model is %s", NumberText(model.lambda).c_str())
            .hint("lambda is not negative.");
    if (is_classification(model.loss) && model.coding == Coding::number)
        throw Error(Fault::bad_value, "a model with loss %s cannot have labels %s", name_of(model.loss),
                    name_of(model.coding))
            .hint("Labels of a classification loss are boolean, plus_minus, zero_one or text.");
}

ChosenLoss loss_of(const Model& model, Memory memory, StopSign stop) {
    if (traits_of(model.loss).parameter == nullptr) return model.loss;
    return with_parameter(model.loss, parse_options(model.options, memory, stop));
}

bool normalizes(const Model& model, Memory memory, StopSign stop) {
    const double its = parse_options(model.options, memory, stop).norm;
    return !is_automatic(its) && static_cast<Normalizing>(its) != Normalizing::none;
}

bool balances_classes(const Model& model, Memory memory, StopSign stop) {
    const double its = parse_options(model.options, memory, stop).class_weight;
    return !is_automatic(its) && static_cast<ClassWeight>(its) == ClassWeight::balanced;
}

double strength_of(const Model& model, Memory memory, StopSign stop) {
    return parse_options(model.options, memory, stop).*strength_of(model.learner).asked;
}

// Options of a model that was made elsewhere may leave open what it says itself.
static void validate_options(const Model& model, Memory memory, StopSign stop) {
    Options options = parse_options(model.options, memory, stop);
    if (!find_option("loss").is_set_in(options)) options.loss = static_cast<double>(model.loss);
    validate_scale(model, settings_for(options, model.learner), stop);
}

void validate(const Model& model, Memory memory, StopSign stop) {
    validate_scalars(model);
    validate_history(model);
    validate_search(model);
    validate_classes(model, stop);
    validate_weights(model, stop);
    validate_options(model, memory, stop);
}

}  // namespace sparselin
