// Ways through a training that SQL does not take, but whoever brings bytes may.
#include "support/counting_memory.h"
#include "engine/training.h"

#include <gtest/gtest.h>

#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

void take(Training& training, int rows) {
    for (int i = 0; i < rows; ++i) {
        const int32_t index[] = {i % 7, 10 + i % 3};
        const float value[] = {1, 0.5f};
        const SparseRow x{index, value, 2, 0};
        auto answer = training.accept(x, i % 2, 1, go);
        if (answer == Training::Answer::no_room) {
            training.store().add_block(training.store().next_block_size(x));
            answer = training.accept(x, i % 2, 1, go);
        }
        ASSERT_NE(answer, Training::Answer::no_room);
        ASSERT_TRUE(answer != Training::Answer::must_work || training.work(SIZE_MAX, go));
    }
}

// Where a stream has begun already, rows that another one still holds are looked at and learned from anew.
TEST(Training, AStreamTakesInRowsThatAreHeldBack) {
    for (const LearnerKind learner : {LearnerKind::asgd, LearnerKind::truncated}) {
        const char* const options =
            learner == LearnerKind::asgd ? "lambda=0.1 epochs=1 sampling=sequential" : "epochs=1 sampling=sequential";
        Training stream(learner, options, false, heap, go);
        Training part(LearnerKind::asgd, "lambda=0.1 epochs=1 sampling=sequential", false, heap, go);
        take(stream, 1500);
        take(part, 500);
        EXPECT_EQ(part.store().rows(), 500);
        if (learner == LearnerKind::asgd) stream.absorb(part, go);
        for (const Block& block : part.store().blocks())
            if (block.used > 0) stream.adopt({block.data, block.used}, SIZE_MAX, go);
        stream.end_rows();
        ASSERT_TRUE(stream.work(SIZE_MAX, go));
        Model model(heap);
        stream.write_model(model, heap, go);
        EXPECT_GE(model.steps, 500);
        EXPECT_EQ(model.rows, learner == LearnerKind::asgd ? 2000 : 1500);
    }
}

// Tables of stored rows are made as large as they will be: none lies beside a smaller one that it takes the place of.
TEST(Training, MakesTheTableOfStoredRowsAtOnce) {
    for (const LearnerKind learner : {LearnerKind::asgd, LearnerKind::casgd}) {
        CountingMemory memory;
        Training training(learner, "epochs=2 scale=none settle=false", false, &memory, go);
        constexpr int rows = 400, nnz = 50;
        for (int i = 0; i < rows; ++i) {
            std::vector<int32_t> index;
            for (int j = 0; j < nnz; ++j) index.push_back(j * 3000 + i * 11);
            const std::vector<float> value(nnz, 1);
            const SparseRow x{index.data(), value.data(), nnz, 0};
            while (training.accept(x, i % 2, 1, go) != Training::Answer::taken)
                training.store().add_block(training.store().next_block_size(x));
        }
        const size_t before = memory.held();
        training.end_rows();
        ASSERT_TRUE(training.work(SIZE_MAX, go));
        // Slots of an index and two numbers, or three; with casgd the centre as well, which is an index and a number.
        // Beside that the table of 4096 features that might tell the labels, of an index and four numbers, and little
        // else.
        const size_t numbers = learner == LearnerKind::asgd ? 2 : 3, centre = learner == LearnerKind::asgd ? 0 : 12;
        const size_t telltale = 8192 * (1 + 4) * sizeof(double);
        EXPECT_LT(memory.peak(), before + 32768 * (1 + numbers) * sizeof(double) + 32768 * centre + telltale + 60000);
    }
}

// What is asked for is read once, and serves only who asks for the same in the same way.
TEST(Request, IsForTheSameOriginsAlone) {
    const Request::Kind plain{LearnerKind::asgd, "lambda=0.1", LabelKind::number};
    Request::Kind of_model{LearnerKind::asgd, "lambda=0.1", LabelKind::number};
    of_model.origins.emplace();
    const Request request(plain, heap, go);
    EXPECT_TRUE(request.is_for(plain));
    EXPECT_FALSE(request.is_for(of_model));
    EXPECT_FALSE(request.is_for({LearnerKind::casgd, "lambda=0.1", LabelKind::number}));
    EXPECT_FALSE(request.is_for({LearnerKind::asgd, "lambda=0.2", LabelKind::number}));
    EXPECT_FALSE(request.is_for({LearnerKind::asgd, "lambda=0.1", LabelKind::boolean}));
}

}  // namespace
}  // namespace sparselin
