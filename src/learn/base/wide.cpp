#include "base/wide.h"

namespace sparselin {

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
