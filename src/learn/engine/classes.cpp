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
    const auto place = std::ranges::lower_bound(classes_, number, {}, &Class::number);
    return place != classes_.end() && place->number == number ? &*place : nullptr;
}

// Made where it is not there.
Classes::Class& Classes::at(std::string_view name, double number) {
    const auto place = std::ranges::lower_bound(classes_, number, {}, &Class::number);
    if (place != classes_.end() && place->number == number) return *place;
    return *classes_.insert(place, Class{number, String(name, classes_.get_allocator()), 0});
}

// It would take 2^26 classes for that to be likely.
[[noreturn]] static void refuse_twins(std::string_view name, std::string_view other) {
    throw Error(Fault::not_supported, "the classes \"%s\" and \"%s\" have the same hash", Excerpt(name).c_str(),
                Excerpt(other).c_str())
        .hint("Write one of them in another way.");
}

double Classes::read(std::string_view name, int64_t row, StopSign stop) const {
    const double number = number_of(name, stop);
    const Class* const known = find(number);
    if (known != nullptr && known->name != name) refuse_twins(name, known->name);
    if (known != nullptr || !closed_) return number;
    throw Error(Fault::bad_value, "the class \"%s\" was not known when learning began", Excerpt(name).c_str())
        .at_row(row)
        .hint(
            "Known are those of option classes, else, where rows are learned from as they come, those of the first "
            "1000 "
            "rows; a call that goes on from a model knows those of the model. Give all of them, as in "
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
    return std::ranges::all_of(other.classes_, [this](const Class& its) { return has(its.number); });
}

bool Classes::one_class_only() const {
    return std::ranges::count_if(classes_, [](const Class& its) { return its.rows > 0; }) == 1;
}

void Classes::check_fits(const Classes& other) const {
    for (const Class& its : other.classes_) {
        const Class* const mine = find(its.number);
        if (mine != nullptr && mine->name != its.name) refuse_twins(mine->name, its.name);
    }
}

void Classes::add(const Classes& other) {
    for (const Class& its : other.classes_) at(its.name, its.number).rows += its.rows;
}

Vector<const Classes::Class*> Classes::in_byte_order() const {
    Vector<const Class*> ordered(classes_.get_allocator());
    for (const Class& its : classes_) ordered.push_back(&its);
    std::ranges::sort(ordered, [](const Class* a, const Class* b) { return a->name < b->name; });
    return ordered;
}

void Classes::write_names(Vector<String>& names) const {
    names.clear();
    for (const Class* its : in_byte_order()) names.emplace_back(its->name);
}

Vector<double> Classes::positive(Loss loss, Memory memory) const {
    Vector<double> numbers(memory);
    for (const Class* its : in_byte_order()) numbers.push_back(its->number);
    if (runs_for(loss, numbers.size()) == 1) numbers.erase(numbers.begin(), numbers.end() - 1);
    return numbers;
}

void Classes::save(Writer& writer) const {
    writer.u8(closed_);
    writer.u64(classes_.size());
    for (const Class& its : classes_) {
        writer.string(its.name);
        writer.i64(its.rows);
    }
}

void Classes::load(Reader& reader, StopSign stop) {
    classes_.clear();
    const uint8_t closed = reader.u8();
    if (closed > 1) reader.fail("unknown classes");
    closed_ = closed != 0;
    double previous = -1;
    for (size_t left = reader.count(16); left > 0; --left) {
        const std::string_view name = reader.string();
        const double number = number_of(name, stop);
        const int64_t rows = reader.i64();
        if (number <= previous || rows < 0 || rows > most_counted) reader.fail("unknown classes");
        classes_.push_back({number, String(name, classes_.get_allocator()), rows});
        previous = number;
    }
}

void refuse_other_classes() {
    throw Error(Fault::mismatch, "the parts that were learned from know different classes")
        .hint(
            "What has been learned of other rows says nothing of a class that was not among them: give all classes "
            "beforehand to each part, as in classes => ARRAY['a', 'b', 'c'].");
}

}  // namespace sparselin
