// Two runs of Dekel's algorithms that were published with their numbers: the paper's setting, rows in order.
#pragma once

#include "learners/dense_dekel.h"

#include <array>

struct PublishedModel {
    std::array<double, 5> w;
    double b;
};

struct PublishedCheck {
    dense::Loss loss;
    double lambda;
    size_t epochs;
    PublishedModel asgd, casgd;
};

inline std::vector<dense::Row> published_rows() {
    return {{{{0, 1.0f}, {2, 2.0f}, {4, 3.0f}}, 1, 1},
            {{{1, 4.0f}, {2, 5.0f}, {3, 6.0f}, {4, 7.0f}}, -1, 1},
            {{{0, 8.0f}, {2, 9.0f}}, 1, 1},
            {{{1, 10.0f}}, -1, 1}};
}

inline std::array<PublishedCheck, 2> published_checks() {
    const PublishedCheck hinge = {dense::Loss::hinge,
                                  0.01,
                                  1,
                                  {{168.75, -108.333333333, 100, -162.5, -33.3333333333}, 39.5833333333},
                                  {{18.75, -233.333333333, -31.25, -100, -10.4166666667}, 1142.1875}};
    const PublishedCheck logistic = {
        dense::Loss::logistic,
        0.01,
        25,
        {{32.1356167332, -16.7495100706, 17.5227032548, -25.1242651058, -21.4018528472}, 2.13659659210},
        {{17.9601720304, -21.9841176607, 13.2492896745, -9.42176471174, -7.92154431567}, 23.7545503775}};
    return {hinge, logistic};
}
