// A search against what it stands for: a call for each strength, over the rows that are not held out, judged by those
// that are; and then one call, over all rows, with what was best.
#include "rows/holdout.h"
#include "support/generated_rows.h"
#include "support/named_classes.h"
#include "support/stopping_memory.h"
#include "support/training_parts.h"

#include <gtest/gtest.h>

#include <map>

using namespace sparselin;
using parts::Part;

namespace {

using Rows = std::vector<dense::Row>;

bool is_held_out_row(const dense::Row& row) {
    std::vector<int32_t> index;
    std::vector<float> value;
    for (const auto& [position, number] : row.features) {
        index.push_back(position);
        value.push_back(static_cast<float>(number));
    }
    const SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
    return is_held_out(x, 0.2, StopSign(), Deal::searched);
}

struct Sides {
    explicit Sides(const Rows& rows) {
        for (const dense::Row& row : rows)
            if (row.weight != 0) (is_held_out_row(row) ? held_out : learned).push_back(row);
    }
    Rows learned, held_out;
};

struct Call {
    LearnerKind learner;
    std::string options;
};

std::string text(double number) {
    char digits[64];
    snprintf(digits, sizeof digits, "%.17g", number);
    return digits;
}

// What a model that normalises rows takes the product with its weights times. On a scale, features that it has none of
// do not count.
double factor(const Model& model, const dense::Row& row) {
    const Options options = parse_options(model.options, parts::heap());
    if (options.norm != 1) return 1;
    double square = 0;
    for (const auto& [position, number] : row.features) {
        const auto place = std::ranges::find(model.scale.index, position);
        const bool has_scale = place != model.scale.index.end();
        if (!has_scale && options.scale > 0) continue;
        const double s = has_scale ? model.scale.s[static_cast<size_t>(place - model.scale.index.begin())] : 1;
        square += std::pow(static_cast<double>(number) / s, 2);
    }
    return square == 0 ? 1 : 1 / std::sqrt(square);
}

// What a model says, added up as the search does.
double score(const Model& model, const dense::Row& row) {
    double wx = 0;
    for (const auto& [position, number] : row.features)
        wx += parts::weight_of(model, position) * static_cast<double>(number);
    return model.bias[0] + wx * factor(model, row);
}

Model trained(const Call& call, const std::string& more, const Rows& rows) {
    return Part(call.learner, call.options + more).take(rows).finish();
}

// The mean loss of the rows held out, with a strength that is given.
double loss_by_hand(const Call& call, const char* option, double strength, const Sides& sides, const ChosenLoss& loss) {
    const Model model = trained(call, " " + std::string(option) + "=" + text(strength), sides.learned);
    double sum = 0, omega = 0;
    for (const dense::Row& row : sides.held_out) {
        sum += row.weight * with_loss(loss, [&](const auto& its) { return its.value(score(model, row), row.label); });
        omega += row.weight;
    }
    return sum / omega;
}

Rows some_rows(uint64_t seed, size_t count, bool regression, int dimension = 40) {
    generated::Recipe recipe;
    recipe.seed = seed;
    recipe.rows = count;
    recipe.dimension = dimension;
    recipe.density = 0.2;
    recipe.weighted = true;
    recipe.empty_rows = true;
    recipe.regression = regression;
    return generated::rows(recipe);
}

// Of a model of several classes, as its definition says.
double loss_of_row(const Model& model, const dense::Row& row, const named::Names& names, Loss loss) {
    const size_t runs = model.runs();
    const std::string& own = names[static_cast<size_t>(row.label)];
    std::vector<double> p(model.bias.begin(), model.bias.end());
    for (size_t k = 0; k < runs; ++k)
        for (const auto& [position, number] : row.features)
            p[k] += named::weights_of_run(model, k, {position})[0] * static_cast<double>(number);
    double sum = 0, score_of_own = 0;
    for (size_t k = 0; k < runs; ++k) {
        const bool is_own = std::string_view(model.classes[k]) == own;
        if (is_own) score_of_own = p[k];
        const double s = is_own ? p[k] : -p[k];
        sum += loss == Loss::multinomial ? std::exp(p[k])
               : loss == Loss::hinge     ? std::max(0.0, 1 - s)
                                         : std::log1p(std::exp(-s));
    }
    return loss == Loss::multinomial ? std::log(sum) - score_of_own : sum / static_cast<double>(runs);
}

void feed(Training& training, const Rows& rows) {
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

class EachLearner : public testing::TestWithParam<Call> {};

TEST_P(EachLearner, tries_what_calls_of_their_own_would_and_learns_with_the_best) {
    const Call& call = GetParam();
    const Options options = parse_options(call.options, parts::heap());
    const auto loss = with_parameter(static_cast<Loss>(is_automatic(options.loss) ? 0 : options.loss), options);
    const Rows rows = some_rows(3, 700, !is_classification(loss.loss));
    const Sides sides(rows);
    ASSERT_GT(sides.held_out.size(), 50u);
    const StrengthTraits& strength = strength_of(call.learner);
    const bool rounds =
        !is_automatic(options.scale) || !is_automatic(options.norm) || options.settle == 1;  // otherwise than by hand

    const Model model = trained(call, " search=true", rows);
    ASSERT_GE(model.search.size(), 9u);
    ASSERT_LE(model.search.size(), 12u);
    const auto in_search = [&](double its) {
        if (!strength.is_by_rows) return its;
        if (traits_of(loss.loss).has_unit)
            return its * (trained(call, "", sides.learned).lambda / trained(call, "", rows).lambda);
        const auto learned = static_cast<double>(sides.learned.size());
        const double z = its * (learned + static_cast<double>(sides.held_out.size()));
        return *std::ranges::min_element(strength.grid, {}, [z](double x) { return std::fabs(x - z); }) / learned;
    };
    double best = INFINITY, chosen = 0;
    for (const Tried& tried : model.search) {
        const double its = in_search(tried.strength);
        const double expected = loss_by_hand(call, strength.option, its, sides, loss);
        EXPECT_NEAR(tried.loss, expected, (rounds ? 1e-10 : 1e-12) * expected) << strength.option << " " << its;
        if (tried.loss < best) best = tried.loss, chosen = tried.strength;
    }
    const Options found = parse_options(model.options, parts::heap());
    EXPECT_EQ(found.*strength.asked, chosen);
    EXPECT_EQ(found.search, 1);

    const Model again = trained(call, " " + std::string(strength.option) + "=" + text(chosen), rows);
    EXPECT_EQ(model.bias, again.bias);
    EXPECT_EQ(model.index, again.index);
    EXPECT_EQ(model.weight, again.weight);
    EXPECT_EQ(model.lambda, again.lambda);
    EXPECT_TRUE(again.search.empty());
    EXPECT_EQ(parts::bytes_of(parts::through_bytes(model)), parts::bytes_of(model));
    EXPECT_EQ(parts::bytes_of(parts::through_text(model)), parts::bytes_of(model));
}

std::vector<Call> calls() {
    std::vector<Call> all;
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd})
        for (const char* options :
             {"", "loss=hinge epochs=3", "loss=squared scale=std", "loss=squared_hinge intercept=false"})
            all.push_back({learner, options});
    for (const char* options : {"loss=huber", "loss=quantile quantile=0.3", "loss=absolute", "sampling=replacement",
                                "sampling=sequential epochs=2", "scale=maxabs seed=7", "step_offset=100"})
        all.push_back({LearnerKind::casgd, options});
    for (const char* options : {"sampling=shuffle", "epochs=3", "epochs=2 loss=squared"})
        all.push_back({LearnerKind::onepass, options});
    for (const char* options : {"", "loss=squared eta0=0.05 method=sgd", "lambda=0.01"})
        all.push_back({LearnerKind::elasticnet, options});
    for (const char* options : {"", "loss=squared eta0=0.05", "threshold=0.5"})
        all.push_back({LearnerKind::truncated, options});
    for (const LearnerKind learner : every_learner)
        for (const char* options :
             {"epochs=2 sampling=shuffle settle=true",
              "epochs=2 sampling=shuffle loss=squared settle=true scale=maxabs", "epochs=3 sampling=shuffle norm=l2",
              "epochs=2 sampling=shuffle settle=true scale=idf norm=l2"})
            all.push_back({learner, options});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Search, EachLearner, testing::ValuesIn(calls()));

// Rows held out have features that those learned from do not: they are judged as a model sees them.
TEST(Search, normalises_rows_held_out_as_predicting_does) {
    Rows rows = some_rows(4, 500, false);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].features.emplace_back(100 + static_cast<int>(i), 1.5f);
    const Sides sides(rows);
    for (const char* options : {"epochs=2 norm=l2", "epochs=2 scale=idf norm=l2"}) {
        const Call call = {LearnerKind::casgd, options};
        const Model model = trained(call, " search=true", rows);
        const auto learned = static_cast<double>(sides.learned.size());
        for (const Tried& tried : model.search) {
            const double z = tried.strength * static_cast<double>(model.rows);
            const double expected = loss_by_hand(call, "lambda", z / learned, sides, Loss::logistic);
            EXPECT_NEAR(tried.loss, expected, 1e-9 * expected) << options;
        }
    }
}

const Call casgd = {LearnerKind::casgd, "epochs=3"};

// Labels that have nothing to do with the features: the stronger, the better. And labels that one feature gives away.
Rows random_rows(bool random) {
    Rows rows = some_rows(5, 600, false);
    generated::Random coin(9);
    for (dense::Row& row : rows) {
        if (random) row.label = coin.sign();
        if (!random) row.features.insert(row.features.begin(), {-1, static_cast<float>(row.label)});
        for (auto& [position, value] : row.features) position += 1;
    }
    return rows;
}

TEST(Search, goes_on_where_the_best_lies_at_an_end_three_steps_at_most) {
    const Model strong = trained(casgd, " search=true", random_rows(true));
    ASSERT_EQ(strong.search.size(), 12u);
    EXPECT_EQ(strong.lambda * static_cast<double>(strong.rows), 3000);
    EXPECT_EQ(strong.lambda, strong.search.front().strength);

    const Model weak = trained({LearnerKind::casgd, "epochs=30"}, " search=true", random_rows(false));
    EXPECT_GT(weak.search.size(), 9u);
    EXPECT_LT(weak.lambda * static_cast<double>(weak.rows), 0.01);
    for (const Model* model : {&strong, &weak})
        for (size_t i = 1; i < model->search.size(); ++i)
            EXPECT_LT(model->search[i].strength, model->search[i - 1].strength);
}

// Of equals the strongest: without features and intercept, nothing is learned whatever is tried.
TEST(Search, takes_the_strongest_of_equals) {
    Rows rows = some_rows(5, 600, false);
    for (size_t i = 0; i < rows.size(); ++i)
        for (auto& [position, value] : rows[i].features) value = 0;
    // Rows without features are all on one side: an index that says which is which, and weighs nothing.
    for (size_t i = 0; i < rows.size(); ++i) rows[i].features = {{static_cast<int>(i), 1e-30f}};
    const Model model = trained({LearnerKind::sgd, "intercept=false"}, " search=true", rows);
    EXPECT_EQ(model.lambda, model.search.front().strength);
}

TEST(Search, leaves_those_out_that_diverge) {
    Rows rows = some_rows(8, 600, true);
    for (dense::Row& row : rows)
        for (auto& [position, value] : row.features) value *= 3;
    // Steps of 1/(lambda (t + k)): a small lambda makes them too long, whatever the rows call for.
    const Call call = {LearnerKind::sgd, "loss=squared step_offset=100 epochs=2 implicit_above=inf"};
    const Model model = trained(call, " search=true", rows);
    size_t diverged = 0;
    for (const Tried& tried : model.search) diverged += std::isnan(tried.loss);
    EXPECT_GT(diverged, 0u);
    EXPECT_LT(diverged, model.search.size());
    EXPECT_EQ(parts::bytes_of(parts::through_text(model)), parts::bytes_of(model));
    EXPECT_EQ(parts::bytes_of(parts::through_bytes(model)), parts::bytes_of(model));

    const Call hopeless = {LearnerKind::elasticnet, "loss=squared eta0=1e6 power=0 method=fobos"};
    EXPECT_THROW(trained(hopeless, " search=true", rows), Error);
}

// What a given gamma0 does not go with is out as well, and unasked.
TEST(Search, leaves_out_what_does_not_go_with_a_given_gamma0) {
    const Rows rows = some_rows(8, 600, false);
    const Model model = trained({LearnerKind::onepass, "epochs=2 gamma0=20"}, " search=true", rows);
    EXPECT_TRUE(std::isnan(model.search.front().loss));
    EXPECT_FALSE(std::isnan(model.search.back().loss));
    EXPECT_LT(model.lambda * 20, 1);
}

TEST(Search, needs_rows_to_judge_by) {
    for (const Call& call : {casgd, Call{LearnerKind::onepass, "epochs=2"}, Call{LearnerKind::elasticnet, ""},
                             Call{LearnerKind::truncated, ""}}) {
        Part part(call.learner, call.options + " search=true");
        const Rows rows = some_rows(4, 150, false);
        const Model few = part.take(rows).finish(), plain = trained(call, "", rows);
        EXPECT_TRUE(is_automatic(part.training().search()->chosen()));
        EXPECT_TRUE(few.search.empty());
        EXPECT_EQ(few.lambda, plain.lambda) << name_of(call.learner);
        EXPECT_EQ(few.weight, plain.weight) << name_of(call.learner);
        EXPECT_EQ(parse_options(few.options, parts::heap()).*strength_of(call.learner).asked,
                  parse_options(plain.options, parts::heap()).*strength_of(call.learner).asked);
    }
    // One class alone on one of the sides.
    Rows rows = some_rows(4, 700, false);
    for (dense::Row& row : rows) row.label = is_held_out_row(row) ? 1 : row.label;
    Part part(casgd.learner, casgd.options + " search=true");
    part.take(rows).finish();
    EXPECT_TRUE(is_automatic(part.training().search()->chosen()));
}

// The rows lie in a file: whole blocks are shuffled, so bits differ from those in memory, but for rows in order.
TEST(Search, reads_its_rows_from_a_file) {
    const Rows rows = some_rows(6, 3000, false);
    for (const char* sampling : {"shuffle", "replacement", "sequential"}) {
        const std::string options = "epochs=3 search=true sampling=" + std::string(sampling);
        Part spilled(LearnerKind::casgd, options, LabelKind::number, 8192);
        const Model model = spilled.take(rows).finish(), in_memory = trained({LearnerKind::casgd, options}, "", rows);
        EXPECT_GT(spilled.blocks_written(), 2u);
        ASSERT_GE(model.search.size(), 9u);
        if (std::string_view(sampling) != "shuffle") {
            EXPECT_EQ(parts::bytes_of(model), parts::bytes_of(in_memory)) << sampling;
            continue;
        }
        for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(model.search[i].loss, in_memory.search[i].loss, 0.02);
    }
}

// Rows that travel take with them on which side they are; and what parts have chosen for theirs counts by rows.
TEST(Search, is_one_over_the_rows_of_all_parts) {
    const Rows rows = some_rows(6, 900, false);
    const std::string options = casgd.options + " search=true";
    Part whole(LearnerKind::casgd, options), first(LearnerKind::casgd, options), second(LearnerKind::casgd, options);
    first.take(rows, 0, 400).combine(second.take(rows, 400));
    EXPECT_EQ(parts::bytes_of(first.finish()), parts::bytes_of(whole.take(rows).finish()));

    for (const LearnerKind learner : {LearnerKind::casgd, LearnerKind::elasticnet}) {
        Part ours(learner, options), theirs(learner, options), alone(learner, options);
        const Model its = alone.take(rows, 400).finish();
        theirs.take(rows, 400).learn_alone();
        const Model both = ours.take(rows, 0, 400).combine(theirs).finish();
        const Model own = trained({learner, options}, "", Rows(rows.begin(), rows.begin() + 400));
        EXPECT_TRUE(both.search.empty());
        const auto z = [&](const Model& model) {
            const double strength = strength_of(model, parts::heap(), StopSign());
            return strength_of(learner).is_by_rows ? strength * static_cast<double>(model.rows) : strength;
        };
        const auto own_rows = static_cast<double>(own.rows), its_rows = static_cast<double>(its.rows);
        EXPECT_NEAR((own_rows + its_rows) / z(both), own_rows / z(own) + its_rows / z(its), 1e-9 * its_rows / z(its));
    }
}

// What goes on goes on with what was chosen; models that were searched merge.
TEST(Search, is_not_repeated_by_what_goes_on) {
    const Rows rows = some_rows(6, 900, false);
    for (const Call& call : {casgd, Call{LearnerKind::onepass, "epochs=2"}, Call{LearnerKind::elasticnet, "epochs=2"},
                             Call{LearnerKind::truncated, "epochs=2"}}) {
        SCOPED_TRACE(name_of(call.learner));
        const char* const option = strength_of(call.learner).option;
        const Model model = trained(call, " search=true", Rows(rows.begin(), rows.begin() + 500));
        const double chosen = strength_of(model, parts::heap(), StopSign());
        const Model given =
            trained(call, " " + std::string(option) + "=" + text(chosen), Rows(rows.begin(), rows.begin() + 500));
        Part next(parts::through_bytes(model)), next_given(parts::through_text(given));
        const Model on = next.take(rows, 500).finish(), on_given = next_given.take(rows, 500).finish();
        EXPECT_EQ(on.weight, on_given.weight);
        EXPECT_EQ(on.bias, on_given.bias);
        EXPECT_EQ(strength_of(on, parts::heap(), StopSign()), chosen);
        EXPECT_TRUE(on.search.empty());

        const Model other = trained(call, " search=true", Rows(rows.begin() + 500, rows.end()));
        ModelMerge merge(parts::heap());
        merge.add(model, StopSign());
        merge.add(other, StopSign());
        Model both(parts::heap());
        merge.write(both, parts::heap(), StopSign());
        EXPECT_LT(parts::difference_from_mean(both, {&model, &other}), 1e-12);
        if (strength_of(call.learner).is_by_rows) {
            EXPECT_NEAR(1 / both.lambda, 1 / model.lambda + 1 / other.lambda, 1e-9 / both.lambda);
        }
    }
}

// Several classes: the same strength for all of them, judged by the mean of their losses, or by their joint one.
// Of rows of a training alone, without saying what a search judges by: their features say it.
Model finished(Training& training, const Rows& rows) {
    feed(training, rows);
    while (!training.work(SIZE_MAX, StopSign())) {
    }
    Model model(parts::heap());
    training.write_model(model, parts::heap(), StopSign());
    return model;
}

TEST(Search, of_other_rows_can_be_taken_over) {
    const Rows some = some_rows(21, 600, false), all = some_rows(22, 900, false);
    for (const auto& [learner, option] : {std::pair(LearnerKind::casgd, "lambda"), {LearnerKind::elasticnet, "l1"}}) {
        Training first(learner, "search=true settle=false", false, parts::heap(), StopSign());
        const Model searched = finished(first, some);
        const double chosen = first.search()->chosen();
        Training second(learner, "search=true settle=false", false, parts::heap(), StopSign());
        second.take_over(chosen, first.search()->tried(parts::heap()));
        const Model model = finished(second, all);
        const double its = learner == LearnerKind::casgd ? chosen / static_cast<double>(model.rows) : chosen;
        const Model by_hand = trained({learner, "settle=false"}, " " + std::string(option) + "=" + text(its), all);
        EXPECT_EQ(model.weight, by_hand.weight) << option;
        EXPECT_EQ(model.bias, by_hand.bias) << option;
        ASSERT_EQ(model.search.size(), searched.search.size());
        for (size_t i = 0; i < model.search.size(); ++i) EXPECT_EQ(model.search[i].loss, searched.search[i].loss);
        EXPECT_EQ(strength_of(model, parts::heap(), StopSign()), its);
    }
    // Without a search there is nothing for it to take the place of.
    Training given(LearnerKind::casgd, "lambda=1e-2 settle=false", false, parts::heap(), StopSign());
    given.take_over(0.1, {});
    const Model model = finished(given, all);
    EXPECT_EQ(model.weight, trained({LearnerKind::casgd, "settle=false"}, " lambda=1e-2", all).weight);
    EXPECT_TRUE(model.search.empty());
}

TEST(Search, judges_by_the_rows_that_it_is_told_to) {
    const Rows rows = some_rows(23, 600, false);
    Sides sides({});
    Training training(LearnerKind::casgd, "search=true settle=false", false, parts::heap(), StopSign());
    for (size_t i = 0; i < rows.size(); ++i) {
        const dense::Row& row = rows[i];
        if (row.weight != 0) (i % 3 == 0 ? sides.held_out : sides.learned).push_back(row);
        std::vector<int32_t> index;
        std::vector<float> value;
        for (const auto& [j, number] : row.features) index.push_back(j), value.push_back(static_cast<float>(number));
        const SparseRow x{index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        while (training.accept(x, row.label, row.weight, StopSign(), i % 3 == 0) == Training::Answer::no_room)
            training.store().add_block(training.store().next_block_size(x));
    }
    training.end_rows();
    while (!training.work(SIZE_MAX, StopSign())) {
    }
    const Call call{LearnerKind::casgd, "settle=false"};
    for (const Tried& tried : training.search()->tried(parts::heap())) {
        const double lambda = tried.strength / static_cast<double>(sides.learned.size());
        const double expected = loss_by_hand(call, "lambda", lambda, sides, Loss::logistic);
        EXPECT_NEAR(tried.loss, expected, 1e-12 * expected) << tried.strength;
    }
}

TEST(Search, is_one_for_all_classes) {
    const named::Rows rows = named::rows(2, 900, 4);
    const named::Names names = named::names(4);
    const named::Writing writing = {names};
    Sides sides(rows);
    for (const char* options :
         {"loss=logistic epochs=2 ", "loss=multinomial epochs=2 ", "loss=hinge epochs=2 ",
          "loss=multinomial epochs=2 class_weight=balanced ", "loss=logistic epochs=2 class_weight=balanced "}) {
        SCOPED_TRACE(options);
        const auto train = [&](const std::string& more, const Rows& its) {
            Part part(LearnerKind::casgd, options + more, LabelKind::text);
            return writing.take(part, its).finish();
        };
        const Model model = train("search=true", rows);
        ASSERT_GE(model.search.size(), 9u);
        const auto loss = static_cast<Loss>(parse_options(options, parts::heap()).loss);
        const bool balanced = std::string_view(options).find("balanced") != std::string_view::npos;
        std::map<double, double> count;
        for (const dense::Row& row : sides.learned) ++count[row.label];
        for (const Tried& tried : model.search) {
            const auto learned = static_cast<double>(sides.learned.size());
            const double z = tried.strength * static_cast<double>(model.rows);
            const double lambda = *std::ranges::min_element(strength_of(LearnerKind::casgd).grid, {}, [z](double x) {
                return std::fabs(x - z);
            }) / learned;
            const Model alone = train("lambda=" + text(lambda), sides.learned);
            double sum = 0, omega = 0;
            for (const dense::Row& row : sides.held_out) {
                const double weight = row.weight * (balanced ? learned / (4 * count[row.label]) : 1);
                sum += weight * loss_of_row(alone, row, names, loss);
                omega += weight;
            }
            EXPECT_NEAR(tried.loss, sum / omega, 1e-9 * sum / omega);
        }
    }
}

// Interrupts come wherever memory is asked for.
TEST(Search, can_be_interrupted_anywhere) {
    const Rows rows = some_rows(3, 500, false);
    for (const char* more : {"settle=true", "loss=hinge scale=std settle=false"}) {
        const std::string options = "epochs=2 search=true " + std::string(more);
        const auto expected = parts::bytes_of(trained({LearnerKind::casgd, options}, "", rows));
        bool stopped = true;
        for (int allocations = 0; stopped; ++allocations) {
            StoppingMemory memory;
            Training training(Training::Kind{LearnerKind::casgd, options, LabelKind::number}, &memory, StopSign());
            feed(training, rows);
            memory.stop_after(allocations);
            while (!memory.until_done([&] { return training.work(SIZE_MAX, memory.stop()); })) continue;
            stopped = memory.has_stopped();
            Model model(parts::heap());
            training.write_model(model, parts::heap(), StopSign());
            ASSERT_TRUE(parts::bytes_of(model) == expected) << allocations;
        }
    }
}

}  // namespace
