// What the rows say about the step size.
//
// Dekel's automatic offset k, as K = lambda k, from all rows:
//   logistic, hinge, absolute   K = L (1 + median |x|^2) (sum omega^2 / sum omega), L = 1/4 for logistic, else 1
//   squared, squared_hinge      K = max omega (1 + |x|^2) / 2: keeps |1 - eta (1 + |x|^2)| <= 1
//
// with |x - mu|^2 for casgd. Why the median: rows of raw counts have heavy-tailed norms.
// It is finite and above 0, or there is an error: weights may be as large as double goes.
//
// Xu's automatic gamma0, from the first 1000 rows:
//   gamma0 = min(1 / max omega (1 + |x|^2), 1 / (2 lambda)): without omega rows of large weight would overshoot
#pragma once

#include "base/error.h"
#include "options/settings.h"

namespace sparselin {

// The lower median of numbers >= 0 that pass by, exactly and in bounded memory: a pass keeps the numbers of the range
// in which the median lies if there is room for them, otherwise it narrows the range.
class LowerMedian {
public:
    LowerMedian(int64_t count, size_t room, Memory memory);

    void add(double number);

    // After each pass over the same numbers: true when value() is known.
    bool end_pass();

    double value() const;

private:
    struct Bin {
        int64_t count = 0;
        uint64_t low = ~uint64_t{0}, high = 0;
    };
    static constexpr uint64_t bin_count = 4096;

    uint64_t bin_width() const { return (high_ - low_) / bin_count + 1; }

    // Numbers are compared by their bits: for numbers >= 0 that is the same order.
    uint64_t low_ = 0, high_ = 0x7ff0000000000000;
    int64_t rank_;  // among the numbers of the range
    size_t room_;
    int64_t in_range_ = 0;
    Vector<uint64_t> kept_;
    Vector<Bin> bins_;
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

    Survey(const Settings& settings, int64_t rows, size_t room, Memory memory);

    void add(double squared_length, double omega);

    // After each pass over the same rows in the same order: true when step() is known.
    bool end_pass();

    // Where steps of this lambda begin: Dekel's K, or Xu's gamma0. An Error where there is none.
    double step(double lambda) const;

private:
    enum class Looks : uint8_t { median, maximum, first_maximum };  // for what, in the squared lengths
    static Looks looks_for(const Settings& settings);
    double gamma0(double lambda) const;
    double K() const;

    Looks looks_;
    Loss loss_;
    LowerMedian median_;
    int64_t rows_ = 0;
    double largest_ = 0;
    MeanByWeight weights_;
    bool first_pass_ = true;
};

}  // namespace sparselin
