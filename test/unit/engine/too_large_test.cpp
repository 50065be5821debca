// Several classes whose model would be larger than a model can be: learning says so while the table is still small.
#include "engine/bank.h"
#include "support/counting_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

constexpr size_t classes = 10;
constexpr int32_t features_at_once = 8;

// As a call makes it, but for the largest model.
struct Call {
    explicit Call(LearnerKind learner, const std::string& options, size_t largest, Memory memory = heap)
        : settings(settings_for(parse_options("lambda=0.1 " + options, heap), learner)), memory(memory) {
        settings.largest_model = largest;
    }

    Bank& begin(size_t runs = classes) {
        bank = Box<Bank>::make<Bank>(memory, settings, memory);
        Vector<double> positive(heap);
        for (size_t k = 0; k < runs; ++k) positive.push_back(static_cast<double>(k));
        bank->tell_apart(positive);
        bank->begin(go);
        return *bank;
    }

    // A row of new features, `apart` from each other.
    void learn(int32_t row, int32_t apart) {
        int32_t index[features_at_once];
        float value[features_at_once];
        for (int32_t i = 0; i < features_at_once; ++i) {
            index[i] = (row * features_at_once + i) * apart;
            value[i] = 1;
        }
        bank->learn({{index, value, features_at_once, 0}, static_cast<double>(row % 10), 1}, go);
    }

    // How many features it takes until that is an error; what it says.
    size_t features_until_error(int32_t apart, std::string& said, size_t most = 1 << 16) {
        for (int32_t row = 0; static_cast<size_t>(row) * features_at_once < most; ++row) {
            try {
                learn(row, apart);
            } catch (const Error& error) {
                EXPECT_EQ(error.fault(), Fault::too_large);
                said = std::string(error.message()) + " / " + error.hint();
                return static_cast<size_t>(row) * features_at_once;
            }
        }
        return most;
    }

    Settings settings;
    Memory memory;
    Box<Bank> bank;
};

}  // namespace

// The weights and the state of 1000 features: it is seen when the table would grow beyond them.
TEST(TooLarge, ModelsAreRefusedWhileTheyAreLearned) {
    for (const auto& [learner, numbers] : {std::pair(LearnerKind::sgd, classes),
                                           {LearnerKind::asgd, 2 * classes},
                                           {LearnerKind::casgd, 2 * classes + 1},
                                           {LearnerKind::onepass, 2 * classes}})
        for (const bool resumable : {true, false})
            for (const int32_t apart : {1, 1000}) {
                SCOPED_TRACE(std::string(name_of(learner)) + (resumable ? " resumable " : " ") + std::to_string(apart));
                const size_t one = sizeof(double) * (2 * classes + (resumable ? numbers + numbers / 3 : 0));
                std::string options = resumable ? "" : "resumable=false";
                options += learner == LearnerKind::onepass ? " gamma0=0.1" : " step_offset=10";
                CountingMemory memory;
                Call call(learner, options, 1000 * one, &memory);
                call.begin();
                std::string said;
                const size_t features = call.features_until_error(apart, said);
                EXPECT_GE(features, 1000u - features_at_once);
                EXPECT_LE(features, 3000u);
                EXPECT_LE(memory.peak(), 10 * 1000 * (numbers + 1) * sizeof(double));
                EXPECT_EQ(said,
                          "a model of 10 classes and more than 1000 features would be too large / Train with resumable "
                          "=> false, with fewer features (for hashed ones: fewer bits), or with fewer classes, rare "
                          "ones being one.");
            }
}

// Features that weigh nothing any more do not count.
TEST(TooLarge, SparseModelsMaySeeManyFeatures) {
    Call call(LearnerKind::elasticnet, "l1=0.01 eta0=0.5", 1000 * 3 * sizeof(double) * classes);
    call.begin();
    std::string said;
    EXPECT_EQ(call.features_until_error(1000, said), size_t{1} << 16) << said;
}

TEST(TooLarge, OneRunIsNotAskedWhileItLearns) {
    Call call(LearnerKind::asgd, "step_offset=10", 1000);
    call.begin(1);
    std::string said;
    EXPECT_EQ(call.features_until_error(1, said), size_t{1} << 16) << said;
}

// Before anything has been learned, where the centre has all features.
TEST(TooLarge, ACentreOfTooManyFeaturesIsRefused) {
    Call call(LearnerKind::casgd, "step_offset=10", 1000 * sizeof(double) * classes);
    call.begin();
    CountingMemory memory;
    Call with_centre(LearnerKind::casgd, "step_offset=10", 1000 * sizeof(double) * classes, &memory);
    Bank bank(with_centre.settings, &memory);
    for (int32_t j = 0; j < 100000; ++j)
        bank.frame().make_centre().index.push_back(j), bank.frame().make_centre().mu.push_back(1);
    const size_t before = memory.peak();
    Vector<double> positive(heap);
    for (size_t k = 0; k < classes; ++k) positive.push_back(static_cast<double>(k));
    bank.tell_apart(positive);
    EXPECT_THROW(bank.begin(go), Error);
    EXPECT_LE(memory.peak(), before + 1000 * 10 * 3 * classes * sizeof(double));
}

TEST(TooLarge, WhatPartsHaveLearnedIsRefusedTogether) {
    const auto learned = [](int32_t from, int32_t to) {
        Call call(LearnerKind::sgd, "step_offset=10", 1000 * sizeof(double) * (3 * classes + classes / 3));
        call.begin();
        for (int32_t row = from; row < to; ++row) call.learn(row, 1000);
        return std::move(call.bank);
    };
    auto x = learned(0, 60), y = learned(40, 110), z = learned(100, 200);
    EXPECT_NO_THROW(x->merge(*y, 0.1, go));  // 880
    EXPECT_THROW(x->merge(*z, 0.1, go), Error);
}

}  // namespace sparselin
