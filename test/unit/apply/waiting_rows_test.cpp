// Rows that wait to be added up (waiting_rows.h): when they are, and what comes between, is not seen in the sums.
#include "apply/goal_cases.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

namespace sparselin {
namespace {

using namespace goal_cases;

// Of all lengths: none, short ones, one that no room is made for, and more of them than wait together.
std::vector<Row> rows_of_all_lengths(const Case& of) {
    std::vector<Row> rows = rows_of(of, 1, 300);
    std::mt19937 random(2);
    for (const size_t nnz : {0u, 1u, 63u, 64u, 65u, 900u, 4095u, 4096u, 4097u, 10000u, 3u, 2000u, 3000u}) {
        Row row = rows[random() % rows.size()];
        row.index.clear();
        row.value.clear();
        for (size_t j = 0; j < nnz; ++j) {
            row.index.push_back(static_cast<int32_t>(3 * j));
            row.value.push_back(0.01f * static_cast<float>(1 + random() % 9));
        }
        rows.insert(rows.begin() + static_cast<ptrdiff_t>(random() % rows.size()), row);
    }
    return rows;
}

std::vector<char> bytes_of(const LossSums& sums) {
    Vector<char> bytes(heap);
    Writer writer(bytes, go);
    sums.save(writer, go);
    return {bytes.begin(), bytes.end()};
}

Label label_of(const Case& of, const Row& row) {
    return of.classes > 0 ? Label(std::string_view(row.name)) : Label(row.y);
}

TEST(WaitingRows, AreTheSameSumsWheneverTheyAreFinished) {
    for (const Case& of : cases)
        for (const Beside beside : {Beside::nothing, Beside::curves}) {
            const auto rows = rows_of_all_lengths(of);
            const Model model = model_of(of, 3);
            const Predictor predictor(model, heap, go);
            const auto whole = bytes_of(sums_of(of, model, rows, beside));
            for (const size_t each : {1u, 7u, 100u}) {
                LossSums sums(subject_of(of, model, beside), heap);
                for (size_t i = 0; i < rows.size(); ++i) {
                    Row gone = rows[i];
                    sums.add(predictor, gone.x(), label_of(of, gone), gone.omega, go);
                    std::ranges::fill(gone.value, 7);
                    if (i % each == 0) sums.finish(go);
                }
                sums.finish(go);
                EXPECT_EQ(bytes_of(sums), whole) << of.name << ", " << each << " at a time";
            }
        }
}

TEST(WaitingRows, AreAddedOnceWhateverInterrupts) {
    for (const Case& of : cases) {
        const auto rows = rows_of_all_lengths(of);
        const Model model = model_of(of, 3);
        const Predictor predictor(model, heap, go);
        const auto whole = bytes_of(sums_of(of, model, rows));
        StoppingMemory memory;
        LossSums sums(subject_of(of, model, Beside::curves), &memory);
        const auto until_done = [&](auto&& work) {
            memory.stop_after(memory.interrupts() % 3);
            memory.until_done(work);
        };
        for (const Row& row : rows)
            until_done([&] { sums.add(predictor, row.x(), label_of(of, row), row.omega, memory.stop()); });
        until_done([&] { sums.finish(memory.stop()); });
        memory.go_on();
        EXPECT_GT(memory.interrupts(), 5) << of.name;
        EXPECT_EQ(bytes_of(sums), whole) << of.name;
    }
}

// The row is named, though others have come since.
TEST(WaitingRows, AreFoundOutOfRangeByTheirNumbers) {
    const Case& of = cases[3];  // squared
    const Model model = model_of(of, 1);
    const Predictor predictor(model, heap, go);
    LossSums sums(subject_of(of, model, Beside::nothing), heap);
    for (const double y : {1.0, 2.0, 1e200, 3.0}) sums.add(predictor, SparseRow(), Label(y), 1, go);
    try {
        sums.finish(go);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string_view(error.message()).substr(0, 37), "row 3: the loss is out of range: it i");
    }
}

}  // namespace
}  // namespace sparselin
