// Contributions against the products themselves, for models in an array and in a table, cut short and interrupted.
#include "apply/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

// `stride` apart: far apart they lie in a table, close together in an array.
Model model_of(int32_t count, int32_t stride) {
    std::mt19937 random(static_cast<unsigned>(stride));
    Model model(heap);
    model.bias[0] = 0.75;
    for (int32_t i = 0; i < count; ++i) {
        model.index.push_back(i * stride);
        model.weight.push_back(static_cast<double>(random() % 2001) / 100 - 10.005);
    }
    return model;
}

SparseVector row_of(int32_t count, int32_t step) {
    SparseVector row(heap);
    for (int32_t i = 0; i < count; ++i) row.push_back(i * step, static_cast<float>(i % 7) - 3.5f);
    return row;
}

}  // namespace

TEST(Explain, IsTheProductsBySize) {
    for (const int32_t stride : {1, 100002}) {
        const Model model = model_of(5000, stride);
        const Predictor predictor(model, heap, go);
        const SparseVector row = row_of(3000, std::max(stride / 2, 1));
        const Vector<Contribution> all = explain(predictor, row.row(), {}, SIZE_MAX, heap, go).features;
        ASSERT_EQ(all.size(), row.index.size());
        double sum = predictor.bias(), size = 1;
        size_t known = 0;
        for (size_t i = 0; i < all.size(); ++i) {
            const auto place = static_cast<size_t>(std::ranges::find(row.index, all[i].index) - row.index.begin());
            ASSERT_LT(place, row.index.size());
            EXPECT_EQ(all[i].value, row.value[place]);
            const auto at = std::ranges::find(model.index, all[i].index);
            const double weight =
                at == model.index.end() ? 0 : model.weight[static_cast<size_t>(at - model.index.begin())];
            EXPECT_EQ(all[i].weight, weight);
            EXPECT_EQ(all[i].product, weight * double{all[i].value});
            known += weight != 0;
            sum += all[i].product;
            size += std::fabs(all[i].product);
            if (i == 0) continue;
            const double before = std::fabs(all[i - 1].product), here = std::fabs(all[i].product);
            EXPECT_TRUE(before > here || (before == here && all[i - 1].index < all[i].index)) << i;
        }
        EXPECT_GT(known, 1000u);
        EXPECT_LE(std::fabs(sum - predictor.score(row.row(), StopSign())), 1e-13 * size);
    }
}

TEST(Explain, GivesTheTop) {
    const Model model = model_of(1000, 1);
    const Predictor predictor(model, heap, go);
    const SparseVector row = row_of(1000, 1);
    const Vector<Contribution> all = explain(predictor, row.row(), {}, SIZE_MAX, heap, go).features;
    for (const size_t top : {0, 1, 10, 999, 1000, 1001}) {
        const Vector<Contribution> some = explain(predictor, row.row(), {}, top, heap, go).features;
        ASSERT_EQ(some.size(), std::min<size_t>(top, 1000));
        for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i].index, all[i].index);
    }
    EXPECT_TRUE(explain(predictor, SparseRow{}, {}, 5, heap, go).features.empty());
}

TEST(Explain, RefusesWhatHasNoScore) {
    Model model = model_of(10, 1);
    model.dimension = 16;
    const Predictor predictor(model, heap, go);
    SparseVector other = row_of(3, 1);
    other.dim = 17;
    EXPECT_THROW(explain(predictor, other.row(), {}, 5, heap, go), Error);
    volatile std::sig_atomic_t flag = 1;
    EXPECT_THROW(explain(predictor, row_of(3, 1).row(), {}, 5, heap, StopSign(&flag)), Interrupted);
}
