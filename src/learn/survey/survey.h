// What the rows say about the step size.
//
// Dekel's automatic offset k, as K = lambda k, from all rows:
//   K = L (1 + median |x|^2) (sum omega^2 / sum omega)
//   L = 1/4 for logistic, 1/2 for multinomial, 1 for hinge, squared_hinge and squared, 1/S for absolute and quantile, S
//   being how far labels lie from their median, and min(1, delta/S) for huber
//
// with |x - mu|^2 for casgd. Why the median: rows of raw counts have heavy-tailed norms, and those that are too long
// for their steps are taken care of one by one (learners/implicit_step.h).
// Where they are not, squared_hinge and squared have
//   K = max omega (1 + |x|^2) / 2, which keeps |1 - eta (1 + |x|^2)| <= 1.
// It is finite and above 0, or there is an error: weights may be as large as double goes.
//
// An automatic lambda, 1/rows, is multiplied by what stands there for L where the label's unit does.
//
// Xu's automatic gamma0, from the first 1000 rows:
//   gamma0 = min(1 / max omega (1 + |x|^2), 1 / (2 lambda)): without omega rows of large weight would overshoot
#pragma once

#include "base/error.h"
#include "options/settings.h"

#include <bit>

namespace sparselin {

// The lower median of numbers that pass by, exactly and in bounded memory.
//
// A few numbers are all kept. Of more, those of a band around the median so far are, and the others counted: as a rule
// numbers come in no order, the median of all lies in the band, and one pass is enough. Where it does not, another pass
// looks at the numbers of one section of the range alone, for sections have been counted as well.
class LowerMedian {
public:
    enum class Signs : uint8_t { none, any };  // none: all are >= 0

    // `room`: how many numbers are kept at the most, and 2 at least. The usual: half a megabyte of them.
    static constexpr size_t usual_room = size_t{1} << 16;
    explicit LowerMedian(Memory memory, Signs signs = Signs::none, size_t room = usual_room);

    // Changes nothing when it throws.
    void add(double number);

    // After each pass over the same numbers: true when value() is known.
    bool end_pass();

    double value() const;

private:
    struct Range {
        uint64_t low, high;
        bool has(uint64_t bits) const { return low <= bits && bits <= high; }
    };
    struct Section {
        int64_t count = 0;
        Range of = {~uint64_t{0}, 0};  // those in it
    };
    static constexpr uint64_t section_count = 4096;

    size_t most_kept() const;
    void narrow_band();
    void count_in_sections();
    void count(uint64_t bits);
    void go_on_with(Range range, int64_t rank);

    // Numbers are compared by their bits, those below 0 by the complement: that is the same order.
    static constexpr uint64_t sign = uint64_t{1} << 63, infinite = 0x7ff0000000000000;
    const size_t room_;
    Range range_{sign, sign | infinite}, band_;  // of the pass under way
    int64_t rank_ = -1;                          // in the range; known when all numbers have come once
    double share_ = 0.5;                         // of the numbers of the range that are below the median
    int64_t in_range_ = 0, below_band_ = 0;      // so far; an equal number may be below the band as well as in it
    Vector<uint64_t> kept_;
    Vector<Section> sections_;  // none as long as all are kept
};

// How far labels lie from their lower median, on the mean: S. Where that is 0 it is the mean of their sizes, and where
// that is 0 as well, 1. Takes at least two passes over the same labels.
class LabelUnit {
public:
    // Whether learning may go by it; and whether anything does: `finds_lambda`, whether that is automatic.
    static bool may_matter(const Settings& settings);
    static bool is_wanted(const Settings& settings, bool finds_lambda);

    explicit LabelUnit(Memory memory, size_t room = LowerMedian::usual_room)
        : median_(memory, LowerMedian::Signs::any, room) {}

    void add(double y);

    // After each pass: true when value() is known.
    bool end_pass();

    double value() const;

private:
    bool median_known_ = false;
    LowerMedian median_;
    double rows_ = 0, distances_ = 0, sizes_ = 0;  // from the median; from 0
};

// sum omega^2 / sum omega, the mean of weights that count by themselves: exactly what these sums give, but neither of
// them leaves the range of double, since they are kept in units of about the largest omega.
class MeanByWeight {
public:
    void add(double omega);
    double mean() const { return squares_ / sum_ * unit_; }

private:
    double unit_ = 0, largest_ = 0;
    double sum_ = 0, squares_ = 0;  // of omega / unit
};

class Survey {
public:
    static constexpr int64_t first_rows = 1000;

    // Whether there is anything to find out: the learner's step size is automatic.
    static bool is_wanted(const Settings& settings);

    Survey(const Settings& settings, Memory memory, size_t room = LowerMedian::usual_room);

    void add(double squared_length, double omega);

    // Whether rows that come in the first pass from now on change nothing.
    bool has_seen_enough() const { return looks_ == Looks::first_maximum && rows_ >= first_rows; }

    // After each pass over the same rows in the same order: true when step() is known.
    bool end_pass();

    // Where steps of these settings begin: Dekel's K, or Xu's gamma0. An Error where there is none.
    double step(const Settings& settings) const;

private:
    enum class Looks : uint8_t { median, maximum, first_maximum };  // for what, in the squared lengths
    static Looks looks_for(const Settings& settings);
    double gamma0(double lambda) const;
    double K(const Settings& settings) const;

    Looks looks_;
    LowerMedian median_;
    int64_t rows_ = 0;
    double largest_ = 0;
    MeanByWeight weights_;
    bool first_pass_ = true;
};

}  // namespace sparselin
