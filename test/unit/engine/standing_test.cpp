// How far a training is: every row of every pass counts once, wherever it pauses.
#include "support/block_file.h"
#include "engine/training.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;
constexpr int64_t rows = 500;

std::vector<Standing> pauses_of(LearnerKind learner, const char* options) {
    Training training(learner, options, true, heap, go);
    BlockFile file;
    EXPECT_TRUE(std::isnan(training.progressive_loss()));
    for (int i = 0; i < rows; ++i) {
        const int32_t index[] = {i % 7, 10 + i % 13};
        const float value[] = {1, 2};
        const SparseRow x{index, value, 2, 0};
        while (training.accept(x, i % 3 == 0, 1, go) == Training::Answer::no_room)
            training.store().add_block(training.store().next_block_size(x, 1024));
    }
    EXPECT_FALSE(training.standing().has_value());
    file.write_out(training.store());
    training.end_rows();
    std::vector<Standing> pauses;
    while (!training.work(4096, go)) {
        pauses.push_back(*training.standing());
        file.bring_in(training.store(), training.missing());
    }
    EXPECT_FALSE(training.standing().has_value());
    EXPECT_TRUE(std::isfinite(training.progressive_loss()));
    return pauses;
}

TEST(Standing, CountsEachRowOfEachEpoch) {
    for (const char* sampling : {"sequential", "shuffle", "replacement"}) {
        const std::string options = std::string("epochs=3 lambda=0.1 step_offset=1 settle=false sampling=") + sampling;
        const auto pauses = pauses_of(LearnerKind::asgd, options.c_str());
        ASSERT_GT(pauses.size(), 9u) << sampling;
        int64_t before = 0;
        for (const Standing& at : pauses) {
            EXPECT_EQ(at.epochs, 3);
            EXPECT_EQ(at.rows, rows);
            EXPECT_EQ(at.visits, (at.epoch - 1) * rows + at.row);
            EXPECT_EQ(at.visits + at.least_left, 3 * rows);
            EXPECT_GE(at.visits, before);
            before = at.visits;
        }
        EXPECT_EQ(pauses.back().epoch, 3);
        EXPECT_GT(pauses.back().row, 0);
    }
}

TEST(Standing, CountsWhatComesBeforeTheFirstEpochAndAfterTheLast) {
    const auto pauses = pauses_of(LearnerKind::casgd, "epochs=2 scale=std");
    EXPECT_EQ(pauses.front().epoch, 0);
    EXPECT_EQ(pauses.back().epoch, 3) << "settling";
    int64_t before = 0, total = 4 * rows;
    for (const Standing& at : pauses) {
        EXPECT_GE(at.visits, before);
        EXPECT_GE(at.visits + at.least_left, total) << "what was promised was the least";
        before = at.visits;
        total = at.visits + at.least_left;
    }
    EXPECT_GE(total, 5 * rows) << "the scale, the step size, two epochs, settling";
}

}  // namespace
}  // namespace sparselin
