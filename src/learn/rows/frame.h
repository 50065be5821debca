// How learners see their rows: x_j / s_j - mu_j, mu being 0 but for casgd; or x'_j - mu_j, x' being x/s brought to
// length 1, where rows are normalised.
#pragma once

#include "base/codec.h"
#include "base/memory.h"
#include "rows/sparse.h"
#include "rows/feature_names.h"
#include "rows/feature_table.h"

#include <cmath>

namespace sparselin {

// How rare a feature is that so many of the rows have: 1 where all have it.
inline double inverse_frequency(double having, double rows) {
    return std::log((1 + rows) / (1 + having)) + 1;
}

// What each feature is divided by before anything is learned from it: s_j. A model's weights are divided by s_j at the
// end, so that it takes features as they are.
class Scale {
public:
    explicit Scale(Memory memory) : memory_(memory) {}

    // Nothing is divided before the first set().
    bool is_one() const { return !measured_; }

    void set(int32_t index, double s, StopSign stop) {
        if (!measured_) measured_ = Box<Measured>::make<Measured>(memory_, memory_);
        measured_->at(index, stop) = s;
    }

    bool has(int32_t index) const { return s_at(index) != 0; }

    // 1 for a feature that was never measured.
    double of(int32_t index) const {
        const double s = s_at(index);
        return s == 0 ? 1 : s;
    }

    // x/s, where a feature that was never measured does not count.
    double measured(int32_t index, float x) const {
        const double s = s_at(index);
        return s == 0 ? 0 : double{x} / s;
    }

    // Calls visit(index, s) in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        if (measured_) measured_->walk(stop, visit);
    }

    // Each index with its s, ascending, ended by -1.
    void save(Writer& writer, const FeatureNames& names, StopSign stop) const {
        walk(stop, [&](int32_t feature, double s) {
            writer.i32(names(feature));
            writer.f64(s);
        });
        writer.i32(-1);
    }

    void load(Reader& reader, StopSign stop) {
        int32_t previous = -1;
        size_t count = 0;
        for (int32_t index = reader.i32(); index != -1; index = reader.i32()) {
            stop.poll_every_so_often(++count);
            const double s = reader.f64();
            if (index <= previous || index >= max_index || !(s > 0) || !std::isfinite(s)) reader.fail("a bad scale");
            set(index, s, stop);
            previous = index;
        }
    }

private:
    using Measured = FeatureTable<double>;

    // 0 where there is none.
    double s_at(int32_t index) const {
        const double* s = measured_ ? measured_->find(index) : nullptr;
        return s == nullptr ? 0 : *s;
    }

    Memory memory_;
    Box<Measured>
        measured_;  // made when it is needed: most trainings have no scale, and there may be thousands of them
};

inline bool equal(const Scale& a, const Scale& b, StopSign stop) {
    size_t features = 0, others = 0;
    bool same = true;
    a.walk(stop, [&](int32_t index, double s) {
        ++features;
        same = same && b.has(index) && b.of(index) == s;
    });
    b.walk(stop, [&](int32_t, double) { ++others; });
    return same && features == others;
}

// What brings a row of this squared length to length 1. An empty row stays as it is.
inline double factor_to_one(double squared_length) {
    return squared_length > 0 ? 1 / std::sqrt(squared_length) : 1;
}

// The same for x/s. Without a scale all features count, with one those that it has.
inline double factor_to_one(const SparseRow& x, const Scale& scale, StopSign stop) {
    if (scale.is_one()) return factor_to_one(squared_norm_of(x, stop));
    return factor_to_one(sum_over(x.nnz, stop, [&](int32_t i) {
        const double its = scale.measured(x.index[i], x.value[i]);
        return its * its;
    }));
}

// The point that casgd centres its rows at: ascending 0-based indices with their values.
struct Centre {
    explicit Centre(Memory memory) : index(memory), mu(memory) {}
    Vector<int32_t> index;
    Vector<double> mu;
};

class Frame {
public:
    explicit Frame(Memory memory, bool normalizes = false, bool keeps_scale = false)
        : scale(memory), memory_(memory), normalizes_(normalizes), keeps_scale_(keeps_scale) {}

    bool normalizes() const { return normalizes_; }

    // Whether predicting takes the scale, and not weights alone.
    bool keeps_scale() const { return keeps_scale_; }

    // Whether rows are seen as they are stored, but for the centre.
    bool leaves_rows() const { return scale.is_one() && !normalizes_; }

    // The row as a model sees it that has learned so far: valid until the next call.
    RowOf<double> apply(const SparseRow& x, StopSign stop) {
        double* const seen = room_for(x, stop);
        const auto fill = [&](auto&& number) { each_of(x.nnz, stop, [&](int32_t i) { seen[i] = number(i); }); };
        const RowOf<double> row{x.index, seen, x.nnz, x.dim};
        if (keeps_scale_) {
            fill([&](int32_t i) { return scale.measured(x.index[i], x.value[i]); });
            const double factor = factor_to_one(squared_norm_of(row, stop));
            fill([&](int32_t i) { return seen[i] * factor; });
        } else if (normalizes_) {
            const double factor = factor_to_one(squared_norm_of(x, stop));
            fill([&](int32_t i) { return double{x.value[i]} * factor; });
        } else {
            fill([&](int32_t i) { return double{x.value[i]} / scale.of(x.index[i]); });
        }
        return row;
    }

    // From now on there may be rows that were not measured. The features that come with them are taken as they are.
    void expect_other_rows() { expects_other_rows_ = true; }

    // The same for a row that is learned from.
    RowOf<double> apply_to_learn(const SparseRow& x, StopSign stop) {
        if (keeps_scale_ && expects_other_rows_)
            each_of(x.nnz, stop, [&](int32_t i) {
                if (!scale.has(x.index[i])) scale.set(x.index[i], 1, stop);
            });
        return apply(x, stop);
    }

    // What |x|^2 of such a row is not above, for rounding has its part in it.
    float most_length() const { return normalizes_ ? 1.0001f : std::numeric_limits<float>::infinity(); }

    // nullptr, or empty, where it is 0, as for all but casgd.
    const Centre* centre() const { return room_ ? &room_->centre : nullptr; }
    Centre& make_centre() { return room().centre; }

    Scale scale;
    FeatureNames names;  // of the features of all rows and numbers

private:
    // Made when it is needed: most trainings see rows as they are, and there may be thousands of them.
    struct Room {
        explicit Room(Memory memory) : centre(memory), seen(memory) {}
        Centre centre;
        Slab<double> seen;  // apply()'s result
    };

    Room& room() {
        if (!room_) room_ = Box<Room>::make<Room>(memory_, memory_);
        return *room_;
    }

    double* room_for(const SparseRow& x, StopSign stop) {
        Slab<double>& seen = room().seen;
        const size_t nnz = static_cast<size_t>(x.nnz);
        if (seen.size() < nnz) seen = Slab<double>(memory_, std::bit_ceil(nnz), stop);
        return seen.data();
    }

    Memory memory_;
    const bool normalizes_, keeps_scale_;
    bool expects_other_rows_ = false;
    Box<Room> room_;
};

}  // namespace sparselin
