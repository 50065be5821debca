// A model from its text: keys in any order, features in any order (jsonb sorts both its own way).
#include "base/base64.h"
#include "base/words.h"
#include "base/json.h"
#include "model/model.h"

#include <algorithm>

namespace sparselin {

namespace {

constexpr char format_key[] = "sparselin_model";

class ModelReader {
public:
    ModelReader(std::string_view text, Memory memory, StopSign stop)
        : json_(text, "sparselin_model", stop),
          model_(memory),
          scratch_(memory),
          memory_(memory),
          stop_(stop),
          keys_(1, format_key, memory) {
        each_field(model_, [this](const char* name, auto&&) { keys_.push_back(name); });
    }

    Model read() {
        if (json_.peek() != JsonKind::object) json_.fail("a JSON object was expected");
        json_.open_object();
        std::string_view name;
        while (json_.next_key(name, scratch_)) {
            begin_key(name);
            try {
                value_of_key();
            } catch (Error& error) {
                if (*error.hint() == '\0') error.hint("Correct the value of key \"%s\".", key_);
                throw;
            }
        }
        json_.finish();
        complete();
        validate(model_, memory_, stop_);
        return std::move(model_);
    }

private:
    [[noreturn]] void refuse(Fault fault, const char* why, std::string_view value) {
        throw Error(fault, "invalid sparselin_model: %s in \"%s\": \"%s\"", why, key_, Excerpt(value).c_str());
    }

    // The number of a key.
    size_t find_key(std::string_view name) const {
        for (size_t number = 0; number < keys_.size(); ++number)
            if (name == keys_[number]) return number;
        Phrase keys;
        for (const char* key : keys_) keys.add("%s%s", key == keys_.back() ? " and " : *keys.c_str() ? ", " : "", key);
        throw Error(Fault::bad_text, "invalid sparselin_model: unknown key \"%s\"", Excerpt(name).c_str())
            .hint("Keys are %s.", keys.c_str());
    }

    void begin_key(std::string_view name) {
        const size_t number = find_key(name);
        key_ = keys_[number];
        if ((seen_ >> number & 1) != 0)
            throw Error(Fault::bad_text, "invalid sparselin_model: key \"%s\" appears twice", key_)
                .hint("Give \"%s\" once.", key_);
        seen_ |= uint32_t{1} << number;
    }

    void value_of_key() {
        if (key_ == format_key) return format();
        each_field(model_, [&](std::string_view name, auto&& value) {
            if (name == key_) read(value);
        });
    }

    void format() {
        if (const int64_t format = whole_number(INT64_MAX); format != 1)
            throw Error(Fault::not_supported, "sparselin_model of format %lld cannot be read",
                        static_cast<long long>(format))
                .hint("This version of sparselin reads format 1; a newer one may read it.");
    }

    void expect(JsonKind kind) {
        const JsonKind found = json_.peek();
        if (found != kind)
            throw Error(Fault::bad_text, "invalid sparselin_model: key \"%s\" holds %s where %s belongs", key_,
                        name_of(found), name_of(kind));
    }

    double number() {
        expect(JsonKind::number);
        const std::string_view text = json_.number();
        double value = 0;
        const NumberError error = read_number(text, value);
        if (error == NumberError::too_large) refuse(Fault::out_of_range, "number too large", text);
        if (error == NumberError::too_small) refuse(Fault::out_of_range, "number too close to zero", text);
        if (error != NumberError::none) refuse(Fault::bad_text, "not a number", text);
        return value + 0.0;
    }

    int64_t whole_number(int64_t high) {
        expect(JsonKind::number);
        const std::string_view text = json_.number();
        int64_t value = 0;
        const NumberError error = read_number(text, value);
        if (error == NumberError::malformed) refuse(Fault::bad_text, "not a whole number", text);
        if (error != NumberError::none || value > high || value < 0)
            refuse(Fault::out_of_range, "number out of range", text);
        return value;
    }

    std::string_view text() {
        expect(JsonKind::string);
        return json_.string(scratch_);
    }

    // The value of a field.
    void read(double& value) { value = number(); }
    void read(int64_t& value) { value = whole_number(INT64_MAX); }
    void read(int32_t& value) { value = static_cast<int32_t>(whole_number(max_index)); }
    void read(String& value) { value = text(); }

    template <typename Choice>
    requires std::is_enum_v<Choice>
    void read(Choice& value) {
        const std::string_view name = text();
        if (find_by_name(name, value)) return;
        Phrase names;
        for (const char* right : names_of(value)) names.comma().add("%s", right);
        throw Error(Fault::bad_text, "invalid sparselin_model: unknown %s \"%s\"", key_, Excerpt(name).c_str())
            .hint("The value of \"%s\" is one of %s.", key_, names.c_str());
    }

    void read(Origins& origins) {
        expect(JsonKind::array);
        json_.open_array();
        while (json_.next_element()) origins.set(find_option(text()), Origin::given);
    }

    void read(Vector<String>& classes) {
        expect(JsonKind::array);
        json_.open_array();
        while (json_.next_element()) classes.emplace_back(text());
        if (classes.empty()) json_.fail("no classes");
    }

    void read(Vector<double>& of_runs) {
        of_runs.clear();
        numbers_of_runs(of_runs);
    }

    // A number, or an array of them; how many.
    size_t numbers_of_runs(Vector<double>& to) {
        if (json_.peek() != JsonKind::array) {
            to.push_back(number());
            return 1;
        }
        const size_t before = to.size();
        json_.open_array();
        while (json_.next_element()) to.push_back(number());
        return to.size() - before;
    }

    void read(Vector<HistoryPoint>& history) {
        expect(JsonKind::array);
        json_.open_array();
        while (json_.next_element()) {
            if (history.size() == max_history)
                throw Error(Fault::bad_text, "invalid sparselin_model: \"history\" has more than %zu points",
                            max_history);
            expect(JsonKind::array);
            json_.open_array();
            const auto see_another = [this](bool expected) {
                if (json_.next_element() != expected) json_.fail("a step and a loss were expected");
            };
            see_another(true);
            const int64_t step = whole_number(INT64_MAX);
            see_another(true);
            history.push_back({step, number()});
            see_another(false);
        }
    }

    // Where learning diverged there is no loss.
    void read(Vector<Tried>& search) {
        expect(JsonKind::array);
        json_.open_array();
        while (json_.next_element()) {
            if (search.size() == max_tried)
                throw Error(Fault::bad_text, "invalid sparselin_model: \"search\" has more than %zu points", max_tried);
            Tried& tried = search.emplace_back(Tried{0, std::numeric_limits<double>::quiet_NaN()});
            expect(JsonKind::array);
            json_.open_array();
            if (!json_.next_element()) json_.fail("a strength was expected");
            tried.strength = number();
            if (!json_.next_element()) continue;
            tried.loss = number();
            if (json_.next_element()) json_.fail("a strength and a loss were expected");
        }
    }

    void read(const WeightsOf<Model>&) {
        const JsonKind kind = json_.peek();
        if (kind == JsonKind::array) {
            weights_array();
        } else if (kind == JsonKind::object) {
            weights_object();
        } else {
            throw Error(Fault::bad_text, "invalid sparselin_model: key \"weights\" holds %s", name_of(kind))
                .hint("The value of \"weights\" is an object {\"feature\": weight} or an array of weights.");
        }
        if (!ascending_) sort_weights();
    }

    void weights_array() {
        json_.open_array();
        for (int64_t feature = 1; json_.next_element(); ++feature) {
            if (feature > max_index) json_.fail("too many weights");
            keep(feature);
        }
    }

    void weights_object() {
        json_.open_object();
        std::string_view name;
        while (json_.next_key(name, scratch_)) {
            keep(feature_of(name));
        }
    }

    // What a key within the value says.
    int64_t feature_of(std::string_view name) {
        int64_t feature = 0;
        const bool decimal = !name.empty() && name[0] >= '1' && name[0] <= '9';
        if (!decimal || read_number(name, feature) != NumberError::none || feature > max_index)
            throw Error(Fault::bad_text, "invalid sparselin_model: feature \"%s\" in \"%s\"", Excerpt(name).c_str(),
                        key_)
                .hint("Features in \"%s\" are whole numbers from 1 to %lld.", key_, static_cast<long long>(max_index));
        return feature;
    }

    void read(KeptScale& scale) {
        expect(JsonKind::object);
        json_.open_object();
        std::string_view name;
        bool ascending = true;
        while (json_.next_key(name, scratch_)) {
            const auto index = static_cast<int32_t>(feature_of(name) - 1);
            ascending = ascending && (scale.empty() || scale.index.back() < index);
            scale.push_back(index, number());
        }
        if (ascending) return;
        KeptScale sorted(memory_);
        for (const Entry& entry : in_order(scale.index)) sorted.push_back(entry.index, scale.s[entry.place]);
        scale = std::move(sorted);
    }

    // Zeros stay until the end, so that a feature given twice is seen.
    void keep(int64_t feature) {
        const auto index = static_cast<int32_t>(feature - 1);
        const size_t count = numbers_of_runs(model_.weight);
        if (count == 0) return;
        if (width_ == 0) width_ = count;
        if (count != width_) refuse_width(feature, count);
        ascending_ = ascending_ && (model_.index.empty() || model_.index.back() < index);
        model_.index.push_back(index);
    }

    [[noreturn]] void refuse_width(int64_t feature, size_t count) {
        throw Error(Fault::bad_text, "invalid sparselin_model: feature %lld has %zu weights, others %zu",
                    static_cast<long long>(feature), count, width_)
            .hint("Each feature has a weight, or an array with one for each class.");
    }

    // A feature, and the place at which it came.
    struct Entry {
        int32_t index;
        size_t place;
    };

    Vector<Entry> in_order(const Vector<int32_t>& index) {
        Vector<Entry> entries(memory_);
        entries.reserve(index.size());
        each_below(index.size(), stop_, [&](size_t i) { entries.push_back({index[i], i}); });
        size_t compared = 0;
        std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
            stop_.poll_every_so_often(++compared);
            return a.index < b.index;
        });
        each_below(entries.size(), stop_, [&](size_t i) {
            if (i > 0 && entries[i].index == entries[i - 1].index)
                throw Error(Fault::bad_text, "invalid sparselin_model: feature %lld appears twice in \"%s\"",
                            static_cast<long long>(entries[i].index) + 1, key_)
                    .hint("Give each feature in \"%s\" once.", key_);
        });
        return entries;
    }

    void sort_weights() {
        const Vector<Entry> entries = in_order(model_.index);
        Vector<double> weight(memory_);
        weight.reserve(model_.weight.size());
        each_below(entries.size(), stop_, [&](size_t i) {
            model_.index[i] = entries[i].index;
            const auto first = model_.weight.begin() + static_cast<ptrdiff_t>(entries[i].place * width_);
            weight.insert(weight.end(), first, first + static_cast<ptrdiff_t>(width_));
        });
        model_.weight.swap(weight);
    }

    void read(Vector<char>& resume) {
        const std::string_view digits = text();
        resume.reserve(digits.size() / 4 * 3);
        constexpr size_t piece = size_t{1} << 16;
        for (size_t from = 0; from < digits.size(); from += piece) {
            stop_.poll();
            const std::string_view part = digits.substr(from, piece);
            if (!append_unbase64(part, from + part.size() == digits.size(), resume))
                throw Error(Fault::bad_text, "invalid sparselin_model: \"resume\" is not base64")
                    .hint("Leave out \"resume\" where it was damaged: the model still predicts.");
        }
    }

    // What was not given, and zeros.
    void complete() {
        for (const char* key : {"learner", "loss", "weights"})
            if (!has(key))
                throw Error(Fault::bad_text, "invalid sparselin_model: key \"%s\" is missing", key)
                    .hint("A model needs at least \"learner\", \"loss\" and \"weights\".");
        if (!has("labels")) model_.coding = usual_coding();
        check_runs();
        if (!has("centred_bias")) model_.centred_bias = model_.bias;
        if (!has("given")) {
            model_.origins = Origins(parse_options(model_.options, memory_, stop_));
            if (has("lambda")) model_.origins.set(find_option("lambda"), Origin::given);
        }
        drop_features_of_zeros();
    }

    Coding usual_coding() const {
        if (has("classes")) return Coding::text;
        return is_classification(model_.loss) ? Coding::plus_minus : Coding::number;
    }

    // Each run has a bias, and a weight of each feature.
    void check_runs() {
        const size_t runs = runs_for(model_.loss, model_.classes.size());
        if (!has("bias")) model_.bias.assign(runs, 0.0);
        const auto check = [&](const char* name, size_t count) {
            if (count != runs)
                throw Error(Fault::bad_text, "invalid sparselin_model: %zu numbers in \"%s\" where %zu belong", count,
                            name, runs)
                    .hint("With %zu classes and loss %s, a bias, and a weight, is %s.", model_.classes.size(),
                          name_of(model_.loss), runs == 1 ? "a number" : "an array with a number for each class");
        };
        check("bias", model_.bias.size());
        if (has("centred_bias")) check("centred_bias", model_.centred_bias.size());
        if (width_ != 0) check("weights", width_);
    }

    void drop_features_of_zeros() {
        const size_t runs = model_.runs();
        size_t kept = 0;
        each_below(model_.index.size(), stop_, [&](size_t i) {
            const auto weights = model_.weights_at(i);
            if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) return;
            model_.index[kept] = model_.index[i];
            std::ranges::copy(weights, model_.weight.begin() + static_cast<ptrdiff_t>(kept * runs));
            ++kept;
        });
        model_.index.resize(kept);
        model_.weight.resize(kept * runs);
    }

    bool has(std::string_view key) const { return (seen_ >> find_key(key) & 1) != 0; }

    JsonReader json_;
    Model model_;
    String scratch_;
    Memory memory_;
    StopSign stop_;
    Vector<const char*> keys_;  // the format, and each field
    const char* key_ = "";
    uint32_t seen_ = 0;
    bool ascending_ = true;
    size_t width_ = 0;  // how many weights a feature has; 0: none was there yet
};

}  // namespace

Model from_json(std::string_view text, Memory memory, StopSign stop) {
    try {
        return ModelReader(text, memory, stop).read();
    } catch (Error& error) {
        if (*error.hint() == '\0')
            error.hint(
                "A model is a JSON object, such as "
                "{\"learner\":\"sgd\",\"loss\":\"logistic\",\"weights\":{\"1\":0.5,\"7\":2}}.");
        throw;
    }
}

}  // namespace sparselin
