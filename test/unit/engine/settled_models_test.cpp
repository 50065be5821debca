// Models that are settled: the right alpha and beta for what was learned, however the rows came by, and nothing else of
// the training that is not as it was.
#include "engine/dense_settling.h"
#include "engine/merge_cases.h"
#include "support/learner_under_test.h"
#include "support/stopping_memory.h"
#include "support/timer.h"

#include <gtest/gtest.h>

using namespace sparselin;
using namespace merge_cases;
using parts::Part;

namespace {

constexpr Loss settled_losses[] = {Loss::logistic, Loss::squared_hinge, Loss::squared,
                                   Loss::absolute, Loss::huber,         Loss::quantile};

std::string loss_text(Loss loss) {
    return "loss=" + option_of(static_cast<dense::Loss>(loss));
}

Options options_of(const Model& model) {
    return parse_options(model.options, parts::heap());
}

Model trained(LearnerKind learner, const std::string& options, const std::vector<dense::Row>& rows, size_t window = 0) {
    return Part(learner, options, LabelKind::number, window).take(rows).finish();
}

// The scale s_j that the learners divide by, from its definition.
std::vector<long double> scales_of(const std::vector<dense::Row>& rows, int dimension, const Options& options) {
    std::vector<long double> scales(static_cast<size_t>(dimension), 1);
    if (static_cast<Scaling>(options.scale) != Scaling::std) return scales;
    const dense::Dense mean = dense::mean_of(rows, scales.size());
    for (size_t j = 0; j < scales.size(); ++j) {
        long double sum = 0;
        for (const dense::Row& row : rows) {
            const long double x = dense::dense_row(row, scales.size())[j] - mean[j];
            sum += x * x;
        }
        scales[j] = std::sqrt(sum / static_cast<long double>(rows.size()));
    }
    return scales;
}

// What settling is to do with a model of these rows, by MATH: the model as it was before it.
dense::Settling problem_of(const Model& before, const std::vector<dense::Row>& all, int dimension) {
    const Options options = options_of(before);
    std::vector<dense::Row> rows;
    for (const dense::Row& row : all)
        if (row.weight != 0) rows.push_back(row);
    dense::Settling problem;
    problem.loss = static_cast<dense::Loss>(before.loss);
    problem.b = before.centred_bias[0];
    problem.beta_moves = options.intercept == 1;
    problem.alpha_moves = curves(before.loss);
    size_t positive = 0;
    for (const dense::Row& row : rows) positive += row.label > 0;
    const auto m = static_cast<long double>(rows.size());
    for (const dense::Row& row : rows) {
        long double score = before.bias[0] - before.centred_bias[0];
        for (const auto& [j, value] : row.features) score += value * parts::weight_of(before, j);
        problem.s.push_back(score);
        problem.y.push_back(row.label);
        const size_t alike = row.label > 0 ? positive : rows.size() - positive;
        const bool balanced = static_cast<ClassWeight>(options.class_weight) == ClassWeight::balanced;
        problem.omega.push_back(row.weight * (balanced ? m / (2 * static_cast<long double>(alike)) : 1));
    }
    const auto scale = scales_of(rows, dimension, options);
    const bool truncates = before.learner == LearnerKind::truncated, nets = before.learner == LearnerKind::elasticnet;
    for (int32_t j = 0; j < dimension; ++j) {
        const long double w = parts::weight_of(before, j) * scale[static_cast<size_t>(j)];
        problem.a2 += before.lambda * w * w;
        if (nets) problem.a1 += options.l1 * std::fabs(w);
        const bool pulled = is_automatic(options.threshold) || std::fabs(w) <= options.threshold;
        if (truncates && pulled) problem.a1 += options.gravity * std::fabs(w);
    }
    if (truncates || nets) {
        problem.least_alpha = 0;
    } else {
        problem.b2 = before.lambda;
    }
    return problem;
}

struct Call {
    LearnerKind learner;
    std::string options;
};

std::vector<Call> calls_for(Loss loss) {
    std::vector<Call> calls;
    for (const LearnerKind learner : every_learner) {
        const std::string options =
            learner == LearnerKind::onepass
                ? " sampling=shuffle epochs=2"
                : std::string(" epochs=2") + (learner > LearnerKind::onepass ? " eta0=0.2" : "");
        for (const char* more :
             {"", " scale=std", " sampling=replacement", " intercept=false", " intercept=false scale=std"})
            if (curves(loss) || std::string_view(more).find("intercept") == std::string_view::npos)
                if (learner != LearnerKind::onepass ||
                    std::string_view(more).find("sampling") == std::string_view::npos)
                    calls.push_back({learner, options + more});
        if (is_classification(loss)) calls.push_back({learner, options + " class_weight=balanced"});
    }
    for (const char* lambda : {"0.001", "0.5"})
        for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd})
            calls.push_back({learner, std::string(" epochs=2 lambda=") + lambda});
    calls.push_back({LearnerKind::casgd, " epochs=2 center={1:0.5,3:-2,9:1}"});
    calls.push_back({LearnerKind::elasticnet, " epochs=2 l1=0.05 lambda=0.02"});
    calls.push_back({LearnerKind::elasticnet, " epochs=2 l1=0.01 lambda=0"});
    calls.push_back({LearnerKind::elasticnet, " epochs=2 l1=0 lambda=0.05 method=fobos"});
    calls.push_back({LearnerKind::truncated, " epochs=2 gravity=0.05 eta0=0.2"});
    calls.push_back({LearnerKind::truncated, " epochs=2 gravity=0.01 threshold=0.4 eta0=0.2"});
    return calls;
}

}  // namespace

TEST(SettledModels, EqualTheDenseReference) {
    for (const Loss loss : settled_losses) {
        const auto rows = some_rows(3, 121, loss, 11);
        for (const auto& [learner, more] : calls_for(loss)) {
            const std::string options = loss_text(loss) + more;
            SCOPED_TRACE(said(learner, options));
            const Model before = trained(learner, options + " settle=false", rows);
            const Model after = trained(learner, options + " settle=true", rows);
            dense::Settling problem = problem_of(before, rows, 11);
            const dense::Place expected = dense::settled(problem);
            const auto alpha = static_cast<double>(expected.alpha), beta = static_cast<double>(expected.beta);
            const double w_mu = before.centred_bias[0] - before.bias[0];
            for (int32_t j = 0; j < 11; ++j)
                EXPECT_NEAR(parts::weight_of(after, j), alpha * parts::weight_of(before, j), 1e-9 * std::fabs(alpha));
            EXPECT_NEAR(after.centred_bias[0], beta, 1e-9 * (1 + std::fabs(beta)));
            EXPECT_NEAR(after.bias[0], beta - alpha * w_mu, 1e-9 * (1 + std::fabs(beta)));
            const dense::Place old{1, before.centred_bias[0]};
            EXPECT_LT(dense::phi(problem, expected), dense::phi(problem, old));
            EXPECT_EQ(options_of(after).settle, 1);
            EXPECT_EQ(options_of(before).settle, 0);
            EXPECT_EQ(after.progressive_loss, before.progressive_loss);
            EXPECT_EQ(after.steps, before.steps);
        }
    }
}

// The mean probability is the share of positives but for the price on the bias.
TEST(SettledModels, AreRightOnTheMean) {
    const auto rows = some_rows(5, 400, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const Model model = trained(learner, "epochs=2 sampling=shuffle settle=true", rows);
        const double bias = learner < LearnerKind::truncated ? model.lambda * model.centred_bias[0] : 0;
        long double off = 0, m = 0;
        for (const dense::Row& row : rows) {
            long double p = model.bias[0];
            for (const auto& [j, value] : row.features) p += value * parts::weight_of(model, j);
            off += row.weight * (1 / (1 + std::exp(-p)) - (row.label > 0));
            m += row.weight != 0;
        }
        EXPECT_NEAR(static_cast<double>(off / m), -bias, 1e-10);
    }
}

// As many labels below the estimate as asked for, to the row.
TEST(SettledModels, QuantilesCover) {
    for (const double tau : {0.1, 0.5, 0.9}) {
        auto rows = some_rows(5, 400, Loss::quantile);
        for (dense::Row& row : rows) row.weight = 1;
        const std::string options = "loss=quantile settle=true quantile=" + std::to_string(tau);
        const Model model = trained(LearnerKind::elasticnet, options, rows);
        double below = 0, up_to = 0;
        for (const dense::Row& row : rows) {
            long double p = model.bias[0];
            for (const auto& [j, value] : row.features) p += value * parts::weight_of(model, j);
            below += row.label < p - 1e-12L;
            up_to += row.label <= p + 1e-12L;
        }
        EXPECT_LE(below, tau * 400);
        EXPECT_GE(up_to, tau * 400);
    }
}

namespace {

void expect_the_same_in_all_memory(LearnerKind learner, const std::string& options,
                                   const std::vector<dense::Row>& rows) {
    const auto expected = parts::bytes_of(trained(learner, options, rows));
    // Room for no scores, in a third of their size, and as they are.
    for (const size_t window : {size_t{512}, size_t{10000}, size_t{20000}, size_t{60000}}) {
        Part part(learner, options, LabelKind::number, window);
        EXPECT_TRUE(parts::bytes_of(part.take(rows).finish()) == expected) << window;
        EXPECT_GT(part.blocks_written(), 4u);
    }
    // In memory, without room for the scores.
    Part part(learner, options);
    part.take(rows).training().end_rows();
    ASSERT_TRUE(part.training().work(0, StopSign()));
    EXPECT_TRUE(parts::bytes_of(part.finish()) == expected);
}

}  // namespace

// Whether scores are kept or made again, and whether rows are in memory or in a file, is not to be seen.
TEST(SettledModels, AreTheSameWhateverMemoryThereIs) {
    for (const Loss loss : {Loss::logistic, Loss::quantile, Loss::huber}) {
        auto rows = some_rows(3, 2000, loss);
        for (const LearnerKind learner : every_learner) {
            const std::string options = loss_text(loss) + " epochs=2 sampling=sequential settle=true";
            SCOPED_TRACE(said(learner, options));
            expect_the_same_in_all_memory(learner, options, rows);
        }
        if (loss != Loss::logistic) continue;
        const std::string options = "epochs=2 sampling=sequential settle=true";
        for (dense::Row& row : rows) row.weight = 1;
        expect_the_same_in_all_memory(LearnerKind::asgd, options, rows);
        rows[1500].weight = 2;
        expect_the_same_in_all_memory(LearnerKind::asgd, options, rows);
    }
}

namespace {

void feed(Training& training, const std::vector<dense::Row>& rows) {
    for (const dense::Row& row : rows) {
        std::vector<int32_t> index;
        std::vector<float> value;
        for (const auto& [j, number] : row.features) index.push_back(j), value.push_back(static_cast<float>(number));
        const SparseRow x{index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        while (training.accept(x, row.label, row.weight, StopSign()) == Training::Answer::no_room)
            training.store().add_block(training.store().next_block_size(x));
    }
    training.end_rows();
}

std::vector<char> model_bytes(const Training& training) {
    Model model(parts::heap());
    training.write_model(model, parts::heap(), StopSign());
    return parts::bytes_of(model);
}

}  // namespace

// Interrupts come wherever memory is asked for.
TEST(SettledModels, CanBeInterruptedAnywhere) {
    const auto rows = some_rows(3, 1500, Loss::logistic);
    for (const LearnerKind learner : every_learner)
        for (const char* loss : {"loss=logistic", "loss=absolute"}) {
            const std::string options = std::string(loss) + " epochs=2 scale=std sampling=shuffle settle=true";
            SCOPED_TRACE(said(learner, options));
            const auto expected = parts::bytes_of(trained(learner, options, rows));
            for (const size_t window : {size_t{0}, SIZE_MAX}) {
                bool stopped = true;
                for (int allocations = 0; stopped; ++allocations) {
                    StoppingMemory memory;
                    Training training(Training::Kind{learner, options, LabelKind::number}, &memory, StopSign());
                    feed(training, rows);
                    memory.stop_after(allocations);
                    while (!memory.until_done([&] { return training.work(window, memory.stop()); })) continue;
                    stopped = memory.has_stopped();
                    ASSERT_TRUE(model_bytes(training) == expected) << allocations;
                }
            }
        }
}

// And at any time, in the middle of a round.
TEST(SettledModelsLong, CanBeInterruptedAtAnyTime) {
    for (const Loss loss : {Loss::logistic, Loss::quantile}) {
        const auto rows = some_rows(3, 30000, loss, 3);
        const std::string options = loss_text(loss) + " epochs=1 sampling=shuffle settle=true";
        const auto expected = parts::bytes_of(trained(LearnerKind::asgd, options, rows));
        for (const size_t window : {size_t{0}, SIZE_MAX}) {
            Training training(Training::Kind{LearnerKind::asgd, options, LabelKind::number}, parts::heap(), StopSign());
            feed(training, rows);
            int interrupted_late = 0;
            Timer timer(400);
            for (bool done = false; !done;) try {
                    done = training.work(window, StopSign(&Timer::raised));
                } catch (const Interrupted&) {
                    Timer::raised = 0;
                    timer.slow_down();
                    interrupted_late += training.standing()->epoch == 2;
                }
            EXPECT_TRUE(model_bytes(training) == expected);
            EXPECT_GT(interrupted_late, 0);
        }
    }
}

// What a settled model goes on from is what it was before it was settled: so is all that comes of it.
TEST(SettledModels, GoOnFromWhatTheyWere) {
    const auto rows = some_rows(3, 300, Loss::logistic), more = some_rows(4, 200, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const std::string options = "epochs=2 sampling=shuffle settle=";
        const Model settled = trained(learner, options + "true", rows);
        const Model before = trained(learner, options + "false", rows);
        EXPECT_NE(settled.bias, before.bias);
        // As it is, through bytes and text, and where no row is new.
        for (const Model& again : {parts::through_bytes(settled), parts::through_text(settled)})
            EXPECT_TRUE(parts::bytes_of(Part(again).finish()) == parts::bytes_of(settled));
        EXPECT_EQ(Part(settled).skip().finish().weight, settled.weight);
        // Merged, and with more rows: the numbers that both go on from show when they are merged.
        const auto merged = [](const Model& a, const Model& b) {
            ModelMerge merge(parts::heap());
            merge.add(a, StopSign());
            merge.add(b, StopSign());
            Model model(parts::heap());
            merge.write(model, parts::heap(), StopSign());
            EXPECT_EQ(options_of(model).settle, 0);
            EXPECT_EQ(merge.unsettles(), options_of(a).settle == 1);
            return model;
        };
        const auto same = [](const Model& a, const Model& b) {
            EXPECT_EQ(a.weight, b.weight);
            EXPECT_EQ(a.bias, b.bias);
            EXPECT_EQ(a.centred_bias, b.centred_bias);
        };
        same(merged(settled, settled), merged(before, before));
        const Model longer = Part(settled).take(more).finish(), longer_before = Part(before).take(more).finish();
        EXPECT_EQ(options_of(longer).settle, 1);
        EXPECT_NE(longer.bias, longer_before.bias);
        same(merged(longer, longer), merged(longer_before, longer_before));
        // It has settled on the rows that are new.
        const dense::Settling problem = problem_of(longer_before, more, 13);
        const long double scale = longer.weight[0] / longer_before.weight[0];
        EXPECT_LT(std::fabs(dense::slopes(problem, {scale, longer.centred_bias[0]}).beta), 1e-9L);
    }
}

// Compact models are averaged as they are.
TEST(SettledModels, CompactOnesAreMergedAsTheyAre) {
    Model a = trained(LearnerKind::asgd, "settle=true", some_rows(3, 300, Loss::logistic));
    Model b = trained(LearnerKind::asgd, "settle=true", some_rows(4, 500, Loss::logistic));
    a.resume.clear();
    b.resume.clear();
    ModelMerge merge(parts::heap());
    merge.add(a, StopSign());
    EXPECT_FALSE(merge.unsettles());
    merge.add(b, StopSign());
    EXPECT_TRUE(merge.unsettles());
    Model mean(parts::heap());
    merge.write(mean, parts::heap(), StopSign());
    EXPECT_LT(parts::difference_from_mean(mean, {&a, &b}), 1e-15);
    EXPECT_EQ(options_of(mean).settle, 0);
}

TEST(SettledModels, AStateOfAnotherScaleIsRefused) {
    const Model model = trained(LearnerKind::asgd, "settle=true", some_rows(3, 300, Loss::logistic));
    const auto is_refused = [&](size_t from_end, std::vector<char> bytes) {
        Model edited = parts::through_bytes(model);
        std::copy(bytes.begin(), bytes.end(), edited.resume.end() - static_cast<ptrdiff_t>(from_end));
        try {
            Part{edited};
        } catch (const Error&) {
            return true;
        }
        return false;
    };
    EXPECT_FALSE(is_refused(17, {1}));
    EXPECT_TRUE(is_refused(17, {2}));
    EXPECT_TRUE(is_refused(17, {0})) << "bytes are left over";
    EXPECT_TRUE(is_refused(16, {0, 0, 0, 0, 0, 0, char(0xf0), 0x3f})) << "alpha = 1";
    EXPECT_TRUE(is_refused(8, {0, 0, 0, 0, 0, 0, char(0xf0), 0x3f})) << "beta = 1";
    EXPECT_TRUE(is_refused(8, {0, 0, 0, 0, 0, 0, char(0xf0), 0x7f})) << "infinite";
}

// Where phi may have no least value, a model stays as it is, and says so.
TEST(SettledModels, WhatHasNoLeastValueIsLeftAlone) {
    const auto is_left = [](LearnerKind learner, const std::string& options, const std::vector<dense::Row>& rows) {
        const Model model = trained(learner, options + " settle=true", rows);
        const Model before = trained(learner, options + " settle=false", rows);
        EXPECT_EQ(options_of(model).settle, model.bias != before.bias);
        return model.bias == before.bias && model.weight == before.weight;
    };
    auto rows = some_rows(3, 100, Loss::logistic);
    EXPECT_FALSE(is_left(LearnerKind::truncated, "threshold=0.5", rows));
    EXPECT_TRUE(is_left(LearnerKind::truncated, "threshold=1e-9 gravity=1e-9", rows)) << "no weight is as small";
    for (dense::Row& row : rows) row.label = 1;
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const bool is_free = learner == LearnerKind::truncated || learner == LearnerKind::elasticnet;
        EXPECT_EQ(is_left(learner, "sampling=shuffle", rows), is_free);
        EXPECT_FALSE(is_left(learner, "sampling=shuffle loss=squared", rows));
    }
    // Without a bias to learn one class is as good as two.
    EXPECT_NE(trained(LearnerKind::elasticnet, "intercept=false settle=true", rows).weight,
              trained(LearnerKind::elasticnet, "intercept=false settle=false", rows).weight);
    // Weights of 0 leave the bias alone to be settled.
    for (dense::Row& row : rows) row.features.clear();
    rows[0].label = -1;
    EXPECT_FALSE(is_left(LearnerKind::elasticnet, "", rows));
    EXPECT_FALSE(is_left(LearnerKind::casgd, "", rows));
}

// A scale of 0 leaves no weights.
TEST(SettledModels, WeightsThatDoNotPayGo) {
    const auto rows = some_rows(3, 300, Loss::logistic);
    const Model model = trained(LearnerKind::elasticnet, "l1=2 eta0=0.01 epochs=1 sampling=sequential", rows);
    EXPECT_EQ(options_of(model).settle, 0) << "streams";
    const Model settled = trained(LearnerKind::truncated, "gravity=2 truncate_every=1000 epochs=2 settle=auto", rows);
    EXPECT_EQ(options_of(settled).settle, 1);
    EXPECT_TRUE(settled.index.empty() && settled.weight.empty());
    EXPECT_NE(settled.bias[0], 0);
    EXPECT_TRUE(parts::bytes_of(Part(parts::through_bytes(settled)).finish()) == parts::bytes_of(settled));
}

// Two classes by name are one run, and settle; more do not, and are an error for who insists.
TEST(SettledModels, OfClassesTwoAreSettled) {
    const auto rows = some_rows(3, 300, Loss::logistic);
    const auto of_classes = [&](int classes, const char* options) {
        Part part(LearnerKind::asgd, options, LabelKind::text);
        for (size_t i = 0; i < rows.size(); ++i)
            part.take(rows[i], std::string_view(rows[i].label > 0           ? "yes"
                                                : classes > 2 && i % 3 == 0 ? "maybe"
                                                                            : "no"));
        return part.finish();
    };
    const Model two = of_classes(2, "settle=auto"), numbers = trained(LearnerKind::asgd, "settle=auto", rows);
    EXPECT_EQ(options_of(two).settle, 1);
    EXPECT_EQ(two.weight, numbers.weight);
    EXPECT_EQ(two.bias, numbers.bias);
    const Model three = of_classes(3, "settle=auto");
    EXPECT_EQ(options_of(three).settle, 0);
    EXPECT_EQ(three.weight, of_classes(3, "settle=false").weight);
    EXPECT_EQ(Part(three).skip().finish().weight, three.weight);
    try {
        of_classes(3, "settle=true");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.message(), "a model of 3 classes cannot be settled");
    }
    EXPECT_EQ(options_of(of_classes(2, "settle=auto loss=multinomial")).settle, 0);
}

// Rows that come together in one place are settled over as one. What a part has learned from rows that are gone is not.
TEST(SettledModels, PartsThatBringTheirRows) {
    const auto rows = some_rows(3, 900, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const std::string options = "sampling=shuffle settle=auto";
        Part first(learner, options), second(learner, options);
        first.take(rows, 0, 400);
        second.take(rows, 400);
        const Model expected = trained(learner, options, rows);
        EXPECT_EQ(options_of(expected).settle, 1);
        const Model together = Part(learner, options).combine(first).combine(second).finish();
        EXPECT_TRUE(parts::bytes_of(together) == parts::bytes_of(expected));

        first.training().end_rows_of_part();
        ASSERT_TRUE(first.training().work(SIZE_MAX, StopSign()));
        const Model averaged = Part(learner, options).combine(first).combine(second).finish();
        EXPECT_EQ(options_of(averaged).settle, 0);
        EXPECT_NE(averaged.weight, expected.weight);
    }
}
