#include "apply/confusion.h"

#include <algorithm>

namespace sparselin {

void Confusion::expect(const Predictor& predictor) {
    known_.clear();
    for (size_t k = 0; k < class_count(predictor); ++k) known_.emplace_back(class_name(predictor, k));
}

size_t Confusion::find(std::string_view name) const {
    const auto place =
        std::ranges::lower_bound(known_, name, {}, [](const String& its) { return std::string_view(its); });
    return place != known_.end() && *place == name ? static_cast<size_t>(place - known_.begin()) : known();
}

size_t Confusion::number_of(std::string_view name) {
    const size_t number = find(name);
    if (number < known()) return number;
    if (const auto other = others_.find(name); other != others_.end()) return other->second;
    if (other_names_.size() == other_names_.capacity()) other_names_.reserve(2 * other_names_.size() + 8);
    const size_t next = known() + other_names_.size();
    const auto made = others_.emplace(String(name, known_.get_allocator()), next).first;
    other_names_.push_back(made->first);
    return next;
}

void Confusion::add(std::string_view actual, size_t predicted, double weight) {
    cells_[Key{number_of(actual)} << 32 | predicted].add(weight);
}

void Confusion::add(const Confusion& part) {
    if (known_.empty()) known_ = part.known_;
    for (const Key key : part.sorted_keys(memory())) {
        const Key actual = number_of(part.name_of(part.actual_of(key)));
        cells_[actual << 32 | part.predicted_of(key)].add(part.cells_.at(key));
    }
}

Vector<Confusion::Key> Confusion::sorted_keys(Memory memory) const {
    Vector<Key> keys(memory);
    keys.reserve(cells_.size());
    for (const auto& [key, weight] : cells_) keys.push_back(key);
    std::ranges::sort(keys, [this](Key a, Key b) {
        if (actual_of(a) == actual_of(b)) return predicted_of(a) < predicted_of(b);
        return name_of(actual_of(a)) < name_of(actual_of(b));
    });
    return keys;
}

static double finite(const Sum& sum) {
    if (std::isfinite(sum.value())) return sum.value();
    throw Error(Fault::out_of_range, "the sum of the weights is out of range").hint("Scale the weights.");
}

Vector<Confusion::Cell> Confusion::cells(Memory memory) const {
    Vector<Cell> cells(memory);
    for (const Key key : sorted_keys(memory))
        cells.push_back({name_of(actual_of(key)), name_of(predicted_of(key)), finite(cells_.at(key))});
    return cells;
}

static double ratio_or_zero(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

Confusion::Means Confusion::means() const {
    struct Sums {
        Sum right, actual, predicted;
    };
    Vector<Sums> classes(known() + other_names_.size(), known_.get_allocator());
    Sum right;
    for (const Key key : sorted_keys(memory())) {
        const Sum& weight = cells_.at(key);
        classes[actual_of(key)].actual.add(weight);
        classes[predicted_of(key)].predicted.add(weight);
        if (actual_of(key) != predicted_of(key)) continue;
        classes[actual_of(key)].right.add(weight);
        right.add(weight);
    }
    Means means{finite(right), 0, 0, 0};
    double present = 0;
    for (const Sums& its : classes) {
        const double hits = its.right.value(), actual = finite(its.actual), predicted = finite(its.predicted);
        if (actual == 0 && predicted == 0) continue;
        means.precision += ratio_or_zero(hits, predicted);
        means.recall += ratio_or_zero(hits, actual);
        means.f1 += ratio_or_zero(hits, actual / 2 + predicted / 2);
        ++present;
    }
    for (double* const mean : {&means.precision, &means.recall, &means.f1}) *mean /= std::max(present, 1.0);
    return means;
}

void Confusion::save(Writer& writer) const {
    writer.u64(known_.size());
    for (const String& name : known_) writer.string(name);
    writer.u64(other_names_.size());
    for (const std::string_view name : other_names_) writer.string(name);
    writer.u64(cells_.size());
    for (const Key key : sorted_keys(memory())) {
        writer.u64(key);
        for (const double* const number : Sum::state_of(cells_.at(key))) writer.f64(*number);
    }
}

void Confusion::load(Reader& reader) {
    for (size_t left = reader.count(8); left > 0; --left) known_.emplace_back(reader.string());
    // No two are equal.
    if (!std::ranges::is_sorted(known_, std::less_equal<>())) reader.fail("unknown classes");
    const size_t others = reader.count(8);
    for (size_t i = 0; i < others; ++i)
        if (number_of(reader.string()) != known() + i) reader.fail("unknown classes");
    for (size_t left = reader.count(24); left > 0; --left) {
        const Key key = reader.u64();
        if (actual_of(key) >= known() + others || predicted_of(key) >= known()) reader.fail("unknown classes");
        for (double* const number : Sum::state_of(cells_[key])) *number = reader.f64();
    }
}

}  // namespace sparselin
