#include "options/options.h"

#include "base/words.h"
#include "rows/sparse_text.h"

#include <algorithm>
#include <cmath>

namespace sparselin {

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static constexpr const char* truths[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};

void Options::set_center(const SparseRow& center, StopSign stop) {
    validate(center, stop);
    center_index.assign(center.index, center.index + center.nnz);
    center_value.assign(center.value, center.value + center.nnz);
    center_dim = center.dim;
    has_center = true;
}

[[noreturn]] static void refuse_range(const OptionSpec& spec, const char* value) {
    throw Error(Fault::bad_value, "option \"%s\" is out of range: %s", spec.name, value)
        .hint("%s must be %s.", spec.name, range_text(spec).c_str());
}

void set_option(Options& options, const OptionSpec& spec, double value) {
    if (spec.type == OptionType::choice || spec.field == nullptr)
        throw Error(Fault::mismatch, "option \"%s\" is not a number", spec.name)
            .hint("%s must be %s.", spec.name, range_text(spec).c_str());
    if (!std::isfinite(value) && !spec.can_be_infinite())
        throw Error(Fault::bad_value, "option \"%s\" is out of range: %s", spec.name, NumberText(value).c_str())
            .hint("%s must be finite, %s; NULL leaves it to the learner.", spec.name, range_text(spec).c_str());
    const bool below_high = spec.open && !spec.can_be_infinite() ? value < spec.high : value <= spec.high;
    const bool in_range = (spec.open ? value > spec.low : value >= spec.low) && below_high;
    const bool whole = value == std::trunc(value);
    if (!in_range || (spec.type == OptionType::whole_number && !whole)) refuse_range(spec, NumberText(value).c_str());
    options.*spec.field = value + 0.0;  // no negative zero
}

static constexpr const char* infinities[] = {"infinity", "inf", "+infinity", "+inf"};

static void set_number(Options& options, const OptionSpec& spec, std::string_view value) {
    if (spec.can_be_infinite() && find_name(value, infinities) >= 0) return set_option(options, spec, spec.high);
    double number = 0;
    switch (read_number(value, number)) {
        case NumberError::none: return set_option(options, spec, number);
        case NumberError::malformed: break;
        default: refuse_range(spec, Excerpt(value).c_str());
    }
    throw Error(Fault::bad_text, "option \"%s\" needs a number, not \"%s\"", spec.name, Excerpt(value).c_str())
        .hint("%s must be %s; \"auto\" leaves it to the learner.", spec.name, range_text(spec).c_str());
}

static void set_choice(Options& options, const OptionSpec& spec, std::string_view value) {
    const int place = find_name(value, spec.choices);
    if (place >= 0) {
        options.*spec.field = place;
        return;
    }
    NearestName nearest(value);
    for (const char* choice : spec.choices) nearest.offer(choice);
    Phrase hint;
    if (nearest.found() != nullptr) hint.add("Perhaps you meant \"%s\". ", nearest.found());
    hint.add("The choices for %s are %s.", spec.name, range_text(spec).c_str());
    throw Error(Fault::bad_value, "unknown %s \"%s\"", spec.name, Excerpt(value).c_str()).hint("%s", hint.c_str());
}

static void set_boolean(Options& options, const OptionSpec& spec, std::string_view value) {
    const int place = find_name(value, truths);
    if (place < 0)
        throw Error(Fault::bad_text, "option \"%s\" needs true or false, not \"%s\"", spec.name, Excerpt(value).c_str())
            .hint("Write %s=true or %s=false.", spec.name, spec.name);
    options.*spec.field = place % 2;
}

static void set_sparse(Options& options, const OptionSpec& spec, std::string_view value, StopSign stop) {
    if (!value.starts_with('{'))
        throw Error(Fault::bad_text, "option \"%s\" needs a sparsearray, not \"%s\"", spec.name, Excerpt(value).c_str())
            .hint("Write %s={1:0.5,3:2} or, with a dimension, %s={1:0.5,3:2}/4.", spec.name, spec.name);
    const SparseVector center = parse_sparse(value, options.center_index.get_allocator().resource(), stop);
    options.set_center(center.row(), stop);
}

namespace {

[[noreturn]] void refuse_names(const OptionSpec& spec, std::string_view value) {
    throw Error(Fault::bad_text, "option \"%s\" needs an array of texts, not \"%s\"", spec.name, Excerpt(value).c_str())
        .hint("Write %s={a,\"b c\"}, as in an array of texts without a NULL.", spec.name);
}

// The elements of an array as PostgreSQL writes it: {a,"b c","say \"so\""}.
class NamesReader {
public:
    NamesReader(std::string_view text, const OptionSpec& spec) : text_(text), spec_(spec) {}

    // False at the end. Without quotes NULL is no name.
    bool next(String& name) {
        if (at_ == 0 && !take('{')) fail();
        if (skip_space(), take('}')) return at_ == text_.size() && first_ ? false : end();
        if (!first_ && !take(',')) fail();
        first_ = false;
        skip_space();
        name.clear();
        if (take('"')) return quoted(name);
        while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}') name += plain();
        while (!name.empty() && is_space(name.back())) name.pop_back();
        if (name.empty() || same_name(name, "null")) fail();
        return true;
    }

private:
    bool quoted(String& name) {
        while (!take('"')) {
            if (at_ < text_.size() && text_[at_] == '\\') ++at_;
            if (at_ >= text_.size()) fail();
            name += text_[at_++];
        }
        skip_space();
        return true;
    }

    char plain() {
        if (text_[at_] == '{' || text_[at_] == '"') fail();
        if (text_[at_] == '\\' && ++at_ == text_.size()) fail();
        return text_[at_++];
    }

    bool end() {
        if (at_ != text_.size()) fail();
        return false;
    }

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    bool take(char c) {
        const bool here = at_ < text_.size() && text_[at_] == c;
        at_ += here;
        return here;
    }

    [[noreturn]] void fail() const { refuse_names(spec_, text_); }

    std::string_view text_;
    const OptionSpec& spec_;
    size_t at_ = 0;
    bool first_ = true;
};

}  // namespace

static void set_names(Options& options, const OptionSpec& spec, std::string_view value) {
    Vector<String>& names = options.classes;
    names.clear();
    String name(names.get_allocator());
    for (NamesReader reader(value, spec); reader.next(name);) names.emplace_back(name);
    if (names.empty())
        throw Error(Fault::bad_value, "option \"%s\" has no names", spec.name)
            .hint("Leave it out to take the classes of the rows.");
    std::ranges::sort(names);
    if (const auto twin = std::ranges::adjacent_find(names); twin != names.end())
        throw Error(Fault::bad_value, "option \"%s\" has \"%s\" twice", spec.name, Excerpt(*twin).c_str())
            .hint("Give each class once.");
}

// With quotes wherever the array's own text would need them, and more often than that.
static void print_names(const Vector<String>& names, String& text) {
    text += '{';
    for (const String& name : names) {
        if (text.back() != '{') text += ',';
        const bool plain = !name.empty() && !same_name(name, "null") && std::ranges::all_of(name, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        if (!plain) text += '"';
        for (const char c : name) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        if (!plain) text += '"';
    }
    text += '}';
}

void set_option(Options& options, const OptionSpec& spec, std::string_view value, StopSign stop) {
    if (same_name(value, "auto")) {
        if (spec.field != nullptr) {
            options.*spec.field = automatic;
        } else if (spec.type == OptionType::sparse) {
            options.has_center = false;
        } else {
            options.classes.clear();
        }
        return;
    }
    switch (spec.type) {
        case OptionType::number:
        case OptionType::whole_number: return set_number(options, spec, value);
        case OptionType::choice: return set_choice(options, spec, value);
        case OptionType::boolean: return set_boolean(options, spec, value);
        case OptionType::sparse: return set_sparse(options, spec, value, stop);
        case OptionType::names: return set_names(options, spec, value);
    }
}

namespace {

// Takes 'name=value name = value ...' apart. White space inside braces belongs to the value.
class OptionReader {
public:
    explicit OptionReader(std::string_view text) : text_(text) { skip_space(); }

    bool at_end() const { return at_ == text_.size(); }

    // Up to the equals sign, which must follow.
    std::string_view name() {
        const size_t start = at_;
        while (!at_end() && text_[at_] != '=' && !is_space(text_[at_])) ++at_;
        const std::string_view name = text_.substr(start, at_ - start);
        skip_space();
        if (name.empty())
            throw Error(Fault::bad_text, "no option name before \"%s\"", Excerpt(text_.substr(at_)).c_str())
                .hint("Write options as name=value, separated by spaces: loss=hinge lambda=1e-4.");
        if (at_end() || text_[at_] != '=')
            throw Error(Fault::bad_text, "no \"=\" after \"%s\" in options", Excerpt(name).c_str())
                .hint("Write options as name=value, separated by spaces: loss=hinge lambda=1e-4.");
        ++at_;
        skip_space();
        return name;
    }

    std::string_view value(const OptionSpec& spec) {
        const size_t start = at_;
        if (!at_end() && text_[at_] == '{') skip_braces();
        const size_t braces = at_;
        while (!at_end() && !is_space(text_[at_])) ++at_;
        const std::string_view value = text_.substr(start, at_ - start);
        refuse_comma(spec, value, text_.substr(braces, at_ - braces));
        const bool swallowed = !value.starts_with('{') && value.find('=') != std::string_view::npos;
        if (value.empty() || swallowed)
            throw Error(Fault::bad_text, "no value for option \"%s\"", spec.name)
                .hint("Write %s=value, or %s=auto for the default.", spec.name, spec.name);
        skip_space();
        return value;
    }

private:
    static void refuse_comma(const OptionSpec& spec, std::string_view value, std::string_view outside_braces) {
        const size_t comma = outside_braces.find_first_of(",;");
        if (comma == outside_braces.npos) return;
        if (spec.type == OptionType::names) refuse_names(spec, value);
        throw Error(Fault::bad_text, "unexpected \"%c\" in the value of option \"%s\": \"%s\"", outside_braces[comma],
                    spec.name, Excerpt(outside_braces).c_str())
            .hint("Options are separated by spaces alone, and decimals are written with a point.");
    }

    void skip_space() {
        while (!at_end() && is_space(text_[at_])) ++at_;
    }

    // To the closing brace, or to the end; quotes span braces, and a backslash what comes after it.
    void skip_braces() {
        for (bool quoted = false; !at_end() && (quoted || text_[at_] != '}'); ++at_) {
            if (text_[at_] == '"') quoted = !quoted;
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        }
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

Options parse_options(std::string_view text, Memory memory, StopSign stop) {
    Options options(memory);
    uint64_t seen = 0;
    for (OptionReader reader(text); !reader.at_end();) {
        const OptionSpec& spec = find_option(reader.name());
        const uint64_t bit = uint64_t{1} << (&spec - option_table().data());
        if ((seen & bit) != 0)
            throw Error(Fault::bad_value, "option \"%s\" is given twice", spec.name).hint("Give each option once.");
        seen |= bit;
        set_option(options, spec, reader.value(spec), stop);
    }
    return options;
}

String print_options(const Options& options, Memory memory, StopSign stop) {
    String text(memory);
    for (const OptionSpec& spec : option_table()) {
        if (!spec.is_set_in(options)) continue;
        if (!text.empty()) text += ' ';
        text.append(spec.name).append("=");
        if (spec.field != nullptr) {
            text.append(value_text(spec, options.*spec.field));
        } else if (spec.type == OptionType::sparse) {
            text.append(print_sparse(options.center(), memory, stop));
        } else {
            print_names(options.classes, text);
        }
    }
    return text;
}

}  // namespace sparselin
