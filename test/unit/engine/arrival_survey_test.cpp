// Many rows are surveyed as they come: the step size is that of a pass over them.
#include "support/block_file.h"
#include "support/generated_rows.h"
#include "support/training_parts.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sparselin {
namespace {

const StopSign go;
constexpr int rows = 15000;

struct Row {
    int32_t index[8];
    float value[8];
    double y, weight;
    SparseRow x() const { return {index, value, 8, 0}; }
};

// Lengths differ by orders of magnitude, weights as well.
std::vector<Row> generated_rows() {
    generated::Random random(5);
    std::vector<Row> all(rows);
    for (Row& row : all) {
        const double size = std::exp(3 * random.uniform());
        for (int i = 0; i < 8; ++i) {
            row.index[i] = 10 * i + static_cast<int32_t>(random.below(10));
            row.value[i] = static_cast<float>(size * random.uniform());
        }
        row.y = random.below(2) == 0 ? -1 : 1;
        row.weight = 0.5 + random.uniform();
    }
    return all;
}

void add_block(Training& training, const SparseRow& x) {
    training.store().add_block(training.store().next_block_size(x));
}

void take(Training& training, std::span<const Row> all) {
    for (const Row& row : all)
        while (training.accept(row.x(), row.y, row.weight, go) == Training::Answer::no_room)
            add_block(training, row.x());
}

std::vector<char> learned(Training& training) {
    training.end_rows();
    EXPECT_TRUE(training.work(SIZE_MAX, go));
    Model model(parts::heap());
    training.write_model(model, parts::heap(), go);
    return parts::bytes_of(model);
}

// Those that come as a part's are gone through.
void adopt_all(Training& training, const Training& part) {
    training.absorb(part, go);
    for (const Block& block : part.store().blocks())
        if (block.used > 0) training.adopt({block.data, block.used}, SIZE_MAX, go);
}
void adopt_from(Training& training, std::span<const Row> all) {
    Training part(training.learner(), training.options(), false, parts::heap(), go);
    take(part, all);
    adopt_all(training, part);
}

struct Call {
    LearnerKind learner;
    const char* options;
};
constexpr Call calls[] = {
    {LearnerKind::asgd, "epochs=2 scale=none settle=false"},
    {LearnerKind::sgd, "epochs=1 scale=none settle=false loss=squared_hinge implicit_above=inf"},
    {LearnerKind::asgd, "epochs=2 scale=none settle=false loss=absolute"},
    {LearnerKind::onepass, "epochs=2 scale=none settle=false"},
};

TEST(ArrivalSurvey, IsThatOfAPass) {
    const std::vector<Row> all = generated_rows();
    for (const auto& [learner, options] : calls) {
        Training surveyed(learner, options, false, parts::heap(), go),
            adopted(learner, options, false, parts::heap(), go), both(learner, options, false, parts::heap(), go);
        take(surveyed, all);
        adopt_from(adopted, all);
        take(both, std::span(all).first(13000));
        adopt_from(both, std::span(all).subspan(13000));
        const auto expected = learned(adopted);
        EXPECT_TRUE(learned(surveyed) == expected) << options;
        EXPECT_TRUE(learned(both) == expected) << options;
    }
}

// Of long rows there are a megabyte before there are a thousand: those that decide come later.
TEST(ArrivalSurvey, SeesTheFirstThousandRowsOfOnepass) {
    const auto fill = [](Training& training) {
        std::vector<int32_t> index(200);
        std::iota(index.begin(), index.end(), 0);
        for (int i = 0; i < 1500; ++i) {
            const std::vector<float> value(index.size(), i == 900 ? 3.0f : i == 1200 ? 9.0f : 1.0f);
            const SparseRow x{index.data(), value.data(), 200, 0};
            while (training.accept(x, i % 2, 1, go) == Training::Answer::no_room) add_block(training, x);
        }
    };
    Training surveyed(calls[3].learner, calls[3].options, false, parts::heap(), go),
        part(calls[3].learner, calls[3].options, false, parts::heap(), go),
        adopted(calls[3].learner, calls[3].options, false, parts::heap(), go);
    fill(surveyed);
    fill(part);
    adopt_all(adopted, part);
    EXPECT_TRUE(learned(surveyed) == learned(adopted));
}

TEST(ArrivalSurvey, LeavesEpochsAlone) {
    const std::vector<Row> all = generated_rows();
    const auto passes = [&all](LearnerKind learner) {
        Training training(learner, "epochs=2 scale=none settle=false", false, parts::heap(), go);
        take(training, all);
        training.end_rows();
        return training.standing()->least_left / rows;
    };
    EXPECT_EQ(passes(LearnerKind::asgd), 2);
    EXPECT_EQ(passes(LearnerKind::casgd), 3);
}

// Of rows in a file it takes no look at all.
TEST(ArrivalSurvey, LeavesNothingToDoBeforeTheFirstEpoch) {
    const auto first_epoch = [](LearnerKind learner, const char* options) {
        Training training(learner, options, false, parts::heap(), go);
        take(training, generated_rows());
        BlockFile file;
        file.write_out(training.store());
        training.end_rows();
        EXPECT_FALSE(training.work(4096, go));
        return training.standing()->epoch;
    };
    EXPECT_EQ(first_epoch(LearnerKind::asgd, "epochs=2 scale=none"), 1);
    EXPECT_EQ(first_epoch(LearnerKind::onepass, "epochs=2 scale=none"), 1);
    EXPECT_EQ(first_epoch(LearnerKind::casgd, "epochs=2 scale=none"), 0);
    EXPECT_EQ(first_epoch(LearnerKind::asgd, "epochs=2 scale=std"), 0);
    EXPECT_EQ(first_epoch(LearnerKind::asgd, "epochs=2 scale=none class_weight=balanced"), 0);
    EXPECT_EQ(first_epoch(LearnerKind::asgd, "epochs=2 scale=none normalize=l2"), 0);
}

}  // namespace
}  // namespace sparselin
