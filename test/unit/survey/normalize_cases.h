// What the tests of normalised rows have in common.
#pragma once

#include "learners/dekel_cases.h"
#include "support/training_parts.h"
#include "survey/dense_frame.h"

namespace normalize_cases {

using dense::Scaling;
using sparselin::LearnerKind;
using Rows = std::vector<dense::Row>;

inline constexpr Scaling all_scalings[] = {Scaling::none, Scaling::std, Scaling::maxabs, Scaling::idf};

inline std::string options_for(Scaling scaling) {
    return std::string(" norm=l2") + (scaling == Scaling::none ? "" : std::string(" scale=") + text_of(scaling));
}

// Features of sizes that differ, one of them in every row, rows of one feature and of none.
inline Rows uneven(generated::Recipe recipe) {
    recipe.empty_rows = true;
    recipe.constant = 4;
    Rows rows = generated::rows(recipe);
    for (size_t i = 0; i < rows.size(); ++i) {
        for (auto& [position, value] : rows[i].features) {
            if (position == 0) value = 300 * static_cast<float>(value);
            if (position == 1) value = 1e-4f * static_cast<float>(value);
            if (i % 7 == 5) value *= 1024;
        }
        if (i % 9 == 1 && rows[i].features.size() > 1) rows[i].features.resize(1);
    }
    return rows;
}

// Rows whose 1, 4 or 16 features are as far from 0 as each other, in the features' own units, which are powers of two:
// so maxabs divides by those units, a row's length is a power of two, and x' is 1, 1/2 or 1/4.
struct ExactRows {
    explicit ExactRows(size_t count, uint64_t seed) {
        generated::Random random(seed);
        for (size_t i = 0; i < count; ++i) {
            dense::Row row, one;
            const int features = 1 << 2 * random.below(3), first = static_cast<int>(random.below(40));
            const dense::Real a = i < dimension ? 1 : std::ldexp(1, -static_cast<int>(random.below(4)));
            for (int f = 0; f < features; ++f) {
                const int j =
                    std::min((i < dimension ? static_cast<int>(i) : first) + f, static_cast<int>(dimension) - 1);
                if (f > 0 && row.features.back().first == j) break;
                row.features.emplace_back(j, random.sign() * a);
            }
            // As many as are a power of 4.
            while (std::popcount(row.features.size()) != 1 || std::countr_zero(row.features.size()) % 2 != 0)
                row.features.pop_back();
            row.label = random.sign();
            row.weight = static_cast<double>(1 + random.below(8)) / 4;
            one = row;
            const auto length = static_cast<dense::Real>(1 << std::countr_zero(row.features.size()) / 2);
            for (auto& [j, value] : one.features) value /= a * length;
            for (auto& [j, value] : row.features) value *= unit(j);
            raw.push_back(row);
            brought.push_back(one);
        }
    }

    static constexpr size_t dimension = 48;
    static dense::Real unit(int j) { return std::ldexp(1, j % 11 - 5); }
    Rows raw, brought;
};

}  // namespace normalize_cases
