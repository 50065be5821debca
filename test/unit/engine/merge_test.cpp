// States of training that merge: streaming ones into the step-weighted mean of their predictors.
#include "learners/power_sum.h"

#include "engine/merge_cases.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

using namespace sparselin;
using parts::Part;
using parts::Writing;
using namespace merge_cases;

TEST(Merge, IsTheMeanOfThePartsByTheirSteps) {
    for (const Loss loss : every_loss) {
        const auto x = some_rows(1, 1250, loss), y = some_rows(2, 3750, loss), z = some_rows(3, 1500, loss);
        for (const auto& [learner, more] : streaming_calls(loss)) {
            const std::string options = streaming(loss, more);
            SCOPED_TRACE(said(learner, options));
            const auto part = [&, kind = learner](const auto& rows) { return Part(kind, options).take(rows).save(); };
            const auto alone = [&, kind = learner](const auto& rows) {
                return Part(kind, options).take(rows).finish();
            };
            const Model a = alone(x), b = alone(y), c = alone(z);
            const auto of_x = part(x), of_y = part(y), of_z = part(z);

            const Model two = Part(learner, options).combine(of_x).combine(of_y).finish();
            ASSERT_LE(parts::difference_from_mean(two, {&a, &b}), 1e-12);
            ASSERT_EQ(two.rows, a.rows + b.rows);
            ASSERT_EQ(two.skipped, a.skipped + b.skipped);
            ASSERT_EQ(two.steps, two.rows);

            const Model three = Part(learner, options).combine(of_x).combine(of_y).combine(of_z).finish();
            ASSERT_LE(parts::difference_from_mean(three, {&a, &b, &c}), 1e-12);
            const Model other = Part(learner, options).combine(of_z).combine(of_x).combine(of_y).finish();
            ASSERT_LE(parts::difference_from_mean(other, {&three}), 1e-12);
            Part y_and_z(learner, options);
            y_and_z.combine(of_y).combine(of_z);
            const Model tree = Part(learner, options).combine(y_and_z).combine(of_x).finish();
            ASSERT_LE(parts::difference_from_mean(tree, {&three}), 1e-12);
            const Model here = Part(learner, options).combine(of_x).combine_here(y_and_z).finish();
            ASSERT_LE(parts::difference_from_mean(here, {&three}), 1e-12);
        }
    }
}

// A training with rows of its own takes in another, and travels on.
TEST(Merge, ATrainingThatIsAtWorkTakesInOthers) {
    const auto x = some_rows(1, 1250, Loss::logistic), y = some_rows(2, 3750, Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        const Model a = Part(learner, options).take(x).finish(), b = Part(learner, options).take(y).finish();
        Part part(learner, options), other(learner, options);
        other.take(y);
        part.take(x).combine(other);
        const Model travelled = Part(learner, options).combine(part).finish();
        EXPECT_LE(parts::difference_from_mean(travelled, {&a, &b}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(part.finish(), {&a, &b}), 1e-12);
        EXPECT_EQ(travelled.rows, a.rows + b.rows);
        EXPECT_NEAR(travelled.progressive_loss, part.finish().progressive_loss, 1e-12);
    }
}

TEST(Merge, PartsOfNoRowsChangeNothing) {
    const auto x = some_rows(1, 1500, Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        Part alone(learner, options), empty(learner, options), skipped(learner, options);
        const auto part = alone.take(x).save();
        skipped.skip().skip();
        const Model expected = alone.finish();
        const Model model =
            Part(learner, options).combine(empty).combine(skipped).combine(part).combine(empty).finish();
        EXPECT_LE(parts::difference_from_mean(model, {&expected}), 1e-15);
        EXPECT_EQ(model.rows, expected.rows);
        EXPECT_EQ(model.skipped, expected.skipped + 2);
        EXPECT_EQ(model.progressive_loss, expected.progressive_loss);
    }
}

// Held-back rows are put together: the same as if one training had had them in that order.
TEST(Merge, HeldBackRowsAreLearnedTogether) {
    const auto rows = some_rows(1, 900, Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        if (more.find("offset=auto") == std::string::npos && learner != LearnerKind::onepass) continue;
        if (more.find("gamma0=") != std::string::npos) continue;
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        Part first(learner, options), second(learner, options), third(learner, options);
        first.take(rows, 0, 7);
        second.take(rows, 7, 500);
        third.take(rows, 500);
        Part together(learner, options);
        together.combine(first).combine(second).combine(third);
        EXPECT_TRUE(parts::bytes_of(together.finish()) == parts::bytes_of(Part(learner, options).take(rows).finish()));
    }
}

namespace {

double weight_of(const std::vector<dense::Row>& rows) {
    double sum = 0;
    for (const dense::Row& row : dense::learned(rows)) sum += row.weight;
    return sum;
}

// The mean of progressive losses, by the weights of the rows that each is of.
double mean_loss(const std::vector<std::pair<const Model*, std::vector<dense::Row>>>& parts) {
    double sum = 0, weight = 0;
    for (const auto& [model, rows] : parts) {
        sum += weight_of(rows) * model->progressive_loss;
        weight += weight_of(rows);
    }
    return sum / weight;
}

}  // namespace

// Of the parts that have learned and those that have not, the latter are one part.
TEST(Merge, HeldBackRowsAreOnePartBesideThoseThatHaveLearned) {
    const auto few = some_rows(1, 300, Loss::logistic), more_rows = some_rows(2, 600, Loss::logistic);
    const auto many = some_rows(3, 2500, Loss::logistic);
    auto all_few = few;
    all_few.insert(all_few.end(), more_rows.begin(), more_rows.end());
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        const bool holds = (more.find("offset=auto") != std::string::npos || learner == LearnerKind::onepass) &&
                           more.find("gamma0=") == std::string::npos;
        if (!holds) continue;
        SCOPED_TRACE(said(learner, options));
        Part a(learner, options), b(learner, options), c(learner, options), together(learner, options);
        a.take(few);
        b.take(many);
        c.take(more_rows);
        together.combine(a).combine(b).combine(c);
        const Model held = Part(learner, options).take(all_few).finish(), learned = b.finish();
        const Model model = together.finish();
        EXPECT_LE(parts::difference_from_mean(model, {&held, &learned}), 1e-12);
        EXPECT_EQ(model.steps, held.steps + learned.steps);
        EXPECT_NO_THROW(Part(parts::through_text(model)).take(few).finish());
        EXPECT_NEAR(model.progressive_loss, mean_loss({{&held, all_few}, {&learned, many}}), 1e-12);
    }
}

TEST(Merge, FeaturesOfOnePartOnly) {
    const auto x = some_rows(1, 1250, Loss::hinge), y = some_rows(2, 1500, Loss::hinge);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::hinge, more);
        SCOPED_TRACE(said(learner, options));
        Part dense(learner, options), scattered(learner, options);
        dense.take(x);
        scattered.take(y, 0, SIZE_MAX, {.first = 1000, .stride = 150'000'000});
        Part together(learner, options);
        together.combine(dense).combine(scattered);
        const Model model = together.finish(), a = dense.finish(), b = scattered.finish();
        EXPECT_LE(parts::difference_from_mean(model, {&a, &b}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(parts::through_bytes(model), {&a, &b}), 1e-12);
        EXPECT_LE(parts::difference_from_mean(
                      Part(learner, options).combine(scattered.save()).combine(dense.save()).finish(), {&a, &b}),
                  1e-12);
    }
}

TEST(Merge, DimensionsLabelsAndOptionsGoTogether) {
    const auto rows = some_rows(1, 50, Loss::logistic);
    const std::string options = streaming(Loss::logistic, "lambda=0.01");
    const auto part = [&](Writing writing, const std::string& its, LabelKind labels = LabelKind::number) {
        return Part(LearnerKind::asgd, its, labels).take(rows, 0, SIZE_MAX, writing).save();
    };
    const auto together = [&](const Part::Parcel& x, const Part::Parcel& y) {
        return Part(LearnerKind::asgd, options).combine(x).combine(y).finish();
    };
    for (const std::string& its : {options, options + " step_offset=1"}) {
        const auto open = part({}, its), twenty = part({.dimension = 20}, its), other = part({.dimension = 21}, its);
        const auto beyond = part({.first = 15}, its), zero = part({.zero_one = true}, its);
        Part into(LearnerKind::asgd, its);
        into.combine(twenty).combine(open);
        EXPECT_EQ(into.finish().dimension, 20);
        EXPECT_THROW(Part(LearnerKind::asgd, its).combine(twenty).combine(other), Error);
        EXPECT_THROW(Part(LearnerKind::asgd, its).combine(twenty).combine(beyond), Error);
        EXPECT_THROW(Part(LearnerKind::asgd, its).combine(beyond).combine(twenty), Error);
        EXPECT_THROW(Part(LearnerKind::asgd, its).combine(open).combine(zero), Error);
    }
    EXPECT_THROW(together(part({}, options), part({}, options + " seed=1")), Error);
    EXPECT_THROW(Part(LearnerKind::sgd, options).combine(part({}, options)), Error);
    EXPECT_THROW(Part(LearnerKind::asgd, options, LabelKind::boolean).combine(part({}, options)), Error);
}

TEST(Merge, APartOfOnesAloneGoesWithEitherCoding) {
    auto ones = some_rows(1, 50, Loss::logistic);
    for (dense::Row& row : ones) row.label = 1;
    const auto rows = some_rows(2, 50, Loss::logistic);
    const std::string options = streaming(Loss::logistic, "lambda=0.01 step_offset=1");
    Part x(LearnerKind::asgd, options), y(LearnerKind::asgd, options), together(LearnerKind::asgd, options);
    x.take(ones);
    y.take(rows, 0, SIZE_MAX, {.zero_one = true});
    EXPECT_EQ(together.combine(x).combine(y).finish().coding, Coding::zero_one);
}

namespace {

// Rows with the weights that balance the classes of all of `parts`, from the definition.
std::vector<dense::Row> weighed(std::vector<dense::Row> rows,
                                const std::vector<const std::vector<dense::Row>*>& parts) {
    double positive = 0, negative = 0;
    for (const auto* part : parts)
        for (const dense::Row& row : dense::learned(*part)) (row.label > 0 ? positive : negative) += 1;
    for (dense::Row& row : rows) row.weight *= (positive + negative) / (2 * (row.label > 0 ? positive : negative));
    return rows;
}

std::string without_balance(std::string options) {
    const std::string balanced = " class_weight=balanced";
    const size_t place = options.find(balanced);
    return place == std::string::npos ? options : options.erase(place, balanced.size());
}

}  // namespace

// Parts that learned alone: each with its own lambda, centre, scale and class weights.
TEST(Merge, BufferedPartsThatLearnedAlone) {
    const auto x = some_rows(1, 700, Loss::logistic), y = some_rows(2, 400, Loss::logistic);
    auto wide = some_rows(3, 500, Loss::logistic);
    for (dense::Row& row : wide)
        for (auto& [position, value] : row.features) value = static_cast<float>(value * (position + 2) * 3 + 1);
    for (const LearnerKind learner : every_learner) {
        for (const char* more : {"", " scale=std", " scale=maxabs", " class_weight=balanced", " intercept=false",
                                 " scale=std sampling=sequential epochs=1", " epochs=2 sampling=replacement"}) {
            std::string options = std::string("loss=logistic") + more;
            if (learner == LearnerKind::onepass && options.find("epochs") == std::string::npos) options += " epochs=2";
            SCOPED_TRACE(said(learner, options));
            Part a(learner, options), b(learner, options), c(learner, options);
            const Model of_a = a.take(x).finish(), of_b = b.take(wide).finish(), of_c = c.take(y).finish();
            Part learned(learner, options);
            learned.combine(a).combine(b);
            Part rows_of_c(learner, options);
            rows_of_c.take(y);
            const Model all = Part(learner, options).combine(learned).combine(rows_of_c).finish();
            const bool balanced = options.find("balanced") != std::string::npos;
            const auto rows_of = [&](const auto& rows, const std::vector<const std::vector<dense::Row>*>& labels) {
                return balanced ? weighed(rows, labels) : rows;
            };
            // The last part's classes are balanced by the labels of all.
            const Model last = Part(learner, without_balance(options)).take(rows_of(y, {&x, &wide, &y})).finish();
            EXPECT_LE(parts::difference_from_mean(all, {&of_a, &of_b, &last}), 1e-12);
            const Model two = learned.finish();
            EXPECT_LE(parts::difference_from_mean(two, {&of_a, &of_b}), 1e-12);
            EXPECT_EQ(all.rows, of_a.rows + of_b.rows + of_c.rows);
            EXPECT_EQ(all.steps, of_a.steps + of_b.steps + of_c.steps);
            EXPECT_EQ(all.epochs, of_a.epochs);
            if (of_a.lambda != of_b.lambda) {
                EXPECT_DOUBLE_EQ(all.lambda, 1 / static_cast<double>(all.rows));
                EXPECT_DOUBLE_EQ(two.lambda, 1 / static_cast<double>(two.rows));
            }
            const double expected_loss = mean_loss(
                {{&of_a, rows_of(x, {&x})}, {&of_b, rows_of(wide, {&wide})}, {&last, rows_of(y, {&x, &wide, &y})}});
            // With replacement a part weighs what the rows that were drawn do.
            const bool drawn = options.find("replacement") != std::string::npos;
            EXPECT_NEAR(all.progressive_loss / expected_loss, 1, drawn ? 0.1 : 1e-12);
            const Model further = Part(parts::through_text(all)).take(x).finish();
            EXPECT_EQ(further.rows, all.rows + of_a.rows);
        }
    }
}

// Rows of several trainings, put together, are rows of one: the same bits.
TEST(Merge, BufferedRowsArePutTogether) {
    const auto rows = some_rows(1, 800, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        for (const char* more : {"", " class_weight=balanced", " scale=std"}) {
            const std::string options = std::string("loss=logistic epochs=3 sampling=sequential") + more;
            SCOPED_TRACE(said(learner, options));
            const auto expected = parts::bytes_of(Part(learner, options).take(rows).finish());
            for (const size_t window : {size_t{0}, size_t{8192}}) {
                Part first(learner, options, LabelKind::number, window), second(learner, options),
                    third(learner, options);
                first.take(rows, 0, 300);
                second.take(rows, 300, 310);
                third.take(rows, 310);
                Part shipped(learner, options, LabelKind::number, window);
                shipped.combine(first).combine(second).combine(third);
                EXPECT_TRUE(parts::bytes_of(shipped.finish()) == expected);
                Part tree(learner, options);
                Part inner(learner, options);
                inner.combine_here(second).combine_here(third);
                tree.combine_here(first).combine(inner);
                const Model model = tree.finish();
                EXPECT_TRUE(parts::bytes_of(model) == expected);
                if (learner == LearnerKind::casgd) {
                    EXPECT_EQ(model.lambda, 1 / static_cast<double>(model.rows));
                }
            }
        }
    }
}

namespace {

// Parts that have learned, put together in the given memory.
void combine_interrupted(StoppingMemory& memory, const Training::Kind& kind, Part& a, Part& b, Model& model) {
    Training together(kind, &memory, StopSign());
    memory.until_done([&] { together.absorb(a.training(), memory.stop()); });
    memory.until_done([&] { together.absorb(b.training(), memory.stop()); });
    together.end_rows();
    memory.until_done([&] { together.work(SIZE_MAX, memory.stop()); });
    together.write_model(model, parts::heap(), StopSign());
}

}  // namespace

// Interrupted at any point, a merge can simply be made again.
TEST(Merge, CanBeInterruptedAnywhere) {
    auto calls = streaming_calls();
    for (auto& [learner, more] : calls) more = streaming(Loss::logistic, more);
    for (const LearnerKind learner : every_learner) {
        calls.emplace_back(learner, "epochs=2 scale=std sampling=shuffle");
        calls.emplace_back(learner, "epochs=2 sampling=shuffle search=true");
    }
    // The unit of the labels of each part counts by its steps, and so does what each search has chosen.
    calls.emplace_back(LearnerKind::asgd, "epochs=2 loss=absolute");
    for (const auto& [learner, more] : calls) {
        const std::string options = unsettled(more);
        const Loss loss = more.ends_with("loss=absolute") ? Loss::absolute : Loss::logistic;
        const auto x = some_rows(1, 1250, loss), y = some_rows(2, 1500, loss);
        for (const LabelKind labels : {LabelKind::number, LabelKind::text}) {
            if (labels == LabelKind::text && loss == Loss::absolute) continue;
            SCOPED_TRACE(said(learner, options));
            const Training::Kind kind{learner, options, labels};
            Part a(learner, options, labels), b(learner, options, labels);
            const auto take = [labels](Part& part, const auto& rows, Writing writing = {}) {
                for (const dense::Row& row : rows) {
                    const std::string_view name = row.label > 0 ? "later" : "earlier";
                    labels == LabelKind::text ? part.take(row, name, writing) : part.take(row, writing);
                }
            };
            take(a, x);
            take(b, y, {.first = 10, .stride = 7});
            if (!a.training().streams()) a.learn_as_part(), b.learn_as_part();
            StoppingMemory calm;
            Model expected(parts::heap());
            combine_interrupted(calm, kind, a, b, expected);
            ASSERT_EQ(calm.interrupts(), 0);
            bool stopped = true;
            for (int allocations = 0; stopped; ++allocations) {
                StoppingMemory memory;
                memory.stop_after(allocations);
                Model model(parts::heap());
                combine_interrupted(memory, kind, a, b, model);
                stopped = memory.has_stopped();
                ASSERT_TRUE(parts::bytes_of(model) == parts::bytes_of(expected)) << allocations;
            }
        }
    }
}

// Rows that have travelled, small ones as they come from a file: however it is interrupted, each is taken once.
TEST(Merge, RowsAreTakenOnce) {
    Part part(LearnerKind::asgd, "epochs=1", LabelKind::number, 4096);
    part.take(some_rows(1, 300, Loss::logistic));
    const Part::Parcel parcel = part.save();
    ASSERT_GT(parcel.blocks.size(), 3u);
    for (int allocations = 0; allocations < 60; ++allocations) {
        StoppingMemory memory;
        Training training(LearnerKind::asgd, part.training().options(), false, &memory, StopSign());
        training.absorb(part.training(), StopSign());
        memory.stop_after(allocations);
        for (const std::string& rows : parcel.blocks)
            for (size_t at = 0; at < rows.size();) {
                try {
                    at += training.adopt(std::span(rows).subspan(at), SIZE_MAX, memory.stop());
                } catch (const Interrupted&) {
                    memory.go_on();
                }
            }
        ASSERT_EQ(training.store().rows(), part.training().store().rows()) << allocations;
    }
}

TEST(PowerSum, IsThePlainSum) {
    for (const double q : {0.0, 0.5, 1.0, 2.0, 2.5, 10.0}) {
        long double sum = 0;
        for (int64_t T = 1; T <= 1'000'000; ++T) {
            sum += std::pow(static_cast<long double>(T), static_cast<long double>(q));
            if (T > 200 && T % 9973 != 0 && T != 1'000'000) continue;
            ASSERT_NEAR(static_cast<double>(power_sum(T, q) / sum), 1, 1e-13) << T << " " << q;
        }
    }
    EXPECT_EQ(power_sum(0, 2), 0);
}
