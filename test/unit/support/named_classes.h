// Trainings whose labels are texts beside those, one for each class, that they are said to be: of whether the label is
// that class.
#pragma once

#include "support/generated_rows.h"
#include "support/training_parts.h"

#include <functional>

namespace named {

using parts::Part;
using sparselin::LabelKind;
using sparselin::LearnerKind;
using sparselin::Model;

using Rows = std::vector<dense::Row>;
using Names = std::vector<std::string>;

// Options under which a run of several classes and a training of one are the same.
inline std::string same_options(const std::string& options) {
    return options;
}

// Not in byte order; with all that a name can be.
inline Names names(size_t count) {
    const Names odd = {"b", "", "a b", "B", "b ", "\"", "\\", "{a,b}", "=", "null", "\xc3\xa4", std::string(3000, 'x')};
    Names all;
    for (size_t k = 0; k < count; ++k) all.push_back(k < odd.size() ? odd[k] : "class " + std::to_string(37 * k % 101));
    return all;
}

// The label of a row is the number of its class, and its features' signs follow that, but for every seventh row.
inline Rows rows(uint64_t seed, size_t count, size_t classes) {
    generated::Recipe recipe;
    recipe.seed = seed;
    recipe.rows = count;
    recipe.dimension = 13;
    recipe.weighted = true;
    recipe.empty_rows = true;
    Rows all = generated::rows(recipe);
    generated::Random random(seed + 1000);
    for (size_t i = 0; i < count; ++i) {
        const auto k = static_cast<size_t>(random.below(classes));
        all[i].label = static_cast<double>(k);
        if (i % 7 == 3) continue;
        for (auto& [position, value] : all[i].features) {
            const size_t sign = (k + 1) * 2654435761u >> (static_cast<size_t>(position) + 7) & 1;
            value = std::fabs(value) * (sign != 0 ? 1 : -1);
        }
    }
    return all;
}

// How labels are written: as texts, or as whether they are the one of a number.
struct Writing {
    const Names& names;
    std::optional<size_t> positive = {};

    LabelKind kind() const { return positive ? LabelKind::boolean : LabelKind::text; }

    sparselin::Label label(const dense::Row& row) const {
        const auto k = static_cast<size_t>(row.label);
        if (positive) return static_cast<double>(k == *positive);
        return std::string_view(names.at(k));
    }

    Part& take(Part& part, const Rows& rows, size_t from = 0, size_t to = SIZE_MAX) const {
        for (size_t i = from; i < std::min(to, rows.size()); ++i) part.take(rows[i], label(rows[i]));
        return part;
    }
};

// The option `classes`, in any order, for texts.
inline std::string all_classes(const Writing& writing) {
    sparselin::Options options(parts::heap());
    if (writing.positive) return "";
    for (auto name = writing.names.rbegin(); name != writing.names.rend(); ++name) options.classes.emplace_back(*name);
    std::ranges::sort(options.classes);
    return " " + std::string(print_options(options, parts::heap()));
}

inline Names sorted(Names names) {
    std::ranges::sort(names);
    return names;
}

inline std::vector<double> weights_of_run(const Model& model, size_t run, const std::vector<int32_t>& features) {
    std::vector<double> weights;
    for (const int32_t feature : features) {
        const auto place = std::ranges::lower_bound(model.index, feature);
        const bool here = place != model.index.end() && *place == feature;
        weights.push_back(here ? model.weights_at(static_cast<size_t>(place - model.index.begin()))[run] : 0);
    }
    return weights;
}

}  // namespace named
