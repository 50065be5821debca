// Whether the rows of a stream come sorted by label, told by the share of one of the classes, that of the first row, in
// two parts of the rows that are about as long. For a word of advice, at next to no cost: the last rows count most in
// what is learned, and there they are all of one class.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sparselin {

class LabelOrder {
public:
    // Of the rows up to a power of two, which are a third to two thirds of all, and of those behind it.
    struct Parts {
        int64_t rows[2] = {0, 0};
        double share[2] = {0, 0};
        bool are_sorted = false;
    };

    static constexpr int64_t fewest_rows = 64;

    void add(double y) {
        if (rows_ == 0) label_ = y;
        ++rows_;
        alike_ += y == label_ ? 1 : 0;
        if ((rows_ & (rows_ - 1)) != 0) return;  // no power of two
        alike_before_ = alike_then_;
        alike_then_ = alike_;
    }

    Parts parts() const {
        Parts parts;
        if (rows_ < fewest_rows || alike_ == rows_) return parts;
        const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(rows_)));
        const bool late = 3 * power > 2 * rows_;
        const int64_t count[] = {late ? power / 2 : power, rows_ - (late ? power / 2 : power)};
        const int64_t alike[] = {late ? alike_before_ : alike_then_, alike_ - (late ? alike_before_ : alike_then_)};
        for (int i = 0; i < 2; ++i) {
            parts.rows[i] = count[i];
            parts.share[i] = static_cast<double>(alike[i]) / static_cast<double>(count[i]);
        }
        const int more = parts.share[0] >= parts.share[1] ? 0 : 1;
        const double difference = parts.share[more] - parts.share[1 - more];
        parts.are_sorted = difference >= nearly_all * largest_difference(count[more], count[1 - more]) &&
                           difference >= by_chance(count);
        return parts;
    }

private:
    static constexpr double nearly_all = 0.75, deviations = 5;

    // Where as many rows of that label as there are lie among so many, and the rest of them among the others.
    double largest_difference(int64_t rows, int64_t others) const {
        const int64_t here = std::min(alike_, rows);
        return static_cast<double>(here) / static_cast<double>(rows) -
               static_cast<double>(alike_ - here) / static_cast<double>(others);
    }

    // As good as never exceeded where the order of rows has nothing to do with their labels.
    double by_chance(const int64_t* count) const {
        const double share = static_cast<double>(alike_) / static_cast<double>(rows_);
        const double variance =
            share * (1 - share) * (1 / static_cast<double>(count[0]) + 1 / static_cast<double>(count[1]));
        return deviations * std::sqrt(variance);
    }

    double label_ = 0;
    int64_t rows_ = 0, alike_ = 0;
    int64_t alike_then_ = 0, alike_before_ = 0;  // at the last power of two, and at the one before it
};

}  // namespace sparselin
