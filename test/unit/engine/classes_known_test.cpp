// Which classes a call knows: those of all rows, of the first rows of a stream, or those it was told of; in parts,
// merged and continued; and whatever interrupts it.
#include "support/named_classes.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

#include <random>

using namespace sparselin;
using named::Names;
using named::Rows;
using named::Writing;
using parts::Part;

namespace {

const std::string streaming = named::same_options("epochs=1 sampling=sequential lambda=0.01");
const std::string kept = named::same_options("epochs=2 lambda=0.01");
const Names abc = {"a", "b", "c"}, abd = {"a", "b", "d"}, ab = {"a", "b"};

Part part_of(const Names& names, const Rows& rows, const std::string& options) {
    Part part(LearnerKind::asgd, options, LabelKind::text);
    Writing{names}.take(part, rows);
    return part;
}

Names classes_of(const Model& model) {
    return {model.classes.begin(), model.classes.end()};
}

// What it says and what to do; "" where there is nothing to say.
template <typename Work>
std::string error_of(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.hint()), "") << error.message();
        return error.message();
    }
    return "";
}

constexpr char other_classes[] = "the parts that were learned from know different classes";

std::string merging(std::initializer_list<const Model*> models) {
    return error_of([&] {
        ModelMerge merge(parts::heap());
        for (const Model* model : models) merge.add(*model, StopSign());
    });
}

}  // namespace

TEST(KnownClasses, DoNotHangOnTheOrderOfRows) {
    Rows rows = named::rows(1, 1500, 5);
    const Names names = named::names(5);
    for (const std::string& options : {streaming, kept}) {
        EXPECT_EQ(classes_of(part_of(names, rows, options).finish()), named::sorted(names));
        std::ranges::reverse(rows);
        EXPECT_EQ(classes_of(part_of(names, rows, options).finish()), named::sorted(names));
        std::ranges::stable_sort(rows, {}, &dense::Row::label);
        if (options == kept) {
            EXPECT_EQ(classes_of(part_of(names, rows, options).finish()), named::sorted(names));
        }
    }
}

// The first 1000 rows that take a step.
TEST(KnownClasses, OfAStreamAreThoseOfItsFirstRows) {
    Rows rows = named::rows(2, 1500, 3);
    for (dense::Row& row : rows) row.weight = 1;
    for (const auto& [at, error] : std::initializer_list<std::pair<size_t, std::string>>{
             {999, ""},
             {1000, "row 1001: the class \"new\" was not known when learning began"},
             {1499, "row 1500: the class \"new\" was not known when learning began"}}) {
        Rows some = rows;
        some[at].label = 3;
        EXPECT_EQ(error_of([&] { part_of({"a", "b", "c", "new"}, some, streaming); }), error);
        EXPECT_EQ(error_of([&] { part_of({"a", "b", "c", "new"}, some, kept); }), "");
        EXPECT_EQ(error_of([&] { part_of({"a", "b", "c", "new"}, some, streaming + " classes={new,c,b,a}"); }), "");
        some[3].weight = 0;
        some[999].weight = 0;
        EXPECT_EQ(error_of([&] { part_of({"a", "b", "c", "new"}, some, streaming); }), at == 1499 ? error : "");
    }
    const std::string known = streaming + " classes={a,b}";
    EXPECT_EQ(error_of([&] {
                  part_of(abc, {{{}, 1}, {{}, 0}, {{}, 2}}, known);
              }),
              "row 3: the class \"c\" was not known when learning began");
    EXPECT_EQ(error_of([&] {
                  part_of(abc, {{{}, 2}}, kept + " classes={a,b}");
              }),
              "row 1: the class \"c\" was not known when learning began");
}

// Two names of which it takes 120 million to find them.
TEST(KnownClasses, WithTheSameHashAreRefused) {
    const Names twins = {"class 30517725", "class 101297161"};
    const std::string same = "the classes \"class 101297161\" and \"class 30517725\" have the same hash";
    const Rows of_one = {{{{1, 1}}, 0}}, of_both = {{{{1, 1}}, 0}, {{{1, 1}}, 1}};
    EXPECT_EQ(error_of([&] { part_of(twins, of_both, kept); }), same);
    Part first = part_of(twins, of_one, kept), second = part_of({twins[1]}, of_one, kept);
    EXPECT_EQ(error_of([&] { second.combine(first.save()); }), same);
}

// A class that nobody is of has a run that has only seen others.
TEST(KnownClasses, WithoutRowsHaveARunOfNegatives) {
    const Rows rows = named::rows(3, 1200, 2);
    for (const std::string& options : {streaming, kept, kept + " class_weight=balanced"}) {
        const Model all = part_of(ab, rows, options + " classes={nobody,a,b}").finish();
        ASSERT_EQ(classes_of(all), (Names{"a", "b", "nobody"}));
        if (options.find("balanced") != std::string::npos) continue;
        Part none(LearnerKind::asgd, options, LabelKind::boolean);
        for (const dense::Row& row : rows) none.take(row, 0.0);
        const Model alone = none.finish();
        EXPECT_EQ(named::weights_of_run(all, 2, {0, 3, 5, 12}), named::weights_of_run(alone, 0, {0, 3, 5, 12}));
        EXPECT_EQ(all.bias[2], alone.bias[0]);
        EXPECT_LT(all.bias[2], 0);
    }
}

// Each row weighs m / (K m_y), besides its own weight, K being the classes that there are rows of.
TEST(KnownClasses, BalancedWeighTheSame) {
    for (const size_t classes : {2, 3, 7}) {
        Rows rows = named::rows(4, 900, classes);
        for (size_t i = 0; i < rows.size(); ++i)
            if (i % 3 != 0) rows[i].label = 0;  // so that they are not balanced already
        std::vector<double> of_class(classes, 0);
        double m = 0;
        for (const dense::Row& row : rows) {
            if (row.weight == 0) continue;
            ++m;
            ++of_class[static_cast<size_t>(row.label)];
        }
        Rows weighted = rows;
        for (dense::Row& row : weighted)
            row.weight *= m / (static_cast<double>(classes) * of_class[static_cast<size_t>(row.label)]);
        for (const std::string more :
             {"", " scale=std", " classes={nobody,b,\"\",\"a b\",B,\"b \",\"\\\"\",\"\\\\\"}"}) {
            const Names names = named::names(classes);
            const Model expected = part_of(names, weighted, kept + more).finish();
            const Model balanced = part_of(names, rows, kept + more + " class_weight=balanced").finish();
            ASSERT_EQ(classes_of(balanced), classes_of(expected));
            EXPECT_EQ(balanced.weight, expected.weight);
            EXPECT_EQ(balanced.bias, expected.bias);
        }
    }
}

// Nothing is lost of rows that travel.
TEST(KnownClasses, OfRowsOfPartsArePutTogether) {
    const Rows x = named::rows(5, 300, 2), y = named::rows(6, 500, 3);
    Rows both = x;
    both.insert(both.end(), y.begin(), y.end());
    for (dense::Row& row : std::span(both).subspan(x.size())) row.label = row.label == 2 ? 3 : row.label;
    for (const std::string more : {"", " class_weight=balanced", " scale=maxabs"}) {
        Part of_x = part_of(ab, x, kept + more), of_y = part_of(abd, y, kept + more);
        Part all(LearnerKind::asgd, kept + more, LabelKind::text);
        const Model together = all.combine(of_x).combine(of_y).finish();
        EXPECT_EQ(classes_of(together), abd);
        const Model expected = part_of({"a", "b", "c", "d"}, both, kept + more).finish();
        EXPECT_TRUE(parts::bytes_of(together) == parts::bytes_of(expected));
        Part here(LearnerKind::asgd, kept + more, LabelKind::text);
        EXPECT_TRUE(parts::bytes_of(here.combine_here(of_x).combine_here(of_y).finish()) == parts::bytes_of(expected));
    }
}

// What has been learned says nothing of another class: an error, and what was there is as it was.
TEST(KnownClasses, OfPartsThatHaveLearnedMustBeTheSame) {
    const Rows rows = named::rows(7, 1500, 3), two = named::rows(8, 1500, 2);
    for (const std::string& options : {streaming, kept}) {
        const auto learned = [&](const Names& names, const Rows& its) {
            Part part = part_of(names, its, options);
            if (options == kept) part.learn_alone();
            return part.save();
        };
        const auto together = [&](const Part::Parcel& first, const Part::Parcel& second) {
            Part all(LearnerKind::asgd, options, LabelKind::text);
            all.combine(first);
            const auto before = all.save();
            const std::string error = error_of([&] { all.combine(second); });
            if (!error.empty()) {
                EXPECT_TRUE(all.save().head == before.head);
            }
            return error;
        };
        EXPECT_EQ(together(learned(abc, rows), learned(abc, rows)), "");
        EXPECT_EQ(together(learned(abc, rows), learned(abd, rows)), other_classes);
        EXPECT_EQ(together(learned(abc, rows), learned(ab, two)), other_classes);
        EXPECT_EQ(together(learned(ab, two), learned(abc, rows)), other_classes);
        // Rows of no more classes can come, before and after.
        const Rows few(two.begin(), two.begin() + 200), more(rows.begin(), rows.begin() + 200);
        const auto few_of_two = part_of(ab, few, options).save(), few_of_three = part_of(abc, more, options).save();
        EXPECT_EQ(together(learned(abc, rows), few_of_two), "");
        EXPECT_EQ(together(few_of_two, learned(abc, rows)), "");
        EXPECT_EQ(together(learned(ab, two), few_of_three), other_classes);
        EXPECT_EQ(together(few_of_three, learned(ab, two)), other_classes);
        Part all(LearnerKind::asgd, options, LabelKind::text);
        const Model model = all.combine(few_of_two).combine(learned(abc, rows)).finish();
        EXPECT_EQ(classes_of(model), abc);
        EXPECT_EQ(model.steps, model.rows * model.epochs);
    }
}

TEST(KnownClasses, OfMergedModelsMustBeTheSame) {
    const Rows rows = named::rows(9, 400, 3), two = named::rows(10, 400, 2);
    for (const std::string& options : {streaming, kept, kept + " resumable=false"}) {
        const Model three = part_of(abc, rows, options).finish(), others = part_of(abd, rows, options).finish(),
                    first = part_of(ab, two, options).finish(), last = part_of({"b", "c"}, two, options).finish();
        EXPECT_EQ(merging({&three, &three}), "");
        EXPECT_EQ(merging({&three, &others}), other_classes);
        EXPECT_EQ(merging({&three, &first}), other_classes);
        EXPECT_EQ(merging({&first, &three}), other_classes);
        EXPECT_EQ(merging({&first, &last}), other_classes);
        EXPECT_EQ(merging({&first, &first}), "");
    }
}

// Rows are counted anew.
TEST(KnownClasses, OfACallThatGoesOnAreThoseOfTheModel) {
    const Rows rows = named::rows(11, 1600, 3);
    const Rows next = {{{{1, 1}}, 0}, {{{1, 1}}, 2}, {{{1, 1}}, 3}};
    for (const std::string& options : {streaming, kept}) {
        const Model model = part_of(abc, rows, options).finish();
        Part on(parts::through_text(model));
        EXPECT_EQ(error_of([&] {
                      Writing{{"a", "b", "c", "d"}}.take(on, next);
                  }),
                  "row 3: the class \"d\" was not known when learning began");
        const Model more = on.finish();  // the two before that
        EXPECT_EQ(classes_of(more), abc);
        EXPECT_EQ(more.rows, model.rows + 2);
    }
    // Of too few rows, nothing is decided yet.
    const Rows few(rows.begin(), rows.begin() + 200);
    Part on(part_of(abc, few, streaming).finish());
    EXPECT_EQ(classes_of(Writing{{"a", "b", "c", "d"}}.take(on, next).finish()), (Names{"a", "b", "c", "d"}));
}

TEST(KnownClasses, AreNotWithoutNumber) {
    Part part(LearnerKind::asgd, kept, LabelKind::text), other(LearnerKind::asgd, kept, LabelKind::text);
    const dense::Row row = {{{0, 1}}};
    for (size_t k = 0; k < Classes::most; ++k) part.take(row, std::string_view(std::to_string(k)));
    const std::string error = "there are more than 65536 classes";
    EXPECT_EQ(error_of([&] { part.take(row, std::string_view("x")); }), "row 65537: " + error);
    part.take(row, std::string_view("7"));
    other.take(row, std::string_view("x"));
    EXPECT_EQ(error_of([&] { part.combine(other); }), error);
    EXPECT_EQ(part.training().learned_rows(), static_cast<int64_t>(Classes::most) + 1);
}

namespace {

// Makes a model of the rows, each with a feature of its own, in the given memory.
void train_interrupted(StoppingMemory& memory, const Training::Kind& kind, const Writing& writing, const Rows& rows,
                       Model& model) {
    Training training(kind, &memory, StopSign());
    const auto work = [&] { memory.until_done([&] { training.work(SIZE_MAX, memory.stop()); }); };
    for (size_t i = 0; i < rows.size(); ++i) {
        const int32_t index[] = {3, static_cast<int32_t>(1000 * i + 7)};
        const float value[] = {1, static_cast<float>(i % 5) - 2.5f};
        const SparseRow x = {index, value, 2, 0};
        const auto accept = [&] { return training.accept(x, writing.label(rows[i]), rows[i].weight, memory.stop()); };
        auto answer = memory.until_done(accept);
        if (answer == Training::Answer::no_room) {
            training.store().add_block(training.store().next_block_size(x));
            answer = memory.until_done(accept);
        }
        if (answer == Training::Answer::must_work) work();
    }
    training.end_rows();
    work();
    training.write_model(model, parts::heap(), StopSign());
}

}  // namespace

// Interrupted at any point, a call can simply be made again: where names are long, looking at one can be, too.
TEST(KnownClasses, OutliveInterrupts) {
    const Names names = {std::string(100, 'z'), "a", std::string(50, 'y')};
    const Writing writing{names};
    const Rows few = named::rows(12, 60, 3), rows = named::rows(12, 1300, 3);
    for (const auto& [options, its] : {std::pair(streaming, rows),
                                       {streaming + named::all_classes(writing) + " step_offset=50", few},
                                       {kept + " scale=std", few}}) {
        const std::string text = options + " center={4:1}";
        const Training::Kind kind{LearnerKind::casgd, text, LabelKind::text};
        StoppingMemory calm;
        Model expected(parts::heap());
        train_interrupted(calm, kind, writing, its, expected);
        ASSERT_EQ(calm.interrupts(), 0);
        const int step = its.size() > 60 ? 7 : 1;
        bool stopped = true;
        for (int allocations = 0; stopped; allocations += step) {
            StoppingMemory memory;
            memory.stop_after(allocations);
            Model model(parts::heap());
            train_interrupted(memory, kind, writing, its, model);
            stopped = memory.has_stopped();
            ASSERT_TRUE(parts::bytes_of(model) == parts::bytes_of(expected)) << its.size() << " " << allocations;
        }
    }
}

namespace {

// A changed byte here and there, or cut.
std::vector<char> mangled(std::span<const char> bytes, std::mt19937_64& random) {
    std::vector<char> changed(bytes.begin(), bytes.end());
    for (size_t changes = 1 + random() % 2; changes > 0; --changes)
        changed[random() % std::min<size_t>(changed.size(), 700)] =
            static_cast<char>(random() % 3 == 0 ? random() : random() % 4);
    if (random() % 9 == 0) changed.resize(random() % changed.size());
    return changed;
}

}  // namespace

// An Error, or a model as good as any.
TEST(KnownClasses, OfStatesThatWereDamagedAreErrors) {
    std::mt19937_64 random(1);
    const Rows rows = named::rows(13, 1400, 3);
    int accepted = 0;
    for (const std::string& options : {streaming, kept + " class_weight=balanced", streaming + " loss=multinomial"})
        for (const size_t count : {40, 1400}) {
            Part part = part_of(abc, {rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count)}, options);
            const Part::Parcel parcel = part.save();
            const Model model = part.finish();
            const auto learned = part.save();
            for (int round = 0; round < 3000; ++round) {
                try {
                    Model damaged = parts::through_bytes(model);
                    const std::vector<char> bytes = mangled(model.resume, random);
                    damaged.resume.assign(bytes.begin(), bytes.end());
                    Part on(damaged);
                    Writing{abc}.take(on, rows, 0, 30);
                    parts::bytes_of(on.finish());
                    ++accepted;
                } catch (const Error&) {
                }
                try {
                    Part::Parcel damaged = round % 2 == 0 ? parcel : learned;
                    damaged.head = mangled(damaged.head, random);
                    Part all(LearnerKind::asgd, options, LabelKind::text);
                    Writing{abc}.take(all, rows, 0, 30);
                    all.combine(damaged);
                    parts::bytes_of(all.finish());
                    ++accepted;
                } catch (const Error&) {
                }
            }
        }
    EXPECT_GT(accepted, 100);
}
