// The text form of a model.
//
// {"sparselin_model":1,"learner":"casgd","loss":"logistic","labels":"boolean","options":"...","given":["loss"],
//  "lambda":0.01,"bias":0,"centred_bias":0,"progressive_loss":0,"rows":0,"skipped":0,"steps":0,"epochs":0,"dimension":0,
//  "history":[[step,loss],...],"weights":{"1":0.5,"7":2},"resume":"base64"}
// Weights are an array, element i for feature i, where that is shorter. Labels that are text have
//  "classes":["a","b","c"]
// where rows are normalised on a scale, there is what each feature is divided by,
//  "scale":{"1":2,"7":0.25}
// where a search has chosen how strong regularisation is, there is what it has tried, without a loss where that
// diverged,
//  "search":[[strength,loss],...,[strength]]
// and where there are several runs, each bias, and each weight, is an array of their numbers; [] is none of them.
#include "base/base64.h"
#include "base/json.h"
#include "model/model.h"

#include <algorithm>
#include <cmath>

namespace sparselin {

static constexpr size_t base64_piece = 48 * 1024;

static size_t decimal_digits(int64_t number) {
    size_t digits = 1;
    for (; number >= 10; number /= 10) ++digits;
    return digits;
}

// What an object needs beside the weights' own digits is "index": and a comma; what an array needs, 0 and commas.
static bool array_is_shorter(const Model& model, StopSign stop) {
    const size_t size = places(model), weights = model.index.size();
    if (weights == 0) return false;
    size_t object = weights - 1;
    each_below(weights, stop, [&](size_t i) { object += decimal_digits(int64_t{model.index[i]} + 1) + 3; });
    const size_t nothing = model.runs() == 1 ? 1 : 2;  // 0 or []
    return (size - weights) * nothing + size - 1 < object;
}

namespace {

// Writes the value of a field.
struct FieldWriter {
    JsonWriter& writer;
    Memory memory;
    StopSign stop;

    template <typename Value>
    void operator()(const Value& value) {
        if constexpr (std::is_enum_v<Value>) {
            writer.string(name_of(value));
        } else {
            writer.number(value);
        }
    }
    void operator()(const String& text) { writer.string(text); }
    void operator()(const Origins& origins) {
        writer.open_array();
        for (const OptionSpec& spec : option_table())
            if (origins.of(spec) == Origin::given) writer.string(spec.name);
        writer.close_array();
    }
    void operator()(const Vector<String>& classes) {
        writer.open_array();
        for (const String& name : classes) writer.string(name);
        writer.close_array();
    }
    void operator()(const Vector<double>& of_runs) { numbers(of_runs); }
    void operator()(const Vector<HistoryPoint>& history) {
        writer.open_array();
        for (const HistoryPoint& point : history) {
            writer.open_array();
            writer.number(point.step);
            writer.number(point.loss);
            writer.close_array();
        }
        writer.close_array();
    }
    void operator()(const Vector<Tried>& search) {
        writer.open_array();
        for (const Tried& tried : search) {
            writer.open_array();
            writer.number(tried.strength);
            if (std::isfinite(tried.loss)) writer.number(tried.loss);
            writer.close_array();
        }
        writer.close_array();
    }
    void operator()(const KeptScale& scale) {
        writer.open_object();
        each_below(scale.index.size(), stop, [&](size_t i) {
            writer.key(NumberText(int64_t{scale.index[i]} + 1));
            writer.number(scale.s[i]);
        });
        writer.close_object();
    }
    void operator()(const WeightsOf<const Model>& weights) {
        if (array_is_shorter(weights.model, stop)) return as_array(weights.model);
        as_object(weights.model);
    }
    void operator()(const Vector<char>& bytes) {
        String piece(memory);
        writer.open_string();
        for (size_t from = 0; from < bytes.size(); from += base64_piece) {
            stop.poll();
            piece.clear();
            append_base64(std::span(bytes).subspan(from, std::min(base64_piece, bytes.size() - from)), piece);
            writer.piece(piece);
        }
        writer.close_string();
    }

    // That of the only run, or those of all.
    void numbers(std::span<const double> of_runs) {
        if (of_runs.size() == 1) return writer.number(of_runs[0]);
        writer.open_array();
        for (const double number : of_runs) writer.number(number);
        writer.close_array();
    }

    void as_array(const Model& model) {
        writer.open_array();
        for (size_t place = 0, i = 0; i < model.index.size(); ++place) {
            stop.poll_every_so_often(place);
            if (static_cast<size_t>(model.index[i]) == place) {
                numbers(model.weights_at(i++));
            } else if (model.runs() == 1) {
                writer.number(0);
            } else {
                numbers({});
            }
        }
        writer.close_array();
    }

    void as_object(const Model& model) {
        writer.open_object();
        each_below(model.index.size(), stop, [&](size_t i) {
            writer.key(NumberText(int64_t{model.index[i]} + 1));
            numbers(model.weights_at(i));
        });
        writer.close_object();
    }
};

}  // namespace

static void write_model(JsonWriter& writer, const Model& model, bool with_resume, Memory memory, StopSign stop) {
    with_resume = with_resume && !model.resume.empty();
    FieldWriter write{writer, memory, stop};
    writer.open_object();
    writer.key("sparselin_model"), writer.number(1);
    each_field(model, [&](const char* name, const auto& value) {
        const void* const field = &value;
        if (field == &model.resume && !with_resume) return;
        if (field == &model.classes && model.classes.empty()) return;
        if (field == &model.search && model.search.empty()) return;
        if (field == &model.scale && model.scale.empty()) return;
        writer.key(name);
        write(value);
    });
    writer.close_object();
}

// No more than this: 24 characters for a double, 10 for an index, 4 around them; 48 for a point of the history.
static size_t text_bound(const Model& model, size_t resume) {
    size_t names = model.options.size();
    for (const String& name : model.classes) names += 1 + name.size();
    return 2000 + 6 * names + 48 * model.history.size() + 52 * model.runs() + 16 * model.index.size() +
           26 * model.weight.size() + 38 * model.scale.index.size() + base64_length(resume);
}

[[noreturn]] static void too_large(const char* form, size_t size, size_t limit) {
    throw Error(Fault::too_large, "the model is too large: %zu bytes %s, %zu allowed", size, form, limit)
        .hint(
            "Train with resumable => false, merge models after sparselin_compact(model), or use fewer features "
            "(for hashed ones: fewer bits).");
}

static void check_text_size(const Model& model, size_t resume, size_t limit, Memory memory, StopSign stop) {
    if (text_bound(model, resume) <= limit) return;
    JsonWriter counter(nullptr, stop);
    write_model(counter, model, false, memory, stop);
    const size_t size = counter.size() + (resume == 0 ? 0 : strlen(R"(,"resume":"")") + base64_length(resume));
    if (size > limit) too_large("as text", size, limit);
}

void check_size(const Model& model, size_t resume, size_t limit, Memory memory, StopSign stop) {
    const size_t size = encoded_size(model, resume);
    if (size > limit) too_large("on disk", size, limit);
    check_text_size(model, resume, limit, memory, stop);
}

void check_resume_size(size_t bytes, size_t limit) {
    if (base64_length(bytes) > limit) too_large("as text", base64_length(bytes), limit);
}

String to_json(const Model& model, bool with_resume, size_t limit, Memory memory, StopSign stop) {
    const size_t resume = with_resume ? model.resume.size() : 0;
    check_text_size(model, resume, limit, memory, stop);
    String text(memory);
    text.reserve(std::min(limit, text_bound(model, 0) * 2 / 3 + base64_length(resume)));
    JsonWriter writer(&text, stop);
    write_model(writer, model, with_resume, memory, stop);
    return text;
}

}  // namespace sparselin
