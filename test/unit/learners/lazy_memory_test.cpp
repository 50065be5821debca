// Memory follows the weights that are not 0. See lazy_long_test.cpp for ten million features.
#include "learners/lazy_memory.h"

namespace {

TEST(LazyMemory, FeaturesThatPassByLeave) {
    for (const auto kind : {sparselin::LearnerKind::truncated, sparselin::LearnerKind::elasticnet})
        passing_by::expect_small(kind, 300000, size_t{1} << 19);
}

}  // namespace
