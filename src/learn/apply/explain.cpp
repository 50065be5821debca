#include "apply/explain.h"

#include <algorithm>

namespace sparselin {

namespace {

// A run, or that with its sign turned: the score of a class.
struct Side {
    size_t run;
    double sign;
};

Side side_of(const Predictor& predictor, const SparseRow& row, std::optional<std::string_view> class_name,
             Memory memory, StopSign stop) {
    if (predictor.runs() > 1) {
        const Vector<double> scores = class_scores(predictor, row, memory, stop);
        return {class_name ? class_by_name(predictor, *class_name) : best_class(scores), 1};
    }
    predictor.score(row, stop);
    const bool other = class_name && class_by_name(predictor, *class_name) + 1 < class_count(predictor);
    return {0, other ? -1.0 : 1.0};
}

// The last of a heap come off it first.
Vector<Contribution> first_of(Vector<Contribution>& heap, size_t top, StopSign stop) {
    size_t compared = 0;
    const auto comes_after = [&](const Contribution& a, const Contribution& b) {
        stop.poll_every_so_often(++compared);
        const double size_a = std::fabs(a.product), size_b = std::fabs(b.product);
        return size_a != size_b ? size_a < size_b : a.index > b.index;
    };
    Vector<Contribution> first(heap.get_allocator());
    std::ranges::make_heap(heap, comes_after);
    first.reserve(std::min(top, heap.size()));
    while (!heap.empty() && first.size() < top) {
        std::ranges::pop_heap(heap, comes_after);
        first.push_back(heap.back());
        heap.pop_back();
    }
    return first;
}

}  // namespace

Explanation explain(const Predictor& predictor, const SparseRow& row, std::optional<std::string_view> class_name,
                    size_t top, Memory memory, StopSign stop) {
    const Side side = side_of(predictor, row, class_name, memory, stop);
    Vector<Contribution> heap(memory);
    heap.reserve(static_cast<size_t>(row.nnz));
    const double factor = predictor.factor(row, stop);
    each_below(row.nnz, stop, [&](int32_t i) {
        const double weight = side.sign * predictor.weight(row.index[i], side.run);
        heap.push_back({row.index[i], row.value[i], weight, weight * double{row.value[i]} * factor});
    });
    return {first_of(heap, top, stop), side.sign * predictor.bias(side.run)};
}

}  // namespace sparselin
