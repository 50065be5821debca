// What comes in: rows are looked at, counted, and turned into what learners take. Knows nothing of learning.
#pragma once

#include "base/codec.h"
#include "engine/classes.h"
#include "model/model.h"
#include "rows/sparse.h"

#include <cmath>

namespace sparselin {

// What the rows of each class weigh beside their own weights.
struct ClassWeights {
    struct Named {
        double y, weight;
    };

    explicit ClassWeights(Memory memory) : named(memory) {}

    bool are_equal() const { return negative == 1 && positive == 1 && named.empty(); }
    double of(double y) const {
        if (named.empty()) return y > 0 ? positive : negative;
        return std::ranges::lower_bound(named, y, {}, &Named::y)->weight;
    }

    double negative = 1, positive = 1;
    Vector<Named> named;  // of classes that have names instead, by ascending y
};

// An Error for a weight that cannot be. `row` counts from 1.
[[noreturn]] void refuse_weight(double weight, int64_t row);
inline void check_weight(double weight, int64_t row) {
    if (!(std::isfinite(weight) && weight >= 0)) refuse_weight(weight, row);
}

// Labels as users write them, turned into what the losses want: -1 or +1, or any number for a regression loss.
class Labels {
public:
    Labels(Loss loss, LabelKind kind, Memory memory)
        : boolean_(kind == LabelKind::boolean), classes_(is_classification(loss)) {
        if (kind == LabelKind::text) named_ = Box<Classes>::make<Classes>(memory, memory);
    }

    // Where labels are texts: the classes they name.
    bool are_named() const { return static_cast<bool>(named_); }
    Classes& named() { return *named_; }
    const Classes& named() const { return *named_; }

    // The label as learners see it; an Error for one that cannot be. `row` counts from 1.
    double read(const Label& its, int64_t row, StopSign stop) const {
        if (named_) return named_->read(its.text, row, stop);
        const double label = its.number;
        if (!std::isfinite(label)) refuse_number(label, row);
        if (boolean_) return label != 0 ? 1 : -1;
        if (!classes_) return label;
        // No branch hangs on which of the classes it is, as no processor could guess that. -1, 0 and 1 are the roots.
        if (label * (label * label - 1) != 0) refuse_class(label, row);
        if ((minus_one_ && label == 0) || (zero_ && label == -1)) refuse_coding(label, row);
        return 2.0 * (label > 0) - 1;
    }

    // Whether learners may have seen it.
    bool can_have(double y) const {
        if (named_) return named_->has(y);
        return classes_ ? y == 1 || y == -1 : std::isfinite(y);
    }

    // Remembers a label that a learner takes, and what it was read as.
    void note(const Label& its, double y) {
        if (named_) return named_->note(its.text, y);
        const double label = its.number;
        if (!classes_ && !boolean_) return;
        const bool one = label > 0, minus_one = label < 0;
        one_ |= one;
        minus_one_ |= minus_one;
        zero_ |= !(one | minus_one);
        positive_ += one;
        negative_ += !one;
    }

    // With 1 alone it cannot be told how the other class is written: as the papers do, -1.
    Coding coding() const {
        if (named_) return Coding::text;
        if (boolean_) return Coding::boolean;
        if (!classes_) return Coding::number;
        return zero_ ? Coding::zero_one : Coding::plus_minus;
    }

    // Whether that is so: then coding() is a guess.
    bool only_ones() const { return classes_ && !boolean_ && !named_ && one_ && !minus_one_ && !zero_; }

    // What somebody else has seen counts as well. An Error where that does not go together.
    void check_fits(const Labels& other) const {
        if (named_) return named_->check_fits(*other.named_);
        if ((minus_one_ || other.minus_one_) && (zero_ || other.zero_))
            throw Error(Fault::bad_value, "some rows have the label 0, others -1")
                .hint("Use either -1 and 1, or 0 and 1, in one call.");
    }
    void add(const Labels& other) {
        if (named_) return named_->add(*other.named_);
        one_ |= other.one_;
        minus_one_ |= other.minus_one_;
        zero_ |= other.zero_;
        positive_ += other.positive_;
        negative_ += other.negative_;
    }

    bool is_boolean() const { return boolean_; }

    void save(Writer& writer) const {
        if (named_) return named_->save(writer);
        writer.u8(
            static_cast<uint8_t>((one_ ? saw_one : 0) | (minus_one_ ? saw_minus_one : 0) | (zero_ ? saw_zero : 0)));
        writer.i64(positive_);
        writer.i64(negative_);
    }

    void load(Reader& reader, StopSign stop) {
        if (named_) return named_->load(reader, stop);
        const uint8_t seen = reader.u8();
        positive_ = reader.i64();
        negative_ = reader.i64();
        const bool counted = positive_ >= 0 && positive_ <= most_counted && negative_ >= 0 && negative_ <= most_counted;
        one_ = (seen & saw_one) != 0;
        minus_one_ = (seen & saw_minus_one) != 0;
        zero_ = (seen & saw_zero) != 0;
        const bool known = (seen & ~(saw_one | saw_minus_one | saw_zero)) == 0 && !(minus_one_ && zero_);
        if (!known || !counted) reader.fail("unknown labels");
    }

    // Both classes weigh the same: rows / (classes present * rows of the class).
    void balance(ClassWeights& weights) const {
        if (named_) {
            weights.named.clear();
            return named_->balance([&](double y, double weight) { weights.named.push_back({y, weight}); });
        }
        if (positive_ == 0 || negative_ == 0) return;
        const double positive = static_cast<double>(positive_), negative = static_cast<double>(negative_);
        const double half = (positive + negative) / 2;
        weights.negative = half / negative;
        weights.positive = half / positive;
    }

    bool one_class_only() const {
        if (named_) return named_->one_class_only();
        return classes_ && one_ != (minus_one_ || zero_);
    }

private:
    [[noreturn]] static void refuse_number(double label, int64_t row);
    [[noreturn]] static void refuse_class(double label, int64_t row);
    [[noreturn]] static void refuse_coding(double label, int64_t row);

    static constexpr uint8_t saw_one = 1, saw_minus_one = 2, saw_zero = 4;  // as they are saved

    bool boolean_, classes_;
    bool one_ = false, minus_one_ = false, zero_ = false;
    int64_t positive_ = 0, negative_ = 0;  // rows
    Box<Classes> named_;
};

class Intake {
public:
    // `measures`: whether learners ask for most_length.
    Intake(Loss loss, LabelKind kind, bool measures, Memory memory)
        : labels_(loss, kind, memory), measures_(measures) {}

    // Rows have to go with a given centre.
    void set_centre(const SparseRow& centre) {
        dimension_ = centre.dim;
        largest_index_ = centre.last();
    }

    // The row as learners take it; an Error that names it where it cannot be. Its values have not been looked at.
    Example read(const SparseRow& x, const Label& label, double weight, StopSign stop) const;

    // A row that has been read is learned from, or kept.
    void take(const Example& example, const Label& label) {
        labels_.note(label, example.y);
        dimension_ = std::max(example.x.dim, dimension_);
        largest_index_ = std::max(example.x.last(), largest_index_);
        ++seen_;
        ++taken_;
    }

    // A row with a NULL in it, or of weight 0.
    void skip() {
        ++seen_;
        ++skipped_;
    }

    // What another has taken in counts as well; an Error, and nothing changed, where the two do not go together.
    void check_fits(const Intake& part) const;
    void add(const Intake& part);

    // Whether it can be one of the rows that were taken in.
    bool can_have(const Example& example, StopSign stop) const;

    // As read() notes it.
    float most_length(const SparseRow& x, StopSign stop) const {
        return measures_ ? look_over(x, stop).most_length : Example().most_length;
    }

    Labels& labels() { return labels_; }
    const Labels& labels() const { return labels_; }
    int32_t dimension() const { return dimension_; }
    size_t places() const { return static_cast<size_t>(largest_index_ + int64_t{1}); }  // up to the largest index
    int64_t seen() const { return seen_; }                                              // here
    int64_t taken() const { return taken_; }
    int64_t skipped() const { return skipped_; }

    // Labels and counts; then `between`, which has other counts; then the dimension.
    template <typename Between>
    void save(Writer& writer, Between&& between) const {
        labels_.save(writer);
        writer.i64(skipped_);
        writer.i64(taken_);
        between();
        writer.i32(dimension_);
        writer.i32(largest_index_);
    }

    template <typename Between>
    void load(Reader& reader, Between&& between, StopSign stop) {
        labels_.load(reader, stop);
        skipped_ = read_count(reader);
        taken_ = read_count(reader);
        between();
        dimension_ = reader.i32();
        largest_index_ = reader.i32();
        const bool fits = dimension_ == 0 || largest_index_ < dimension_;
        if (dimension_ < 0 || largest_index_ < -1 || largest_index_ >= max_index || !fits)
            reader.fail("no such dimension");
    }

    static int64_t read_count(Reader& reader) {
        const int64_t count = reader.i64();
        if (count < 0 || count > most_counted) reader.fail("no such count");
        return count;
    }

private:
    Labels labels_;
    bool measures_;
    int32_t dimension_ = 0;
    int32_t largest_index_ = -1;
    int64_t seen_ = 0, skipped_ = 0, taken_ = 0;
};

}  // namespace sparselin
