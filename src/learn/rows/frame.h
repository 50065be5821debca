// How learners see their rows: x_j / s_j - mu_j, mu being 0 but for casgd.
#pragma once

#include "base/codec.h"
#include "base/memory.h"
#include "rows/sparse.h"
#include "rows/feature_table.h"

#include <cmath>

namespace sparselin {

// What each feature is divided by before anything is learned from it: s_j.
//
// Rows stay as they are stored; apply() makes the scaled values of one row at a time. A model is learned on x_j / s_j,
// and its weights are divided by s_j at the end, so that it takes features as they are.
class Scale {
public:
    explicit Scale(Memory memory) : memory_(memory) {}

    // Nothing is divided before the first set().
    bool is_one() const { return !measured_; }

    void set(int32_t index, double s, StopSign stop) {
        if (!measured_) measured_ = Box<Measured>::make<Measured>(memory_, memory_);
        measured_->s.at(index, stop) = s;
    }

    bool has(int32_t index) const {
        const double* s = measured_ ? measured_->s.find(index) : nullptr;
        return s != nullptr && *s != 0;
    }

    // 1 for a feature that was never measured.
    double of(int32_t index) const {
        const double* s = measured_ ? measured_->s.find(index) : nullptr;
        return s == nullptr || *s == 0 ? 1 : *s;
    }

    // The scaled row: valid until the next call.
    RowOf<double> apply(const SparseRow& x, StopSign stop) {
        Slab<double>& scaled = measured_->scaled;
        const size_t nnz = static_cast<size_t>(x.nnz);
        if (scaled.size() < nnz) scaled = Slab<double>(memory_, std::bit_ceil(nnz), stop);
        for (size_t i = 0; i < nnz; ++i) {
            stop.poll_every_so_often(i);
            scaled[i] = double{x.value[i]} / of(x.index[i]);
        }
        return {x.index, scaled.data(), x.nnz, x.dim};
    }

    // Calls visit(index, s) in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        if (measured_) measured_->s.walk(stop, visit);
    }

    // Each index with its s, ascending, ended by -1.
    void save(Writer& writer, StopSign stop) const {
        walk(stop, [&](int32_t index, double s) {
            writer.i32(index);
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
    // Made when it is needed: most trainings have no scale, and there may be thousands of them.
    struct Measured {
        explicit Measured(Memory memory) : s(memory), scaled(memory) {}
        FeatureTable<double> s;
        Slab<double> scaled;  // apply()'s result
    };

    Memory memory_;
    Box<Measured> measured_;
};

// The point that casgd centres its rows at: ascending 0-based indices with their values.
struct Centre {
    explicit Centre(Memory memory) : index(memory), mu(memory) {}
    Vector<int32_t> index;
    Vector<double> mu;
};

struct Frame {
    explicit Frame(Memory memory) : centre(memory), scale(memory) {}
    Centre centre;
    Scale scale;
};

}  // namespace sparselin
