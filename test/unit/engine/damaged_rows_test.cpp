// Rows whose numbers were damaged where they are stored: each door that learns from rows, or adds them up, says which
// row it was, and nothing has changed. Those that only read read nothing that is not there (the sanitizers would see).
#include "apply/evaluation.h"
#include "engine/merge_cases.h"
#include "rows/sparse_sum.h"

#include <gtest/gtest.h>

using namespace sparselin;
using parts::Part;

namespace {

struct Row {
    const char* name;
    std::vector<int32_t> index;
    std::vector<float> value;
    int32_t dim = 0;
    SparseRow view() const { return {index.data(), value.data(), static_cast<int32_t>(index.size()), dim}; }
};

constexpr float infinity = std::numeric_limits<float>::infinity();

const Row good[] = {{"good", {0, 2, 40}, {1, -2, 3}}, {"good", {1, 2}, {1, 1}}, {"empty", {}, {}}};

const Row damaged[] = {
    {"-1", {-1, 2}, {1, 1}},
    {"-5", {-5, 2}, {1, 1}},
    {"negative in the middle", {0, -1, 2}, {1, 1, 1}},
    {"least", {INT32_MIN, 3}, {1, 1}},
    {"all negative", {-3, -2, -1}, {1, 1, 1}},
    {"2^31", {0, INT32_MAX}, {1, 1}},
    {"not in order", {2, 1, 3}, {1, 1, 1}},
    {"far away in the middle", {0, INT32_MAX - 1, 5}, {1, 1, 1}},
    {"twice", {1, 1}, {1, 1}},
    {"beyond the dimension", {0, 10}, {1, 1}, 10},
    {"negative dimension", {0}, {1}, -1},
    {"NaN", {0, 1}, {1, std::numeric_limits<float>::quiet_NaN()}},
    {"infinite", {0, 1}, {infinity, 1}},
};

template <typename Work>
std::string message_of(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

#define EXPECT_NAMES_ROW(number, work) EXPECT_EQ(message_of(work).rfind("row " #number ": ", 0), 0u) << message_of(work)

void accept(Training& training, const Row& row) {
    const SparseRow x = row.view();
    auto answer = training.accept(x, 1, 1, StopSign());
    if (answer == Training::Answer::no_room) {
        training.store().add_block(training.store().next_block_size(x));
        answer = training.accept(x, 1, 1, StopSign());
    }
    ASSERT_EQ(answer, Training::Answer::taken);
}

Model model_of(LearnerKind learner, const std::string& options, bool with_damage) {
    Training training(learner, options, false, parts::heap(), StopSign());
    for (const Row& row : good) accept(training, row);
    for (const Row& row : damaged) {
        SCOPED_TRACE(row.name);
        if (!with_damage) continue;
        EXPECT_NAMES_ROW(4, [&] { accept(training, row); });
    }
    accept(training, good[0]);
    training.end_rows();
    EXPECT_TRUE(training.work(SIZE_MAX, StopSign()));
    Model model(parts::heap());
    training.write_model(model, parts::heap(), StopSign());
    return model;
}

}  // namespace

TEST(DamagedRows, TrainingNamesThemAndGoesOn) {
    auto calls = merge_cases::streaming_calls();
    for (auto& call : calls) call.second = merge_cases::streaming(Loss::logistic, call.second);
    for (const LearnerKind learner : every_learner)
        for (const char* more : {"epochs=2", "epochs=2 scale=std", "epochs=2 scale=maxabs", "loss=squared"})
            calls.emplace_back(learner, more);
    for (const auto& [learner, options] : calls) {
        SCOPED_TRACE(merge_cases::said(learner, options));
        EXPECT_TRUE(parts::bytes_of(model_of(learner, options, true)) ==
                    parts::bytes_of(model_of(learner, options, false)));
    }
}

TEST(DamagedRows, ContinuedTrainingNamesThem) {
    for (const LearnerKind learner : every_learner) {
        const std::string options = "epochs=2";
        const Model model = model_of(learner, options, false);
        Part part(model);
        for (const Row& row : damaged) {
            SCOPED_TRACE(row.name);
            EXPECT_NAMES_ROW(1, [&] { accept(part.training(), row); });  // of those that come now
        }
    }
}

TEST(DamagedRows, SumsNameThem) {
    const auto added = [](SparseSum& sum, const Row& row) { sum.add(row.view(), StopSign()); };
    const auto counted = [](SparseSum& sum, const Row& row) { sum.count(row.view(), StopSign()); };
    const auto check = [](auto&& take) {
        SparseSum sum(parts::heap()), expected(parts::heap());
        for (const Row& row : good) take(sum, row), take(expected, row);
        sum.skip();  // counts
        for (const Row& row : damaged) {
            SCOPED_TRACE(row.name);
            EXPECT_NAMES_ROW(5, [&] { take(sum, row); });
        }
        EXPECT_TRUE(sum.total(parts::heap(), StopSign()).row() == expected.total(parts::heap(), StopSign()).row());
    };
    check(added);
    check(counted);
}

// Dense weights in a plain array, and few that are far apart.
TEST(DamagedRows, ScoresReadNothingElseAndEvaluationNamesThem) {
    for (const int32_t last : {5, INT32_MAX - 1}) {
        Model model(parts::heap());
        model.index = {0, 3, last};
        model.weight = {1, 2, 3};
        const Predictor predictor(model, parts::heap(), StopSign());
        Evaluation evaluation({{1, 2}, Loss::logistic, 0, {}}, LabelKind::number, parts::heap());
        evaluation.skip();
        for (const Row& row : damaged) {
            SCOPED_TRACE(row.name);
            message_of([&] { predictor.score(row.view(), StopSign()); });
            for (const int32_t index : row.index) predictor.weight(index);
            Stack stack{};
            EXPECT_NAMES_ROW(2, [&] { evaluation.add(predictor, row.view(), 1, 1, stack, StopSign()); });
        }
    }
}

// Wherever it is, in rows of any length: the check goes several numbers at a time.
TEST(DamagedRows, AreSeenAtEveryPlace) {
    for (size_t size = 1; size <= 40; ++size) {
        Row row = {"", {}, {}};
        for (size_t i = 0; i < size; ++i) {
            row.index.push_back(static_cast<int32_t>(10 * i + 5));
            row.value.push_back(1);
        }
        EXPECT_EQ(message_of([&] { validate(row.view(), 7, StopSign()); }), "no error");
        for (size_t i = 0; i < size; ++i) {
            SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(size));
            for (const int32_t index : {-1, INT32_MIN, INT32_MAX}) {
                Row bad = row;
                bad.index[i] = index;
                EXPECT_NAMES_ROW(7, [&] { validate(bad.view(), 7, StopSign()); });
            }
            if (i > 0) {
                Row bad = row;
                bad.index[i] = bad.index[i - 1];
                EXPECT_NAMES_ROW(7, [&] { validate(bad.view(), 7, StopSign()); });
            }
            for (const float value : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f}) {
                Row bad = row;
                bad.value[i] = value;
                EXPECT_NAMES_ROW(7, [&] { validate(bad.view(), 7, StopSign()); });
            }
        }
    }
}
