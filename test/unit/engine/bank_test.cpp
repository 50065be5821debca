// A bank of many runs against as many banks of one: each run is, to the bit, what it would be alone.
#include "base/codec.h"
#include "support/stopping_memory.h"
#include "engine/bank.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

struct Row {
    std::vector<int32_t> index;
    std::vector<float> value;
    double y, omega;
    Example example() const { return {{index.data(), value.data(), static_cast<int32_t>(index.size()), 0}, y, omega}; }
};

// Labels 0 to 4, or about them; features in an array, in a hash table, and none at all.
std::vector<Row> rows_of(uint64_t seed, size_t count, bool whole_labels) {
    std::mt19937_64 random(seed);
    std::vector<Row> rows(count);
    for (Row& row : rows) {
        for (const int32_t most : {20, 2000, 2000000000}) {
            auto index = static_cast<int64_t>(random() % 5);
            for (; index < most && random() % 5 != 0; index += 1 + static_cast<int64_t>(random() % (most / 4))) {
                if (!row.index.empty() && index <= row.index.back()) continue;
                row.index.push_back(static_cast<int32_t>(index));
                row.value.push_back(static_cast<float>(static_cast<int>(random() % 200) - 100) / 64);
            }
        }
        row.y = static_cast<double>(random() % 5) + (whole_labels ? 0 : 0.25);
        row.omega = random() % 3 == 0 ? 0.5 : 1;
    }
    return rows;
}

struct Case {
    LearnerKind learner;
    Loss loss;
    std::string options;
    bool scaled;
};

std::string text(const Case& c, size_t run) {
    std::string options = "loss=" + std::string(name_of(c.loss)) + " " + c.options;
    // Runs differ in the strength of regularisation, where that has one.
    if (c.learner != LearnerKind::truncated)
        options += " lambda=" + std::to_string(0.001 * static_cast<double>(1 + run));
    return options;
}

Settings settings_of(const Case& c, size_t run) {
    Settings settings = settings_for(parse_options(text(c, run), heap), c.learner);
    return settings;
}

void fill(Frame& frame, const Case& c) {
    if (c.learner == LearnerKind::casgd)
        for (const int32_t j : {0, 3, 1500, 1999999})
            frame.make_centre().index.push_back(j), frame.make_centre().mu.push_back(0.125);
    if (c.scaled)
        for (const int32_t j : {1, 2, 3, 800, 1000000}) frame.scale.set(j, 0.5 + j % 3, go);
}

using Banks = std::vector<std::unique_ptr<Bank>>;

struct Together {
    Together(const Case& c, size_t count) {
        std::vector<Settings> settings;
        std::vector<double> positive;
        for (size_t run = 0; run < count; ++run) {
            settings.push_back(settings_of(c, run));
            positive.push_back(is_classification(c.loss) ? static_cast<double>(run % 5) : automatic);
            const Settings its[] = {settings.back()};
            const double label[] = {positive.back()};
            alone.push_back(std::make_unique<Bank>(its, label, heap));
            fill(alone.back()->frame(), c);
            alone.back()->begin(go);
        }
        bank = std::make_unique<Bank>(settings, positive, heap);
        fill(bank->frame(), c);
        bank->begin(go);
    }

    void survey(const std::vector<Row>& rows) {
        if (!Survey::is_wanted(bank->run(0).settings)) return;
        const auto all = [&rows](Bank& its) {
            its.begin_survey();
            do {
                for (const Row& row : rows) its.survey(row.example(), go);
            } while (!its.end_survey_pass());
        };
        all(*bank);
        for (const auto& its : alone) all(*its);
    }

    void learn(const std::vector<Row>& rows) {
        for (const Row& row : rows) {
            EXPECT_TRUE(bank->learn(row.example(), go));
            for (const auto& its : alone) EXPECT_TRUE(its->learn(row.example(), go));
        }
        EXPECT_TRUE(bank->judge_trend());
        for (const Row& row : rows) expect_same_products(row);
        expect_same_products(rows_of(1 + rows.size(), 1, true).front());  // of features that none has seen, too
    }

    void expect_same_products(const Row& row) {
        std::vector<double> found(alone.size());
        bank->products(row.example().x, found.data(), go);
        for (size_t run = 0; run < alone.size(); ++run) {
            double expected;
            alone[run]->products(row.example().x, &expected, go);
            EXPECT_EQ(std::bit_cast<uint64_t>(found[run]), std::bit_cast<uint64_t>(expected)) << run;
        }
    }

    void expect_same() const {
        for (size_t run = 0; run < alone.size(); ++run) {
            SCOPED_TRACE("run " + std::to_string(run) + " of " + std::to_string(alone.size()));
            Model found(heap), expected(heap);
            bank->write_model(found, go, run);
            alone[run]->write_model(expected, go);
            EXPECT_EQ(found.steps, expected.steps);
            EXPECT_EQ(found.bias, expected.bias);
            EXPECT_EQ(found.centred_bias, expected.centred_bias);
            EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
            EXPECT_EQ(found.index, expected.index);
            EXPECT_EQ(found.weight, expected.weight);
            EXPECT_GT(found.weight.size(), 0u);
            Options mine(heap), its(heap);
            bank->note_options(run, mine);
            alone[run]->note_options(0, its);
            EXPECT_EQ(print_options(mine, heap), print_options(its, heap));
        }
    }

    std::unique_ptr<Bank> bank;
    Banks alone;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const LearnerKind learner : every_learner) {
        const bool dekel = learner == LearnerKind::sgd || learner == LearnerKind::asgd || learner == LearnerKind::casgd;
        std::vector<std::string> options = {"epochs=1"};
        // Steps of rows that are too long for all runs, for none, and for those of a small lambda alone.
        if (dekel) options = {"", "step_offset=30000 intercept=false", "step_offset=3000 implicit_above=3"};
        if (dekel && learner != LearnerKind::sgd) options.push_back("average_power=0.5");
        if (learner == LearnerKind::onepass)
            options = {"average_start=20 gamma0=0.02", "gamma0=0.001 decay=0.6", "", "gamma0=0.5 implicit_above=1"};
        if (learner == LearnerKind::truncated)
            options = {"eta0=0.01 gravity=0.01 truncate_every=3", "eta0=0.01 method=round threshold=0.002",
                       "eta0=0.01 clip_min=-1 clip_max=1"};
        if (learner == LearnerKind::elasticnet)
            options = {"eta0=0.01 l1=0.001", "eta0=0.01 l1=0.001 method=fobos power=0"};
        for (const std::string& its : options)
            for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge, Loss::squared, Loss::absolute,
                                    Loss::huber, Loss::quantile})
                for (const bool scaled : {false, true}) all.push_back({learner, loss, its, scaled});
    }
    return all;
}

// As many as the processor takes at once, and what is left over.
TEST(Bank, EachRunIsWhatItWouldBeAlone) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(std::string(name_of(c.learner)) + " " + text(c, 0) + (c.scaled ? " scaled" : ""));
        for (const size_t count : {2u, 7u, 12u}) {
            const std::vector<Row> rows = rows_of(count, 60, is_classification(c.loss));
            Together runs(c, count);
            runs.survey(rows);
            runs.learn(rows);
            runs.expect_same();
            if (HasFailure()) return;
        }
    }
}

// So many that they go in groups, the last of which is shorter.
TEST(Bank, RunsThatAreSeveralGroupsAreWhatTheyWouldBeAlone) {
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd}) {
        for (const Loss loss : {Loss::logistic, Loss::absolute}) {
            const Case c{learner, loss, "step_offset=300", true};
            const std::vector<Row> rows = rows_of(9, 60, is_classification(loss));
            Together runs(c, 149);
            runs.survey(rows);
            runs.learn(rows);
            runs.expect_same();
            if (HasFailure()) return;
        }
    }
}

// However many rows come at once, and wherever that is interrupted.
TEST(Bank, LearnsFromABatchAsFromRowAfterRow) {
    int cut_short = 0;
    for (const LearnerKind learner :
         {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd, LearnerKind::elasticnet}) {
        for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared, Loss::absolute}) {
            const bool net = learner == LearnerKind::elasticnet;
            const Case c{learner, loss, net ? "eta0=0.01" : "step_offset=100", true};
            SCOPED_TRACE(std::string(name_of(learner)) + " " + name_of(loss));
            const std::vector<Row> rows = rows_of(5, 200, true);
            std::vector<Example> examples;
            for (const Row& row : rows) examples.push_back(row.example());
            StoppingMemory memory;
            Bank one_by_one(settings_of(c, 0), heap), bank(settings_of(c, 0), &memory);
            for (Bank* its : {&one_by_one, &bank}) {
                fill(its->frame(), c);
                its->begin(go);
            }
            for (const Example& example : examples) ASSERT_TRUE(one_by_one.learn(example, go));
            bool stops = false;
            for (size_t at = 0; at < examples.size();) {
                stops = !stops;
                memory.stop_after(stops ? static_cast<int>(at % 3) : -1);
                const size_t known = examples.size() - at, count = std::min(known, size_t{20});
                try {
                    const size_t taken = bank.learn(Batch(&examples[at], count, known), memory.stop());
                    ASSERT_GT(taken, 0u);
                    cut_short += taken < count;
                    at += taken;
                } catch (const Interrupted&) {
                }
                memory.go_on();
            }
            Model found(heap), expected(heap);
            bank.write_model(found, go);
            one_by_one.write_model(expected, go);
            EXPECT_EQ(found.weight, expected.weight);
            EXPECT_EQ(found.bias, expected.bias);
            EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
            EXPECT_TRUE(std::ranges::equal(found.history, expected.history, [](const auto& x, const auto& y) {
                return x.step == y.step && x.loss == y.loss;
            }));
        }
    }
    EXPECT_GT(cut_short, 4);
}

// Not even that the row is never learned from, is gone by then, or that the table does not know its features.
TEST(Bank, WhatItExpectsChangesNothing) {
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd}) {
        SCOPED_TRACE(name_of(learner));
        const Case c{learner, Loss::logistic, "", true};
        Together runs(c, 5), others(c, 5);
        Together* const both[] = {&runs, &others};
        // So many features that their cells are not expected to be in a cache.
        Row all{{}, {}, 1, 1};
        for (int32_t j = 0; j < 1 << 18; ++j) all.index.push_back(j), all.value.push_back(0.001f);
        for (Together* its : both) its->survey({all});
        for (Together* its : both) EXPECT_TRUE(its->bank->learn(all.example(), go));
        for (const Row& row : rows_of(10, 40, true)) {
            {
                const Row next = rows_of(row.index.size(), 1, true).front();
                const Example known[] = {row.example(), next.index.size() % 2 == 0 ? row.example() : next.example()};
                EXPECT_EQ(runs.bank->learn(Batch(known, 1, 2), go), 1u);
                EXPECT_TRUE(others.bank->learn(row.example(), go));
            }
            for (Together* its : both) EXPECT_TRUE(its->bank->learn(row.example(), go));
        }
        Model found(heap), expected(heap);
        found.set_runs(5), expected.set_runs(5);
        runs.bank->write_model(found, go);
        others.bank->write_model(expected, go);
        EXPECT_EQ(found.bias, expected.bias);
        EXPECT_EQ(found.weight, expected.weight);
    }
}

// Cells are gone through once for both. Some features weigh nothing in the first run, but in another one.
TEST(Bank, WeightsThatComeWithTheStateAreTheSame) {
    bool some_weigh_nothing = false;
    for (const LearnerKind learner : every_learner)
        for (const auto& [runs, of_model] : {std::pair<size_t, size_t>{1, 1}, {6, 6}, {6, 1}}) {
            SCOPED_TRACE(name_of(learner) + (" " + std::to_string(runs)));
            const char* const options = learner == LearnerKind::onepass     ? "gamma0=0.02"
                                        : learner == LearnerKind::truncated ? "method=round threshold=0.01"
                                                                            : "";
            Together its({learner, Loss::hinge, options, true}, runs);
            its.survey(rows_of(5, 80, true));
            its.learn(rows_of(5, 80, true));
            Model alone(heap), together(heap);
            for (Model* model : {&alone, &together}) model->set_runs(of_model);
            its.bank->write_model(alone, go);
            Vector<char> expected(heap), bytes(heap);
            Writer writer(expected), with_model(bytes);
            its.bank->save(writer, nullptr, go);
            its.bank->make_room_for_weights(together, go);
            EXPECT_GE(together.index.size(), alone.index.size());
            some_weigh_nothing |= together.index.size() > alone.index.size();
            its.bank->save(with_model, &together, go);
            EXPECT_EQ(bytes, expected);
            EXPECT_GT(alone.index.size(), 0u);
            EXPECT_EQ(together.index, alone.index);
            EXPECT_EQ(together.weight, alone.weight);
            EXPECT_EQ(together.bias, alone.bias);
            EXPECT_EQ(together.centred_bias, alone.centred_bias);
        }
    EXPECT_TRUE(some_weigh_nothing);
}

TEST(Bank, SavedAndLoadedItGoesOnAsItWas) {
    for (const LearnerKind learner : every_learner) {
        SCOPED_TRACE(name_of(learner));
        const Case c{learner, Loss::logistic, learner == LearnerKind::onepass ? "gamma0=0.02" : "", true};
        const std::vector<Row> rows = rows_of(3, 60, true), more = rows_of(4, 60, true);
        Together runs(c, 6), others(c, 6);
        runs.survey(rows);
        runs.learn(rows);
        Vector<char> bytes(heap);
        Writer writer(bytes, go);
        runs.bank->save(writer, nullptr, go);
        Reader reader(bytes, "bank");
        Together again(c, 6);
        std::vector<Settings> settings;
        std::vector<double> positive;
        for (size_t run = 0; run < 6; ++run) {
            settings.push_back(runs.bank->run(run).settings);
            positive.push_back(runs.bank->run(run).positive);
        }
        runs.bank = std::make_unique<Bank>(settings, positive, heap);
        runs.bank->load(reader, true, go);
        reader.finish();
        runs.learn(more);
        runs.expect_same();
    }
}

TEST(Bank, MergesRunByRun) {
    for (const LearnerKind learner : every_learner) {
        for (const bool scaled : {false, true}) {
            SCOPED_TRACE(std::string(name_of(learner)) + (scaled ? " scaled" : ""));
            Case c{learner, Loss::squared_hinge, learner == LearnerKind::onepass ? "gamma0=0.02" : "", scaled};
            if (learner == LearnerKind::truncated || learner == LearnerKind::elasticnet) c.options = "eta0=0.01";
            const std::vector<Row> rows = rows_of(5, 60, true), others = rows_of(6, 40, true);
            Together x(c, 5), y(c, 5), z(c, 5);
            x.survey(rows);
            x.learn(rows);
            y.survey(others);
            y.learn(others);
            const double lambda = 0.004;
            x.bank->merge(*y.bank, lambda, go);
            z.bank->merge(*y.bank, lambda, go);  // into one of no steps
            for (size_t run = 0; run < 5; ++run) {
                x.alone[run]->merge(*y.alone[run], lambda, go);
                z.alone[run]->merge(*y.alone[run], lambda, go);
            }
            x.expect_same();
            z.expect_same();
            x.learn(others);
            x.expect_same();
        }
    }
}

// Others go on, and do not notice.
TEST(Bank, ARunThatDivergesIsMarkedAndLeavesTheOthersAlone) {
    for (const LearnerKind learner : {LearnerKind::asgd, LearnerKind::casgd, LearnerKind::elasticnet}) {
        for (const size_t wild : {1u, 4u}) {  // one beside the others, wherever it is
            SCOPED_TRACE(std::string(name_of(learner)) + " " + std::to_string(wild));
            const bool net = learner == LearnerKind::elasticnet;
            const Case c{learner, Loss::squared, net ? "eta0=0.01" : "step_offset=100 implicit_above=inf", false};
            std::vector<Settings> settings;
            Banks alone;
            for (size_t run = 0; run < 6; ++run) {
                settings.push_back(settings_of(c, run));
                settings.back().lambda = run == wild ? (net ? 1e308 : 1e-300) : 1;
                if (run == wild && !net) settings.back().step_offset = 0;
                alone.push_back(std::make_unique<Bank>(settings.back(), heap));
                fill(alone.back()->frame(), c);
                alone.back()->begin(go);
            }
            Bank bank(settings, {}, heap);
            fill(bank.frame(), c);
            bank.begin(go);
            std::vector<Row> rows = rows_of(7, 200, false);
            bool learned = true;
            for (const Row& row : rows) {
                const bool all = bank.learn(row.example(), go);
                EXPECT_TRUE(learned || !all) << "once marked, always marked";
                learned = all;
                for (size_t run = 0; run < 6; ++run) ASSERT_TRUE(run == wild || alone[run]->learn(row.example(), go));
            }
            EXPECT_FALSE(learned);
            EXPECT_FALSE(bank.judge_trend());
            EXPECT_THROW(bank.raise(), Error);
            for (size_t run = 0; run < 6; ++run) {
                EXPECT_EQ(static_cast<bool>(bank.run(run).fault), run == wild) << run;
                if (run == wild) continue;
                Model found(heap), expected(heap);
                bank.write_model(found, go, run);
                alone[run]->write_model(expected, go);
                EXPECT_EQ(found.weight, expected.weight);
                EXPECT_EQ(found.bias, expected.bias);
                EXPECT_EQ(found.progressive_loss, expected.progressive_loss);
            }
        }
    }
}

// A lone run that diverges has changed nothing, and says at which step.
TEST(Bank, ALoneRunSaysWhereItDiverged) {
    const Case c{LearnerKind::asgd, Loss::squared, "step_offset=100", false};
    Bank bank(settings_of(c, 0), heap);
    bank.begin(go);
    std::vector<Row> rows = rows_of(8, 3, false);
    EXPECT_TRUE(bank.learn(rows[0].example(), go));
    rows[1].value.assign(rows[1].value.size(), std::numeric_limits<float>::infinity());
    rows[1].index.assign(1, rows[0].index.at(0)), rows[1].value.resize(1);
    EXPECT_FALSE(bank.learn(rows[1].example(), go));
    EXPECT_EQ(bank.steps(), 1);
    try {
        bank.raise();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.message()).find("at step 2"), std::string::npos) << error.message();
    }
}

}  // namespace
}  // namespace sparselin
