// table_loop FILE: what FeatureTable costs where features lie densely. The same steps of learning, on a plain array and
// through the table, in turns; prints the best of each in ns a non-zero, and their ratio.
#include "rows.h"

#include "rows/feature_table.h"

#include <algorithm>

using sparselin::SparseRow;
using sparselin::StopSign;

namespace {

struct Cell {
    double v, u;
};

struct PlainArray {
    explicit PlainArray(int64_t features) : cells(static_cast<size_t>(features)) {}
    template <typename Work>
    auto with_cells(const SparseRow& row, StopSign, Work&& work) {
        Cell* const array = cells.data();
        return work([array, &row](int32_t i) -> Cell& { return array[row.index[i]]; });
    }
    std::vector<Cell> cells;
};

struct Table : sparselin::FeatureTable<Cell> {
    explicit Table(int64_t) : FeatureTable(std::pmr::new_delete_resource()) {}
};

template <typename Cells>
double pass(const Rows& rows, Cells& cells) {
    double total = 0;
    for (int64_t i = 0; i < rows.rows; ++i) {
        const int32_t start = rows.start[static_cast<size_t>(i)];
        const SparseRow row{rows.index.data() + start, rows.value.data() + start,
                            rows.start[static_cast<size_t>(i) + 1] - start, 0};
        total += cells.with_cells(row, StopSign(), [&](auto&& cell) {
            double p = 0;
            for (int32_t k = 0; k < row.nnz; ++k) p += cell(k).v * double{row.value[k]};
            const double g = p > 0 ? -1 : 1;
            for (int32_t k = 0; k < row.nnz; ++k) {
                cell(k).v += g * double{row.value[k]};
                cell(k).u += 0.5 * g * double{row.value[k]};
            }
            return p;
        });
    }
    return total;
}

// The second pass is timed: then the table has taken its shape.
template <typename Cells>
double seconds_with(const Rows& rows) {
    Cells cells(rows.features);
    keep(pass(rows, cells));
    return seconds_of([&] { keep(pass(rows, cells)); });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fputs("usage: table_loop FILE\n", stderr), 2;
    const Rows rows(argv[1]);
    double plain = 1e9, table = 1e9;
    for (int round = 0; round < 9; ++round) {
        plain = std::min(plain, seconds_with<PlainArray>(rows));
        table = std::min(table, seconds_with<Table>(rows));
    }
    const double ns = 1e9 / static_cast<double>(rows.nonzeros);
    std::printf("plain array %.2f ns, feature table %.2f ns a non-zero: %.2f of its speed\n", plain * ns, table * ns,
                plain / table);
    return 0;
}
