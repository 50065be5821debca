// Ways through a training that SQL does not take, but whoever brings bytes may.
#include "support/counting_memory.h"
#include "support/stopping_memory.h"
#include "engine/training.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

// The last row has a feature of its own, and next to no weight.
constexpr int32_t last_feature = 30;

void take(Training& training, int rows) {
    for (int i = 0; i < rows; ++i) {
        const bool last = i + 1 == rows;
        const int32_t index[] = {i % 7, 10 + i % 3, last_feature};
        const float value[] = {1, 0.5f, 1e-43f};
        const SparseRow x{index, value, last ? 3 : 2, 0};
        const double omega = last ? 1e-280 : 1;
        static constexpr const char* names[] = {"a", "b", "c"};
        const Label label = training.labels() == LabelKind::text ? Label(names[i % 3]) : Label(i % 2);
        auto answer = training.accept(x, label, omega, go);
        if (answer == Training::Answer::no_room) {
            training.store().add_block(training.store().next_block_size(x));
            answer = training.accept(x, label, omega, go);
        }
        ASSERT_NE(answer, Training::Answer::no_room);
        ASSERT_TRUE(answer != Training::Answer::must_work || training.work(SIZE_MAX, go));
    }
}

// As a value is made.
Vector<char> written(const Training& training, Model& model, Memory memory, StopSign stop) {
    const Training::Sizes sizes = training.make_room_for_rest(model, stop);
    Encoding encoding(0, sizes.front, sizes.resume, memory, stop);
    training.write_rest(model, &encoding.resume(), stop);
    return encoding.finish(model);
}

void expect_the_same_whenever_interrupted(const Training& training, StoppingMemory& memory,
                                          const Vector<char>& expected) {
    Model model(&memory);
    training.write_head(model, &memory, go);
    const int at_first = memory.interrupts();
    bool stopped = true;
    for (int allocations = 0; stopped; ++allocations) {
        memory.go_on();
        memory.stop_after(allocations);
        const auto bytes = memory.until_done([&] { return written(training, model, &memory, memory.stop()); });
        stopped = memory.has_stopped();
        ASSERT_EQ(bytes, expected) << training.options() << " " << allocations;
    }
    EXPECT_GT(memory.interrupts(), at_first + 1);
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
// Features that lie far apart are called by number.
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
        // Two numbers for each feature, and its name; with casgd three, and the centre, which is an index and a number,
        // both in powers of two. Beside that the table of 4096 features that might tell the labels, of an index and
        // four numbers, and little else.
        const size_t features = size_t{rows} * nnz, telltale = 8192 * (1 + 4) * sizeof(double);
        const size_t table =
            learner == LearnerKind::asgd ? features * 2 * sizeof(double) : 32768 * (3 * sizeof(double) + 12);
        EXPECT_LT(memory.peak(), before + table + features * 4 + telltale + 60000);
    }
}

struct Trained {
    Trained(LearnerKind learner, const char* options, int32_t apart)
        : training(learner, options, false, heap, go), model(heap) {
        constexpr int rows = 400;
        for (int i = 0; i < rows; ++i) {
            std::vector<int32_t> index;
            std::vector<float> value;
            for (int j = i % 3; j < 300; j += 1 + (i * 7 + j * 5) % 11) {
                index.push_back(j * apart);
                value.push_back(0.25f * static_cast<float>(1 + (i + j * j) % 9));
            }
            if (i % 2 == 1) {
                index.push_back(300 * apart);
                value.push_back(1);
            }
            const SparseRow x{index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
            while (training.accept(x, i % 2, 1, go, i % 5 == 0) != Training::Answer::taken)
                training.store().add_block(training.store().next_block_size(x));
        }
        training.end_rows();
        EXPECT_TRUE(training.work(SIZE_MAX, go));
        training.write_model(model, heap, go);
    }

    // As a resume state that its model goes with.
    bool resumes() const {
        Reader reader(model.resume, "resume state of a model");
        Training again(Training::read_kind_in_model(reader), heap, go);
        again.resume(reader, model, go);
        return again.learned_rows() == training.learned_rows();
    }

    Training training;
    Model model;
};

// Rows call features that lie far apart by number; of that nothing is to be seen outside, not a bit.
TEST(Training, CallsFeaturesByNumberWithoutATrace) {
    constexpr int32_t apart = 977;
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd, LearnerKind::onepass,
                                      LearnerKind::truncated, LearnerKind::elasticnet}) {
        for (const char* const more :
             {"", " scale=std", " scale=idf normalize=l2", " search=true", " sampling=replacement"}) {
            const std::string options =
                std::string(learner == LearnerKind::truncated ? "epochs=2 settle=false" : "epochs=2") + more;
            const Trained near(learner, options.c_str(), 1), far(learner, options.c_str(), apart);
            const auto said = [&] { return std::string(name_of(learner)) + " " + options; };
            ASSERT_GT(near.model.index.size(), 0u) << said();
            ASSERT_EQ(near.model.index.size(), far.model.index.size()) << said();
            for (size_t i = 0; i < near.model.index.size(); ++i)
                EXPECT_EQ(near.model.index[i] * apart, far.model.index[i]) << said();
            EXPECT_EQ(near.model.weight, far.model.weight) << said();
            EXPECT_EQ(near.model.bias, far.model.bias) << said();
            ASSERT_EQ(near.model.scale.index.size(), far.model.scale.index.size()) << said();
            for (size_t i = 0; i < near.model.scale.index.size(); ++i)
                EXPECT_EQ(near.model.scale.index[i] * apart, far.model.scale.index[i]) << said();
            EXPECT_EQ(near.model.scale.s, far.model.scale.s) << said();
            EXPECT_EQ(near.training.telltale().feature, 300) << said();
            EXPECT_EQ(far.training.telltale().feature, 300 * apart) << said();
            const ScaleGap gap = near.training.scale_gap(), its = far.training.scale_gap();
            EXPECT_EQ(gap.narrow < 0 ? -1 : gap.narrow * apart, its.narrow) << said();
            EXPECT_EQ(gap.wide < 0 ? -1 : gap.wide * apart, its.wide) << said();
            EXPECT_TRUE(near.resumes() && far.resumes()) << said();
            EXPECT_FALSE(far.model.resume == near.model.resume);
        }
    }
}

// Bytes are made in pieces: rows that are held, or what has been learned, and the weights along with it.
TEST(Training, ItsModelCanBeInterruptedAnywhere) {
    constexpr const char *stream = "epochs=1 sampling=sequential", *kept = "epochs=2";
    for (const auto& [learner, options] : {std::pair(LearnerKind::sgd, "epochs=1 sampling=sequential lambda=1"),
                                           {LearnerKind::casgd, stream},
                                           {LearnerKind::casgd, kept},
                                           {LearnerKind::truncated, stream},
                                           {LearnerKind::truncated, kept}}) {
        for (const LabelKind labels : {LabelKind::number, LabelKind::text}) {
            for (const int rows : {20, 1100}) {
                StoppingMemory memory;
                Training training(Training::Kind{learner, options, labels}, &memory, go);
                take(training, rows);
                training.end_rows();
                ASSERT_TRUE(training.work(SIZE_MAX, go));
                Model whole(heap);
                training.write_model(whole, heap, go);
                // There is room for the last feature, whose number is so small that with sgd it weighs nothing.
                if (learner == LearnerKind::sgd) {
                    EXPECT_LT(whole.index.back(), last_feature);
                }
                expect_the_same_whenever_interrupted(training, memory, encode(whole, 0, heap, go));
            }
        }
    }
}

TEST(Training, ThatHasEndedTakesInNoOther) {
    Trained far(LearnerKind::asgd, "epochs=2", 977);
    Training other(LearnerKind::asgd, "epochs=2", false, heap, go);
    EXPECT_THROW(far.training.absorb(other, go), Error);
    EXPECT_THROW(other.absorb(far.training, go), Error);
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
