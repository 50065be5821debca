// Advice on the rows that were learned from.
#include "learn/rows/hashed_row.h"
#include "train/train_state.h"

namespace sparselin {

namespace {

// Each thing is said once for each place in a query, not once for each group.
struct Said {
    bool one_class, scale_gap, few_rows, classes_on_one_side, sorted_labels;
};

}  // namespace

void notice_one_class(FunctionCallInfo fcinfo, const Training& training) {
    auto* const said = kept_at_place<Said>(fcinfo);
    if (said->one_class || !training.one_class_only()) return;
    said->one_class = true;
    ereport(NOTICE, errmsg("all labels are of one class"),
            errhint("The model will say that class for most rows; check the labels and the WHERE clause."));
}

void notice_search(FunctionCallInfo fcinfo, const Training& training) {
    const Search* const search = training.search();
    if (search == nullptr) return;
    auto* const said = kept_at_place<Said>(fcinfo);
    const char* const option = strength_of(training.learner()).option;
    if (is_automatic(search->chosen()) && !said->few_rows) {
        said->few_rows = true;
        ereport(NOTICE, errmsg("%s was not searched for: there are too few rows to judge by", option),
                errdetail("A search needs %lld rows to hold out, about five times as many in all, and rows of both "
                          "classes among them and among the others.",
                          static_cast<long long>(Search::fewest_held_out)),
                errhint("It is what it is without the option search; the few rows can be compared by "
                        "progressive_loss in sparselin_info."));
    } else if (!is_automatic(search->chosen()) && search->classes_on_one_side() > 0 && !said->classes_on_one_side) {
        said->classes_on_one_side = true;
        ereport(NOTICE,
                errmsg("%s was searched for without %zu of the classes: all their rows were learned from, or all held "
                       "out",
                       option, search->classes_on_one_side()),
                errhint("Classes of a few rows have no say in it; the model knows them all the same."));
    }
}

void notice_sorted_labels(FunctionCallInfo fcinfo, const Training& training) {
    auto* const said = kept_at_place<Said>(fcinfo);
    const LabelOrder::Parts parts = training.label_order();
    if (said->sorted_labels || !parts.are_sorted) return;
    said->sorted_labels = true;
    const auto percent = [&parts](int part) { return 100 * parts.share[part]; };
    ereport(
        NOTICE,
        errmsg("rows come sorted by label: one label has a share of %.3g %% in the first %lld rows, and of %.3g %% in "
               "the other %lld",
               percent(0), static_cast<long long>(parts.rows[0]), percent(1), static_cast<long long>(parts.rows[1])),
        errhint("Rows that are learned from as they arrive should come in random order, for the last ones count "
                "most: add ORDER BY random(), or have them kept, with sampling => 'shuffle'."));
}

void notice_scale_gap(FunctionCallInfo fcinfo, const Training& training) {
    auto* const said = kept_at_place<Said>(fcinfo);
    const ScaleGap gap = training.scale_gap();
    if (said->scale_gap || !gap.is_wide()) return;
    said->scale_gap = true;
    // Names are not known here, nor whether there are any; hashed ones have such a dimension.
    const int bits = bits_of_dimension(training.dimension());
    ereport(NOTICE,
            errmsg("features differ in scale: feature %lld ranges over %.3g, feature %lld over %.3g", gap.narrow + 1LL,
                   gap.least, gap.wide + 1LL, gap.most),
            bits != 0 ? errdetail("If sparselin_features made these numbers, their names are found by: SELECT "
                                  "DISTINCT feature, name FROM ..., sparselin_names(source, %d) AS n "
                                  "WHERE feature IN (%lld, %lld).",
                                  bits, gap.narrow + 1LL, gap.wide + 1LL)
                      : 0,
            errhint("scale => 'std' learns on features of one scale, and its model takes them as they are; "
                    "scale => 'none' keeps them as they are, without this notice."));
}

}  // namespace sparselin
