// What comes in: rows are looked at, counted, and turned into what learners take. Knows nothing of learning.
#pragma once

#include "engine/labels.h"
#include "rows/example.h"

namespace sparselin {

class Intake {
public:
    Intake(Loss loss, bool boolean) : labels_(loss, boolean) {}

    // Rows have to go with a given centre.
    void set_centre(const SparseRow& centre) {
        dimension_ = centre.dim;
        largest_index_ = centre.last();
    }

    // The row as learners take it; an Error that names it where it cannot be. Its values have not been looked at.
    Example read(const SparseRow& x, double label, double weight, StopSign stop) const;

    // A row that has been read is learned from, or kept.
    void take(const SparseRow& x, double label) {
        labels_.note(label);
        dimension_ = std::max(x.dim, dimension_);
        largest_index_ = std::max(x.last(), largest_index_);
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

    const Labels& labels() const { return labels_; }
    int32_t dimension() const { return dimension_; }
    int64_t seen() const { return seen_; }  // here
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
    void load(Reader& reader, Between&& between) {
        labels_.load(reader);
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
    int32_t dimension_ = 0;
    int32_t largest_index_ = -1;
    int64_t seen_ = 0, skipped_ = 0, taken_ = 0;
};

}  // namespace sparselin
