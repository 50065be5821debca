#include "engine/classes.h"

#include "base/hash.h"

#include <algorithm>

namespace sparselin {

// 52 bits of a hash: a double has them all.
double Classes::number_of(std::string_view name, StopSign stop) {
    Hasher128 hasher;
    hasher.add(name, stop);
    return static_cast<double>(hasher.result().low >> 12);
}

const Classes::Class* Classes::find(double number) const {
    const auto place = classes_.find(number);
    return place != classes_.end() ? &place->second : nullptr;
}

// Made where it is not there.
Classes::Class& Classes::at(std::string_view name, double number) {
    return classes_.try_emplace(number, Class{String(name, memory_), 0}).first->second;
}

// It would take 2^26 classes for that to be likely.
[[noreturn]] static void refuse_twins(std::string_view name, std::string_view other) {
    throw Error(Fault::not_supported, "the classes \"%s\" and \"%s\" have the same hash", Excerpt(name).c_str(),
                Excerpt(other).c_str())
        .hint("Write one of them in another way.");
}

static Error too_many_classes() {
    Error error(Fault::too_large, "there are more than %zu classes", Classes::most);
    error.hint(
        "Each different text is a class of its own: leave out what is different in nearly every row; numbers to be "
        "estimated are labels of type float8, with loss => 'squared'.");
    return error;
}

double Classes::read(std::string_view name, int64_t row, StopSign stop) const {
    const double number = number_of(name, stop);
    const Class* const known = find(number);
    if (known != nullptr && known->name != name) refuse_twins(name, known->name);
    if (known != nullptr) return number;
    if (!closed_ && count() == most) throw too_many_classes().at_row(row);
    if (!closed_) return number;
    throw Error(Fault::bad_value, "the class \"%s\" was not known when learning began", Excerpt(name).c_str())
        .at_row(row)
        .hint(
            "Known are those of option classes, else, where rows are learned from as they come, those of the first "
            "1000 rows; a call that goes on from a model knows those of the model. Give all of them, as in "
            "classes => ARRAY['a', 'b', 'c'], or train on all rows anew.");
}

void Classes::expect(std::span<const String> names, StopSign stop) {
    for (const String& name : names) {
        read(name, 0, stop);
        at(name, number_of(name, stop));
    }
    close();
}

bool Classes::has_all_of(const Classes& other) const {
    return std::ranges::all_of(other.classes_, [this](const auto& its) { return has(its.first); });
}

bool Classes::one_class_only() const {
    return std::ranges::count_if(classes_, [](const auto& its) { return its.second.rows > 0; }) == 1;
}

void Classes::check_fits(const Classes& other) const {
    size_t together = count();
    for (const auto& [number, its] : other.classes_) {
        const Class* const mine = find(number);
        if (mine != nullptr && mine->name != its.name) refuse_twins(mine->name, its.name);
        together += mine == nullptr ? 1 : 0;
    }
    if (together > most) throw too_many_classes();
}

void Classes::add(const Classes& other) {
    for (const auto& [number, its] : other.classes_) at(its.name, number).rows += its.rows;
}

Vector<const Classes::Numbered::value_type*> Classes::in_byte_order() const {
    Vector<const Numbered::value_type*> ordered(memory_);
    for (const auto& its : classes_) ordered.push_back(&its);
    std::ranges::sort(ordered, [](const auto* a, const auto* b) { return a->second.name < b->second.name; });
    return ordered;
}

void Classes::write_names(Vector<String>& names) const {
    names.clear();
    for (const auto* its : in_byte_order()) names.emplace_back(its->second.name);
}

Vector<double> Classes::positive(Loss loss, Memory memory) const {
    Vector<double> numbers(memory);
    for (const auto* its : in_byte_order()) numbers.push_back(its->first);
    if (runs_for(loss, numbers.size()) == 1) numbers.erase(numbers.begin(), numbers.end() - 1);
    return numbers;
}

void Classes::save(Writer& writer) const {
    writer.u8(closed_);
    writer.u64(classes_.size());
    for (const auto& [number, its] : classes_) {
        writer.string(its.name);
        writer.i64(its.rows);
    }
}

void Classes::load(Reader& reader, StopSign stop) {
    classes_.clear();
    const uint8_t closed = reader.u8();
    if (closed > 1) reader.fail("unknown classes");
    closed_ = closed != 0;
    const size_t count = reader.count(16);
    if (count > most) reader.fail("too many classes");
    for (size_t left = count; left > 0; --left) {
        const std::string_view name = reader.string();
        const double number = number_of(name, stop);
        const int64_t rows = reader.i64();
        const bool ascends = classes_.empty() || classes_.rbegin()->first < number;
        if (!ascends || rows < 0 || rows > most_counted) reader.fail("unknown classes");
        at(name, number).rows = rows;
    }
}

void refuse_other_classes() {
    throw Error(Fault::mismatch, "the parts that were learned from know different classes")
        .hint(
            "What has been learned of other rows says nothing of a class that was not among them: give all classes "
            "beforehand to each part, as in classes => ARRAY['a', 'b', 'c'].");
}

}  // namespace sparselin
