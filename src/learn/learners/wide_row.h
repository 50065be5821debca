// A row as a group of runs learns from it. Where a lone run goes from feature to feature, with i the place of each,
// here i stands for every one of them: the same formula then says what to do with columns of numbers, and loops over
// the runs do it (wide_loops.h).
#pragma once

#include "base/wide_loops.h"
#include "rows/sparse.h"

namespace sparselin {

struct Every {};

// One of the numbers that the runs have in the cells of a row's features.
struct Column {
    double* const* cells;
    size_t at, runs;
};

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
    WideRow(const RowOf<double>& x, double mu_x, CellsAhead& ahead, StopSign stop)
        : x(x), mu_x(mu_x), ahead_(ahead), stop_(stop) {}

    const WideRow& operator[](Every) const { return *this; }
    friend Products operator*(const Column& numbers, const WideRow& row) { return {numbers, row}; }
    friend Multiples operator*(const Wide& numbers, const WideRow& row) { return {numbers, row}; }

    Wide sum(auto&& term) const {
        const Products products = term(Every());
        const Column& column = products.numbers;
        WideSum sum(column.runs);
        in_pieces([&](size_t from, size_t count) {
            sum.add({column.cells + from, column.at, x.value + from, count}, ahead_);
        });
        return sum.total();
    }

    void each(auto&& work) const { work(Every()); }

    friend void operator+=(const Column& column, const Multiples& multiples) {
        const WideRow& row = multiples.row;
        std::array<double, Wide::most> numbers;
        multiples.numbers.copy_to(numbers.data(), column.runs);
        row.in_pieces([&](size_t from, size_t count) {
            add_multiples(numbers.data(), column.runs, {column.cells + from, column.at, row.x.value + from, count},
                          row.ahead_);
        });
    }

    RowOf<double> x;
    double mu_x;

private:
    // As many features as a cache can hold the numbers of, since a piece may be gone through several times.
    void in_pieces(auto&& work) const {
        constexpr size_t most = 512;
        static_assert(most % 4 == 0 && row_stretch % most == 0);
        const size_t nnz = x.features().size();
        for (size_t from = 0; from < nnz; from += most) {
            if (from > 0 && from % row_stretch == 0) stop_.give_up();
            work(from, std::min(most, nnz - from));
        }
    }

    CellsAhead& ahead_;
    StopSign stop_;
};

}  // namespace sparselin
