// Advice on the rows that were learned from.
#include "learn/rows/hashed_row.h"
#include "features/sources.h"
#include "train/train_state.h"

namespace sparselin {

namespace {

enum class Advice { one_class, scale_gap, few_rows, classes_on_one_side, sorted_labels, telltale, count };

bool first_time(FunctionCallInfo fcinfo, Advice advice) {
    return sparselin::first_time<static_cast<size_t>(Advice::count)>(fcinfo, advice);
}

// A feature by its 0-based index, as a message shows it: with its name where that is known. It is where it is a column
// of rows that became features in this process; others have names that only their sources know.
struct ShownFeature {
    ShownFeature(int32 index, int bits)
        : number(index + 1LL), name(bits != 0 ? name_of_column(index + 1, bits) : nullptr) {
        text = name != nullptr ? psprintf("\"%s\" (feature %lld)", name, number) : psprintf("feature %lld", number);
    }
    long long number;
    const char* name;
    const char* text;
};

// How to find the names of features that are not known; of two, or of one that is given twice. Nothing where they
// cannot come from names: those that do have such a dimension.
int detail_of_names(int bits, const ShownFeature& one, const ShownFeature& other) {
    if (bits == 0 || (one.name != nullptr && other.name != nullptr)) return 0;
    const bool both = one.name == nullptr && other.name == nullptr && one.number != other.number;
    const long long unknown = one.name == nullptr ? one.number : other.number;
    if (!both)
        return errdetail(
            "If sparselin_features made this number, its name is found by: SELECT DISTINCT feature, name FROM "
            "..., sparselin_names(source, %d) AS n WHERE feature = %lld. Where features have ngrams, give it the same.",
            bits, unknown);
    return errdetail(
        "If sparselin_features made these numbers, their names are found by: SELECT DISTINCT feature, name FROM "
        "..., sparselin_names(source, %d) AS n WHERE feature IN (%lld, %lld). Where features have ngrams, "
        "give it the same.",
        bits, one.number, other.number);
}

}  // namespace

void notice_one_class(FunctionCallInfo fcinfo, const Training& training) {
    if (!training.one_class_only() || !first_time(fcinfo, Advice::one_class)) return;
    ereport(NOTICE, errmsg("all labels are of one class"),
            errhint("The model will say that class for most rows; check the labels and the WHERE clause."));
}

void notice_search(FunctionCallInfo fcinfo, const Training& training) {
    const Search* const search = training.search();
    if (search == nullptr) return;
    const char* const option = strength_of(training.learner()).option;
    if (is_automatic(search->chosen())) {
        if (!first_time(fcinfo, Advice::few_rows)) return;
        ereport(NOTICE, errmsg("%s was not searched for: there are too few rows to judge by", option),
                errdetail("A search needs %lld rows to hold out, about five times as many in all, and rows of both "
                          "classes among them and among the others.",
                          static_cast<long long>(Search::fewest_held_out)),
                errhint("It is what it is without the option search; the few rows can be compared by "
                        "progressive_loss in sparselin_info."));
    } else if (search->classes_on_one_side() > 0 && first_time(fcinfo, Advice::classes_on_one_side)) {
        ereport(NOTICE,
                errmsg("%s was searched for without %zu of the classes: all their rows were learned from, or all held "
                       "out",
                       option, search->classes_on_one_side()),
                errhint("Classes of a few rows have no say in it; the model knows them all the same."));
    }
}

void notice_sorted_labels(FunctionCallInfo fcinfo, const Training& training) {
    const LabelOrder::Parts parts = training.label_order();
    if (!parts.are_sorted || !first_time(fcinfo, Advice::sorted_labels)) return;
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
    const ScaleGap gap = training.scale_gap();
    if (!gap.is_wide() || !first_time(fcinfo, Advice::scale_gap)) return;
    const int bits = bits_of_dimension(training.dimension());
    const ShownFeature narrow(gap.narrow, bits), wide(gap.wide, bits);
    ereport(NOTICE,
            errmsg("features differ in scale: %s ranges over %.3g, %s over %.3g", narrow.text, gap.least, wide.text,
                   gap.most),
            detail_of_names(bits, narrow, wide),
            errhint("scale => 'std' learns on features of one scale, and its model takes them as they are; "
                    "scale => 'none' keeps them as they are, without this notice."));
}

void notice_telltale(FunctionCallInfo fcinfo, const Training& training) {
    const Telltale found = training.telltale();
    if (found.feature < 0 || !first_time(fcinfo, Advice::telltale)) return;
    const int bits = bits_of_dimension(training.dimension());
    const ShownFeature feature(found.feature, bits);
    ereport(NOTICE,
            errmsg("%s alone tells the labels of %u of the first %u rows", feature.text, found.rows - found.errors,
                   found.rows),
            detail_of_names(bits, feature, feature),
            errhint("If it is the label itself, or known only after the label, leave it out: sparselin_features(..., "
                    "exclude => '{...}')."));
}

}  // namespace sparselin
