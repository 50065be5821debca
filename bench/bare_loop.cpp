// bare_loop FILE LAMBDA: the least that reading, learning and predicting can cost, on rows that lie in memory.
//
// Reads the names of loops from its input, and answers each with the seconds one run takes:
//   sum    adds all values up
//   asgd   Dekel's Algorithm 2 with hinge loss and the paper's step sizes, one pass in order, v and u side by side
//   log    the same with logistic loss, and the sum of the losses
//   dot    w.x of every row
//   grad   the same, and the sums of logistic losses, of their slopes, and of slopes times values of each feature
#include "rows.h"

#include <cmath>
#include <cstring>

namespace {

struct Cell {
    double v = 0, u = 0;
};

double sum(const Rows& rows) {
    double total = 0;
    for (int64_t k = 0; k < rows.nonzeros; ++k) total += rows.value[static_cast<size_t>(k)];
    return total;
}

// The slope of a loss at p; its value is added up where sparselin does that with a function that takes its time.
struct Hinge {
    double slope(double p, double y) { return p * y <= 1 ? -y : 0; }
    double sum = 0;
};

struct Logistic {
    double slope(double p, double y) {
        const double s = p * y, e = std::exp(-std::fabs(s));
        sum += std::fmax(0, -s) + std::log1p(e);
        return -y * (s > 0 ? e : 1) / (1 + e);
    }
    double sum = 0;
};

template <typename Loss>
double asgd(const Rows& rows, double lambda, std::vector<Cell>& cells, Loss loss) {
    const int32_t* index = rows.index.data();
    const float* value = rows.value.data();
    Cell* cell = cells.data();
    double a = 0, c = 0, h = 0, eta = 0;
    for (int64_t i = 0; i < rows.rows; ++i) {
        const int32_t begin = rows.start[static_cast<size_t>(i)], end = rows.start[static_cast<size_t>(i) + 1];
        const double y = rows.label[static_cast<size_t>(i)];
        double vx = 0;
        for (int32_t k = begin; k < end; ++k) vx += cell[index[k]].v * double{value[k]};
        const double g = loss.slope(-(vx + a) * eta, y);
        if (g != 0) {
            const double hg = h * g;
            for (int32_t k = begin; k < end; ++k) {
                cell[index[k]].v += g * double{value[k]};
                cell[index[k]].u += hg * double{value[k]};
            }
            a += g;
        }
        eta = 1 / (lambda * static_cast<double>(i + 1));
        c += eta * a;
        h += eta;
    }
    return c + h + cell[0].u + loss.sum;
}

double dot(const Rows& rows, const std::vector<double>& weights) {
    const int32_t* index = rows.index.data();
    const float* value = rows.value.data();
    const double* w = weights.data();
    double total = 0;
    for (int64_t i = 0; i < rows.rows; ++i) {
        double p = 0;
        for (int32_t k = rows.start[static_cast<size_t>(i)]; k < rows.start[static_cast<size_t>(i) + 1]; ++k) {
            p += w[index[k]] * double{value[k]};
        }
        total += p;
    }
    return total;
}

double gradient(const Rows& rows, const std::vector<double>& weights, std::vector<double>& sums) {
    const int32_t* index = rows.index.data();
    const float* value = rows.value.data();
    const double* w = weights.data();
    double* G = sums.data();
    double A = 0;
    Logistic loss;
    for (int64_t i = 0; i < rows.rows; ++i) {
        const int32_t begin = rows.start[static_cast<size_t>(i)], end = rows.start[static_cast<size_t>(i) + 1];
        double p = 0;
        for (int32_t k = begin; k < end; ++k) p += w[index[k]] * double{value[k]};
        const double g = loss.slope(p, rows.label[static_cast<size_t>(i)]);
        for (int32_t k = begin; k < end; ++k) G[index[k]] += g * double{value[k]};
        A += g;
    }
    return loss.sum + A + G[0];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("usage: bare_loop FILE LAMBDA\n", stderr), 2;
    const Rows rows(argv[1]);
    const double lambda = std::atof(argv[2]);
    const auto features = static_cast<size_t>(rows.features);
    char name[16];
    while (std::scanf("%15s", name) == 1) {
        double seconds;
        if (std::strcmp(name, "sum") == 0) {
            seconds = seconds_of([&] { keep(sum(rows)); });
        } else if (std::strcmp(name, "asgd") == 0) {
            std::vector<Cell> cells(features);
            seconds = seconds_of([&] { keep(asgd(rows, lambda, cells, Hinge())); });
        } else if (std::strcmp(name, "log") == 0) {
            std::vector<Cell> cells(features);
            seconds = seconds_of([&] { keep(asgd(rows, lambda, cells, Logistic())); });
        } else if (std::strcmp(name, "dot") == 0) {
            const std::vector<double> weights(features, 0.5);
            seconds = seconds_of([&] { keep(dot(rows, weights)); });
        } else if (std::strcmp(name, "grad") == 0) {
            const std::vector<double> weights(features, 0.01);
            std::vector<double> sums(features);
            seconds = seconds_of([&] { keep(gradient(rows, weights, sums)); });
        } else {
            return std::fprintf(stderr, "no loop goes by the name %s\n", name), 2;
        }
        std::printf("%.9f\n", seconds);
        std::fflush(stdout);
    }
}
