// The lower median in bounded memory against sorting, and the automatic offset against its definition.
#include "support/counting_memory.h"
#include "learners/dense_dekel.h"
#include "support/generated_rows.h"
#include "survey/survey.h"

#include <gtest/gtest.h>

namespace {

using sparselin::LowerMedian;
using sparselin::Survey;

struct Found {
    double median;
    int passes;
    size_t peak;
};

Found median_of(const std::vector<double>& numbers, size_t room) {
    CountingMemory memory;
    LowerMedian median(&memory, LowerMedian::Signs::none, room);
    int passes = 0;
    do {
        for (const double number : numbers) median.add(number);
        ++passes;
    } while (!median.end_pass() && passes < 100);
    return {median.value(), passes, memory.peak()};
}

void expect_median(std::vector<double> numbers) {
    std::vector<double> sorted = numbers;
    std::ranges::sort(sorted);
    for (const size_t room : {size_t{2}, size_t{7}, size_t{100}, size_t{100000}}) {
        const Found found = median_of(numbers, room);
        EXPECT_EQ(found.median, sorted[(sorted.size() - 1) / 2]) << numbers.size() << " numbers, room " << room;
        EXPECT_LE(found.passes, 7) << numbers.size() << " numbers, room " << room;
    }
}

TEST(LowerMedian, EqualsSorting) {
    generated::Random random(1);
    for (const size_t count : {1, 2, 3, 4, 5, 10, 101, 1000, 5001}) {
        std::vector<double> even, powers, few, same(count, 3.25), zeros(count, 0.0);
        for (size_t i = 0; i < count; ++i) {
            even.push_back(random.uniform());
            powers.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(2000)) - 1000));
            few.push_back(static_cast<double>(random.below(3)));
        }
        std::vector<double> rising = powers, falling = powers;
        std::ranges::sort(rising);
        std::ranges::sort(falling, std::greater());
        for (const auto& numbers : {even, powers, few, same, zeros, rising, falling}) expect_median(numbers);
    }
}

TEST(LowerMedian, ExtremeNumbers) {
    constexpr double largest = std::numeric_limits<double>::max();
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    expect_median({0, smallest, largest});
    expect_median({0, -0.0, 0, smallest});
    expect_median({largest, largest, smallest, smallest});
    expect_median({1, std::nextafter(1, 2), std::nextafter(1, 0), 1, std::nextafter(1, 2)});
}

std::vector<double> many_numbers() {
    generated::Random random(2);
    std::vector<double> numbers;
    for (int i = 0; i < 200000; ++i) numbers.push_back(random.uniform());
    return numbers;
}

TEST(LowerMedian, MemoryIsBounded) {
    const std::vector<double> numbers = many_numbers();
    EXPECT_LE(median_of(numbers, 1000).peak, size_t{256} << 10);
    EXPECT_LE(median_of(numbers, LowerMedian::usual_room).peak, 3 * numbers.size());
}

// Those that come in no order; or that rise as slowly as lengths of rows do.
TEST(LowerMedian, OnePassIsEnoughForMost) {
    std::vector<double> numbers = many_numbers();
    expect_median(numbers);
    EXPECT_EQ(median_of(numbers, LowerMedian::usual_room).passes, 1);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += 0.02 * static_cast<double>(i) / 200000;
    expect_median(numbers);
    EXPECT_EQ(median_of(numbers, LowerMedian::usual_room).passes, 1);
    for (double& number : numbers) number = number < 0.6 ? std::round(number * 4) : 1;
    expect_median(numbers);
    EXPECT_EQ(median_of(numbers, LowerMedian::usual_room).passes, 1);
}

void expect_offset_as_defined(const std::vector<dense::Row>& rows, dense::Loss loss, size_t room, bool all_explicit) {
    const dense::Dense origin(11, 0);
    sparselin::Settings settings{};
    settings.learner = sparselin::LearnerKind::asgd;
    settings.loss = static_cast<sparselin::Loss>(loss);
    settings.implicit_above = all_explicit ? std::numeric_limits<double>::infinity() : 8;
    settings.per_unit = static_cast<double>(dense::curvature_in_unit(loss, dense::unit_of(rows, rows.size())));
    Survey survey(settings, std::pmr::new_delete_resource(), room);
    do {
        for (const dense::Row& row : rows) {
            const dense::Dense x = dense::dense_row(row, 11);
            survey.add(static_cast<double>(dense::dot(x, x)), row.weight);
        }
    } while (!survey.end_pass());
    const auto expected = static_cast<double>(dense::automatic_k(rows, origin, loss, 1, rows.size(), all_explicit));
    EXPECT_NEAR(survey.step(settings), expected, 1e-13 * expected);
}

TEST(Survey, OffsetIsAsDefined) {
    for (const uint64_t seed : {1, 2, 3})
        for (const size_t room : {size_t{2}, size_t{1000}})
            for (const dense::Loss loss :
                 {dense::Loss::logistic, dense::Loss::hinge, dense::Loss::squared_hinge, dense::Loss::squared,
                  dense::Loss::absolute, dense::Loss::huber, dense::Loss::quantile}) {
                generated::Recipe recipe;
                recipe.seed = seed;
                recipe.weighted = true;
                recipe.empty_rows = true;
                const std::vector<dense::Row> rows = dense::learned(generated::rows(recipe));
                for (const bool all_explicit : {false, true}) expect_offset_as_defined(rows, loss, room, all_explicit);
            }
}

// The median of numbers of either sign, as sorting has it, and how far they lie from it.
TEST(LabelUnit, IsAsDefined) {
    generated::Random random(4);
    const auto unit_of = [](const std::vector<double>& labels, size_t room) {
        sparselin::LabelUnit unit(std::pmr::new_delete_resource(), room);
        do {
            for (const double y : labels) unit.add(y);
        } while (!unit.end_pass());
        return unit.value();
    };
    for (const size_t room : {size_t{2}, size_t{7}, size_t{100000}}) {
        for (const size_t count : {1, 2, 3, 100, 5001})
            for (const double offset : {-1e6, -0.5, 0.0, 7.0}) {
                std::vector<dense::Row> rows(count);
                std::vector<double> labels;
                for (dense::Row& row : rows) labels.push_back(row.label = offset + random.sign() * random.uniform());
                const auto expected = static_cast<double>(dense::unit_of(rows, count));
                EXPECT_NEAR(unit_of(labels, room), expected, 1e-12 * expected) << count << " " << offset << " " << room;
            }
        EXPECT_EQ(unit_of({0, 0, 0}, room), 1);
        EXPECT_EQ(unit_of({-3, -3}, room), 3);
        EXPECT_EQ(unit_of({-3, -0.0, 0, 3}, room), 1.5);
        EXPECT_GT(1 / unit_of({1.7e308, -1.7e308, 1.7e308}, room), 0);
        EXPECT_TRUE(std::isfinite(1 / unit_of({5e-324, 0, 0}, room)));
    }
}

double offset_of(const std::vector<double>& weights, sparselin::Loss loss = sparselin::Loss::hinge) {
    sparselin::Settings settings{};
    settings.learner = sparselin::LearnerKind::asgd;
    settings.loss = loss;
    Survey survey(settings, std::pmr::new_delete_resource());
    for (const double omega : weights) survey.add(3, omega);
    EXPECT_TRUE(survey.end_pass());
    return survey.step(settings);
}

// (1 + 3) sum omega^2 / sum omega, wherever the squares would be.
TEST(Survey, WeightsMayBeOfAnySize) {
    for (const double size : {1e-320, 1e-300, 1e-160, 1e-154, 1.0, 1e153, 1e154, 1e200, 1e306}) {
        SCOPED_TRACE(size);
        EXPECT_NEAR(offset_of({size}) / size, 4, 1e-3 * (size < 1e-300) + 1e-14);
        EXPECT_NEAR(offset_of(std::vector<double>(1000, size)) / size, 4, 1e-3 * (size < 1e-300) + 1e-12);
        for (const auto& weights : {std::vector{1.0, 2.0, 4.0}, std::vector{4.0, 1.0, 2.0}}) {
            std::vector<double> scaled = weights;
            for (double& omega : scaled) omega *= size;
            EXPECT_NEAR(offset_of(scaled) / size, 12, 1e-2 * (size < 1e-300) + 1e-13);
        }
    }
    // The large one alone counts.
    EXPECT_NEAR(offset_of({1, 1e-200, 1e300, 5}) / 1e300, 4, 1e-14);
    EXPECT_NEAR(offset_of({1e-320, 1e300}) / 1e300, 4, 1e-14);
    EXPECT_NEAR(offset_of({1e300, 1e-320}) / 1e300, 4, 1e-14);
}

// The same to the bit as the plain sums, where these are numbers.
TEST(Survey, TheMeanOfWeightsIsThatOfPlainSums) {
    generated::Random random(3);
    for (int round = 0; round < 100; ++round) {
        std::vector<double> weights;
        double sum = 0, squares = 0;
        for (int i = 0; i < 50; ++i) {
            weights.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(40)) - 20));
            sum += weights.back();
            squares += weights.back() * weights.back();
        }
        EXPECT_EQ(offset_of(weights), 4 * (squares / sum));
    }
}

// With K = infinity all weights of the model would be 0.
TEST(Survey, AnOffsetThatIsNoNumberIsAnError) {
    for (const sparselin::Loss loss : {sparselin::Loss::hinge, sparselin::Loss::squared}) {
        try {
            offset_of({1, 1.5e308}, loss);
            ADD_FAILURE() << "no error";
        } catch (const sparselin::Error& error) {
            EXPECT_STREQ(error.message(), "the weights of the rows are too large for an automatic step size");
        }
    }
}

// Not 0 and not infinite, or the model could not say it in its options.
TEST(Survey, FirstStepIsAGamma0) {
    for (const auto& [squared_length, omega] : {std::pair{9e76, 1e250}, std::pair{0.0, 1e-310}}) {
        sparselin::Settings settings{};
        settings.learner = sparselin::LearnerKind::onepass;
        Survey survey(settings, std::pmr::new_delete_resource());
        survey.add(squared_length, omega);
        EXPECT_TRUE(survey.end_pass());
        EXPECT_GT(survey.step(settings), 0) << omega;
        EXPECT_TRUE(std::isfinite(survey.step(settings))) << omega;
    }
}

}  // namespace
