#include "base/wide.h"

#include "base/processors.h"

namespace sparselin {

SPARSELIN_FOR_EACH_PROCESSOR
void add_long_product(double* __restrict sums, const double* __restrict numbers, double x, size_t runs) {
    for (size_t run = 0; run < runs; ++run) sums[run] += numbers[run] * x;
}

// Two products for each of the four lanes, which lie one behind the other.
SPARSELIN_FOR_EACH_PROCESSOR
static void add_eight_products(double* __restrict lane, const double* const* numbers, const double* x, size_t runs) {
    const double *const a = numbers[0], *const b = numbers[1], *const c = numbers[2], *const d = numbers[3];
    const double *const e = numbers[4], *const f = numbers[5], *const g = numbers[6], *const h = numbers[7];
    const double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    for (size_t run = 0; run < runs; ++run) {
        lane[run] = lane[run] + a[run] * x0 + e[run] * x4;
        lane[Wide::most + run] = lane[Wide::most + run] + b[run] * x1 + f[run] * x5;
        lane[2 * Wide::most + run] = lane[2 * Wide::most + run] + c[run] * x2 + g[run] * x6;
        lane[3 * Wide::most + run] = lane[3 * Wide::most + run] + d[run] * x3 + h[run] * x7;
    }
}

void WideSum::add_waiting() {
    if (!begun_)
        for (auto& lane : lane_) std::fill_n(lane.data(), runs_, 0.0);
    begun_ = true;
    if (waiting_ == at_once) {
        add_eight_products(lane_[0].data(), numbers_.data(), x_.data(), runs_);
    } else {
        for (size_t i = 0; i < waiting_; ++i) add_product(lane_[i % 4].data(), numbers_[i], x_[i], runs_);
    }
    waiting_ = 0;
}

Wide WideSum::total() {
    if (runs_ == 0) return 0;
    add_waiting();
    Wide sum(Wide::OfCount{runs_});
    for (size_t run = 0; run < runs_; ++run)
        sum.number_[run] = (lane_[0][run] + lane_[1][run]) + (lane_[2][run] + lane_[3][run]);
    return sum;
}

template <typename Operation>
Wide Wide::of_both(const Wide& a, const Wide& b, Operation operation) {
    Wide result(OfCount{std::max(a.count_, b.count_)});
    if (a.count_ == b.count_) {
        for (size_t run = 0; run < result.count_; ++run)
            result.number_[run] = operation(a.number_[run], b.number_[run]);
    } else if (b.count_ == 1) {
        for (size_t run = 0; run < result.count_; ++run) result.number_[run] = operation(a.number_[run], b.number_[0]);
    } else {
        for (size_t run = 0; run < result.count_; ++run) result.number_[run] = operation(a.number_[0], b.number_[run]);
    }
    return result;
}

Wide::Wide(const WideProduct& product) : count_(product.count) {
    for (size_t run = 0; run < count_; ++run) number_[run] = product.numbers[run] * product.x;
}

Wide Wide::operator-() const {
    Wide result(OfCount{count_});
    for (size_t run = 0; run < count_; ++run) result.number_[run] = -number_[run];
    return result;
}

Wide operator+(const Wide& a, const Wide& b) {
    return Wide::of_both(a, b, [](double x, double y) { return x + y; });
}

Wide operator-(const Wide& a, const Wide& b) {
    return Wide::of_both(a, b, [](double x, double y) { return x - y; });
}

Wide operator*(const Wide& a, const Wide& b) {
    return Wide::of_both(a, b, [](double x, double y) { return x * y; });
}

Wide operator/(const Wide& a, const Wide& b) {
    return Wide::of_both(a, b, [](double x, double y) { return x / y; });
}

}  // namespace sparselin
