// How learners see their rows, from the definition: each feature divided by its scale over the rows that are learned
// from, and, where rows are normalised, each row divided by its length then. Shares nothing with src/learn.
#pragma once

#include "learners/dense_dekel.h"

namespace dense {

enum class Scaling { none, std, maxabs, idf };

inline const char* text_of(Scaling scaling) {
    constexpr const char* names[] = {"none", "std", "maxabs", "idf"};
    return names[static_cast<size_t>(scaling)];
}

inline Dense scale_of(const std::vector<Row>& rows, size_t dimension, Scaling scaling) {
    const std::vector<Row> present = learned(rows);
    const Dense mean = mean_of(present, dimension);
    const Real m = static_cast<Real>(present.size());
    Dense largest(dimension, 0), variance(dimension, 0), rows_with(dimension, 0);
    for (const Row& row : present) {
        const Dense x = dense_row(row, dimension);
        for (size_t j = 0; j < dimension; ++j) {
            largest[j] = std::max(largest[j], std::fabs(x[j]));
            variance[j] += (x[j] - mean[j]) * (x[j] - mean[j]) / m;
            rows_with[j] += x[j] != 0 ? 1 : 0;
        }
    }
    Dense s(dimension, 1);
    for (size_t j = 0; j < dimension; ++j) {
        if (largest[j] == 0 || scaling == Scaling::none) continue;
        const Real deviation = std::sqrt(variance[j]);
        if (scaling == Scaling::idf) s[j] = 1 / (std::log((1 + m) / (1 + rows_with[j])) + 1);
        if (scaling == Scaling::maxabs) s[j] = largest[j];
        if (scaling == Scaling::std) s[j] = deviation <= 1e-6L * largest[j] ? largest[j] : deviation;
    }
    return s;
}

inline std::vector<Row> divided(const std::vector<Row>& rows, const Dense& s) {
    std::vector<Row> result = rows;
    for (Row& row : result)
        for (auto& [position, value] : row.features) value /= s[static_cast<size_t>(position)];
    return result;
}

inline std::vector<Row> of_length_one(const std::vector<Row>& rows) {
    std::vector<Row> result = rows;
    for (Row& row : result) {
        Real square = 0;
        for (const auto& [position, value] : row.features) square += value * value;
        for (auto& [position, value] : row.features) value /= std::sqrt(square);
    }
    return result;
}

}  // namespace dense
