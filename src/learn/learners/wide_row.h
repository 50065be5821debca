// A row as a group of runs learns from it. Where a lone run goes from feature to feature, with i the place of each,
// here i stands for every one of them: the same formula then says what to do with columns of numbers, and loops over
// the runs do it (wide_loops.h).
#pragma once

#include "base/wide_loops.h"
#include "rows/feature_table.h"

namespace sparselin {

struct Every {};

// One of the numbers that the runs have in the cells of a row's features.
struct Column {
    double* const* cells;
    size_t at, runs;
};

// The features that are wanted next. The numbers of many runs lie far apart, and are not all in a cache: while loops
// are busy with some of them, the memory is asked for others.
class FeaturesAhead {
public:
    // Some of them with each of so many ways through a row. Small tables are in a cache already.
    FeaturesAhead(const FeatureTable<Numbers>& table, std::span<const int32_t> index, size_t ways)
        : table_(table), index_(table.bytes() < small ? std::span<const int32_t>() : index), ways_(ways) {}

    // The way has come so many features further.
    void ask(size_t features) {
        const size_t now = std::min(index_.size(), (features + ways_ - 1) / ways_);
        for (const int32_t index : index_.first(now)) table_.ask_for(index);
        index_ = index_.subspan(now);
    }

private:
    static constexpr size_t small = size_t{16} << 20;

    const FeatureTable<Numbers>& table_;
    std::span<const int32_t> index_;
    size_t ways_;
};

template <typename Value>
class WideRow {
    // What a formula has with every feature, to be summed up or to be added to a column.
    struct Products {
        Column numbers;
        const WideRow& row;
    };
    struct Multiples {
        const Wide& numbers;
        const WideRow& row;
    };

public:
    WideRow(const RowOf<Value>& x, double mu_x, FeaturesAhead& ahead, StopSign stop)
        : x(x), mu_x(mu_x), ahead_(ahead), stop_(stop) {}

    const WideRow& operator[](Every) const { return *this; }
    friend Products operator*(const Column& numbers, const WideRow& row) { return {numbers, row}; }
    friend Multiples operator*(const Wide& numbers, const WideRow& row) { return {numbers, row}; }

    Wide sum(auto&& term) const {
        const Products products = term(Every());
        const Column& column = products.numbers;
        WideSum sum(column.runs);
        in_pieces(
            [&](size_t from, size_t features) { sum.add(column.cells + from, column.at, x.value + from, features); });
        return sum.total();
    }

    void each(auto&& work) const { work(Every()); }

    friend void operator+=(const Column& column, const Multiples& multiples) {
        const WideRow& row = multiples.row;
        std::array<double, Wide::most> numbers;
        multiples.numbers.copy_to(numbers.data(), column.runs);
        row.in_pieces([&](size_t from, size_t features) {
            add_multiples(numbers.data(), column.runs, column.cells + from, column.at, row.x.value + from, features);
        });
    }

    RowOf<Value> x;
    double mu_x;

private:
    void in_pieces(auto&& work) const {
        constexpr size_t most = 32;
        static_assert(most % 4 == 0 && row_stretch % most == 0);
        const auto nnz = static_cast<size_t>(x.nnz);
        for (size_t from = 0; from < nnz; from += most) {
            if (from > 0 && from % row_stretch == 0) stop_.give_up();
            const size_t features = std::min(most, nnz - from);
            ahead_.ask(features);
            work(from, features);
        }
    }

    FeaturesAhead& ahead_;
    StopSign stop_;
};

}  // namespace sparselin
