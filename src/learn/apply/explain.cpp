#include "apply/explain.h"

#include <algorithm>

namespace sparselin {

Vector<Contribution> explain(const Predictor& predictor, const SparseRow& row, size_t top, Memory memory,
                             StopSign stop) {
    predictor.score(row, stop);
    Vector<Contribution> heap(memory), first(memory);
    heap.reserve(static_cast<size_t>(row.nnz));
    each_below(row.nnz, stop, [&](int32_t i) {
        const double weight = predictor.weight(row.index[i]);
        heap.push_back({row.index[i], row.value[i], weight, weight * double{row.value[i]}});
    });
    size_t compared = 0;
    const auto comes_after = [&](const Contribution& a, const Contribution& b) {
        stop.poll_every_so_often(++compared);
        const double size_a = std::fabs(a.product), size_b = std::fabs(b.product);
        return size_a != size_b ? size_a < size_b : a.index > b.index;
    };
    std::ranges::make_heap(heap, comes_after);
    first.reserve(std::min(top, heap.size()));
    while (!heap.empty() && first.size() < top) {
        std::ranges::pop_heap(heap, comes_after);
        first.push_back(heap.back());
        heap.pop_back();
    }
    return first;
}

}  // namespace sparselin
