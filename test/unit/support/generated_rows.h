// Small random rows for comparisons: seeded, the same on every machine, all values exact in float.
#pragma once

#include "learners/dense_dekel.h"

#include <cstdint>
#include <random>

namespace generated {

enum class Values {
    ordinary,  // in (-1, 1)
    dyadic,    // multiples of 1/64 in [-2, 2]: sums and means of few of them are exact
    wide,      // powers of two from 2^-60 to 2^10 with a few bits more: tiny and huge side by side
};

struct Recipe {
    uint64_t seed = 1;
    size_t rows = 37;
    int dimension = 11;
    double density = 0.4;  // how many of a row's elements are there
    Values values = Values::ordinary;
    bool regression = false;
    bool weighted = false;    // weights between 1/8 and 3, every fifth row weight 0
    bool empty_rows = false;  // every sixth row
    int constant = -1;        // this feature is 1.5 in every row that is not empty
};

class Random {
public:
    explicit Random(uint64_t seed) : bits_(seed) {}
    uint64_t below(uint64_t limit) { return bits_() % limit; }
    double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    double sign() { return (bits_() & 1) != 0 ? 1 : -1; }

private:
    std::mt19937_64 bits_;
};

inline float value(Random& random, Values values) {
    switch (values) {
        case Values::ordinary: return static_cast<float>(random.sign() * (0.01 + 0.99 * random.uniform()));
        case Values::dyadic: return static_cast<float>(random.sign() * static_cast<double>(1 + random.below(128)) / 64);
        case Values::wide:
            return static_cast<float>(random.sign() *
                                      std::ldexp(1 + random.uniform(), static_cast<int>(random.below(71)) - 60));
    }
    return 0;
}

// Labels follow a random linear rule, every tenth or so against it, so that no loss comes to rest.
inline std::vector<dense::Row> rows(const Recipe& recipe) {
    Random random(recipe.seed);
    std::vector<double> rule;
    for (int j = 0; j < recipe.dimension; ++j) rule.push_back(2 * random.uniform() - 1);
    std::vector<dense::Row> rows(recipe.rows);
    for (size_t i = 0; i < rows.size(); ++i) {
        dense::Row& row = rows[i];
        double score = 0.1;
        for (int j = 0; j < recipe.dimension && !(recipe.empty_rows && i % 6 == 2); ++j) {
            if (j == recipe.constant)
                row.features.emplace_back(j, 1.5f);
            else if (random.uniform() < recipe.density)
                row.features.emplace_back(j, value(random, recipe.values));
            else
                continue;
            score += rule[static_cast<size_t>(j)] * static_cast<double>(row.features.back().second);
        }
        const double noise = random.uniform();
        row.label = recipe.regression ? score + noise - 0.5 : (score > 0) == (noise > 0.1) ? 1 : -1;
        if (recipe.weighted) row.weight = i % 5 == 3 ? 0 : static_cast<double>(1 + random.below(24)) / 8;
    }
    return rows;
}

// The same rows with `offset` added to every element of the dense vectors.
inline std::vector<dense::Row> shifted(const std::vector<dense::Row>& rows, const std::vector<float>& offset) {
    std::vector<dense::Row> moved = rows;
    for (dense::Row& row : moved) {
        std::vector<float> x = offset;
        for (const auto& [position, value] : row.features) x[static_cast<size_t>(position)] += value;
        row.features.clear();
        for (size_t j = 0; j < x.size(); ++j)
            if (x[j] != 0) row.features.emplace_back(static_cast<int>(j), x[j]);
    }
    return moved;
}

}  // namespace generated
