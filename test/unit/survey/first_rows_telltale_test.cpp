// Features that tell labels against their definition, in which trainings they are looked for, and what that costs.
#include "survey/first_rows.h"

#include "engine/training.h"
#include "support/counting_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace {

using namespace sparselin;

using Row = std::map<int32_t, float>;

struct Rows {
    std::vector<Row> x;
    std::vector<double> y;
    void add(Row row, double label) {
        x.push_back(std::move(row));
        y.push_back(label);
    }
};

Telltale found(const Rows& rows) {
    FirstRows first({.scale = rows.x.size() % 2 == 0, .telltale = true}, std::pmr::new_delete_resource());
    for (size_t i = 0; i < rows.x.size(); ++i) {
        SparseVector x(std::pmr::new_delete_resource());
        for (const auto& [index, value] : rows.x[i]) x.push_back(index, value);
        first.add(x.row(), rows.y[i], StopSign());
    }
    return first.telltale();
}

float value_of(const Row& row, int32_t index) {
    return row.contains(index) ? row.at(index) : 0;
}

// The errors of the best answer to each value's sign; and whether some threshold makes none.
uint32_t errors(const Rows& rows, size_t count, int32_t index) {
    std::map<int, std::map<double, uint32_t>> by_sign;
    for (size_t i = 0; i < count; ++i) {
        const float value = value_of(rows.x[i], index);
        ++by_sign[value > 0 ? 1 : value < 0 ? -1 : 0][rows.y[i]];
    }
    uint32_t errors = 0;
    for (const auto& [sign, labels] : by_sign) {
        uint32_t all = 0, most = 0;
        for (const auto& [label, its] : labels) all += its, most = std::max(most, its);
        errors += all - most;
    }
    std::map<float, std::set<double>> by_value;
    for (size_t i = 0; i < count; ++i) by_value[value_of(rows.x[i], index)].insert(rows.y[i]);
    // In the order of values labels change once, and no value has two.
    uint32_t changes = 0;
    const std::set<double>* before = nullptr;
    for (const auto& [value, labels] : by_value) {
        if (labels.size() > 1) return errors;
        changes += before != nullptr && *before != labels ? 1 : 0;
        before = &labels;
    }
    if (changes == 1) errors = 0;
    return errors;
}

Telltale by_definition(const Rows& rows) {
    const size_t count = std::min<size_t>(rows.x.size(), 1000);
    std::map<double, uint32_t> labels;
    for (size_t i = 0; i < count; ++i) ++labels[rows.y[i]];
    Telltale best;
    if (labels.size() != 2 || count < 100) return best;
    const uint32_t rarer = std::min(labels.begin()->second, labels.rbegin()->second);
    std::set<int32_t> features;
    for (size_t i = 0; i < count; ++i)
        for (const auto& [index, value] : rows.x[i]) features.insert(index);
    for (const int32_t index : features) {
        const uint32_t wrong = errors(rows, count, index);
        const double right = 1 - wrong / static_cast<double>(count);
        if (right <= 0.995 || wrong > 0.1 * rarer || rarer < 10) continue;
        if (best.feature < 0 || wrong < best.errors) best = {index, static_cast<uint32_t>(count), wrong};
    }
    return best;
}

void expect_same(const Rows& rows) {
    const Telltale is = found(rows), should = by_definition(rows);
    EXPECT_EQ(is.feature, should.feature);
    EXPECT_EQ(is.errors, should.errors);
    EXPECT_EQ(is.rows, should.rows);
}

// Of rows of a label that feature 7 tells but for some errors.
Rows leaking(size_t count, int share, int errors, std::mt19937& random) {
    Rows rows;
    for (size_t i = 0; i < count; ++i) {
        const bool positive = static_cast<int>(i % 100) < share;
        Row row{{3, static_cast<float>(random() % 100)}};
        for (int k = 0; k < 3; ++k) row[static_cast<int32_t>(random() % 50 * 1000 + 100)] = 1;
        if (positive != (errors > 0 && random() % 300 == 0 && errors-- > 0)) row[7] = 2;
        rows.add(row, positive ? 1 : -1);
    }
    return rows;
}

TEST(Telltale, IsFoundByItsDefinition) {
    std::mt19937 random(5);
    int told = 0;
    for (const size_t count : {99, 100, 300, 1000, 1100})
        for (const int share : {2, 20, 97})
            for (const int errors : {0, 1, 4, 5}) {
                SCOPED_TRACE(testing::Message() << count << " rows, " << share << " %, " << errors << " errors");
                const Rows rows = leaking(count, share, errors, random);
                expect_same(rows);
                told += found(rows).feature == 7 ? 1 : 0;
            }
    EXPECT_GT(told, 10);
    EXPECT_LT(told, 50);
}

TEST(Telltale, TellsBySignAndByThreshold) {
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
        SCOPED_TRACE(kind);
        Rows rows;
        for (int i = 0; i < 200; ++i) {
            const bool y = i % 3 == 0;
            const float noise = static_cast<float>(i % 7);
            switch (kind) {
                case 0: rows.add({{0, 1}, {9, y ? 1.0f : -1.0f}}, y ? 1 : 0); break;         // -1 and 1
                case 1: rows.add({{9, y ? 1.0f : 2.0f}}, y ? 1 : 0); break;                  // 1 and 2
                case 2: rows.add({{9, y ? 40 + noise : 40 - noise - 1}}, y ? 1 : 0); break;  // above and below 40
                case 3: rows.add(y ? Row{{9, -3 - noise}} : Row{}, y ? 1 : 0); break;        // there and not there
                case 4: rows.add({{9, y ? 40 + noise : 42 - noise}}, y ? 1 : 0); break;      // they overlap
                default: rows.add({{9, y ? 1 + noise : noise}}, y ? 1 : 0); break;
            }
        }
        expect_same(rows);
        EXPECT_EQ(found(rows).feature, kind < 4 ? 9 : -1);
    }
}

TEST(Telltale, NeedsTwoLabelsAndRowsOfBoth) {
    Rows rows;
    for (int i = 0; i < 300; ++i) rows.add({{9, static_cast<float>(i % 2 + 1)}}, i % 2);
    EXPECT_EQ(found(rows).feature, 9);
    rows.add({{9, 3}}, 2);
    EXPECT_EQ(found(rows).feature, -1);
    Rows alike;
    for (int i = 0; i < 300; ++i) alike.add({{9, 1}}, 1);
    EXPECT_EQ(found(alike).feature, -1);
    for (int i = 0; i < 9; ++i) alike.add({{9, -1}}, 0);
    EXPECT_EQ(found(alike).feature, -1);
    alike.add({{9, -1}}, 0);
    EXPECT_EQ(found(alike).feature, 9);
}

TEST(Telltale, MemoryIsBoundedAndGoes) {
    CountingMemory memory;
    FirstRows first({.scale = false, .telltale = true}, &memory);
    SparseVector x(std::pmr::new_delete_resource());
    for (int32_t i = 0; i < 100000; ++i) x.push_back(i * 20000, 1);
    for (int row = 0; row < 999; ++row) first.add(x.row(), row % 2, StopSign());
    EXPECT_LE(memory.peak(), 512u * 1024);
    first.add(x.row(), 1, StopSign());
    EXPECT_EQ(memory.held(), 0u);
}

// Which feature a call of so many rows is told of, where the second one is the label.
int32_t told(LearnerKind learner, const char* options, int rows, bool leaks = true) {
    const auto memory = std::pmr::new_delete_resource();
    Training training(learner, options, false, memory, StopSign());
    const int32_t index[] = {4, 8};
    for (int i = 0; i < rows; ++i) {
        const float value[] = {static_cast<float>(1 + i % 3), (leaks ? i % 2 != 0 : i % 5 != 0) ? 1.0f : -1.0f};
        const SparseRow x = {index, value, 2, 0};
        const double label = i % 2 != 0 ? 1 : -1;
        auto answer = training.accept(x, label, 1, StopSign());
        if (answer == Training::Answer::no_room) {
            training.store().add_block(training.store().next_block_size(x));
            answer = training.accept(x, label, 1, StopSign());
        }
        if (answer == Training::Answer::must_work) training.work(0, StopSign());
    }
    training.end_rows();
    training.work(0, StopSign());
    return training.telltale().feature;
}

TEST(Telltale, IsLookedForWhereverRowsAreLearnedFrom) {
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const char* const streams =
            learner == LearnerKind::elasticnet || learner == LearnerKind::truncated || learner == LearnerKind::onepass
                ? "epochs=1 sampling=sequential"
            : learner == LearnerKind::casgd ? "epochs=2 sampling=sequential"
                                            : "epochs=1 sampling=sequential lambda=1e-3";
        for (const char* const options : {"", "scale=std", streams}) {
            SCOPED_TRACE(options);
            EXPECT_EQ(told(learner, options, 400), 8);
            EXPECT_EQ(told(learner, options, 3000), 8);
            EXPECT_EQ(told(learner, options, 400, false), -1);
            EXPECT_EQ(told(learner, options, 50), -1);
        }
        EXPECT_EQ(told(learner, "loss=squared", 400), -1);
    }
}

}  // namespace
