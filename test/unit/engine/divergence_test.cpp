// Learning that runs away ends in an error that names the step and says what to try.
#include "learners/dekel_cases.h"

namespace {

using namespace dekel_cases;

constexpr Loss squared_losses[] = {Loss::squared, Loss::squared_hinge};

void expect_divergence(const std::vector<dense::Row>& rows, const dense::Setup& setup, const Plan& plan) {
    try {
        learn_sparse(rows, placed(11), setup, plan);
        ADD_FAILURE() << "no error";
    } catch (const sparselin::Error& error) {
        EXPECT_EQ(error.fault(), sparselin::Fault::diverged);
        EXPECT_NE(std::string(error.message()).find("step "), std::string::npos) << error.message();
        EXPECT_NE(std::string(error.hint()).find("lambda"), std::string::npos) << error.hint();
    }
}

std::vector<dense::Row> enlarged(std::vector<dense::Row> rows, float factor) {
    for (dense::Row& row : rows)
        for (auto& [position, value] : row.features) value = static_cast<float>(value) * factor;
    return rows;
}

TEST(Divergence, HugeFeaturesAndSmallLambda) {
    for (const Learner learner : all_learners)
        for (const Loss loss : squared_losses)
            for (const size_t epochs : {1, 3}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
                dense::Setup setup = setup_of(learner, loss, 0, 0);
                setup.lambda = 1e-6;
                expect_divergence(enlarged(generated::rows(recipe_for(loss, 1)), 1e10f), setup, Plan{epochs});
            }
}

// Finite to the end, as the reference says, and yet useless.
TEST(Divergence, WithoutEverBecomingInfinite) {
    for (const Learner learner : all_learners)
        for (const Loss loss : squared_losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            const auto rows = generated::rows(recipe_for(loss, 1));
            dense::Setup setup = setup_of(learner, loss, 0, 0);
            setup.lambda = 0.005;
            const dense::Result reference = dense::learn(rows, 11, setup, order_of(rows, Plan{}));
            long double idle = 0;
            for (const dense::Row& row : rows) idle += dense::loss_of(loss, 0, row.label) / rows.size();
            ASSERT_TRUE(std::isfinite(static_cast<double>(reference.w[0])));
            ASSERT_GT(reference.progressive_loss, 1e7L * idle);
            expect_divergence(rows, setup, Plan{});
        }
}

// Just below the bound there is no error: a mean loss of some 1e3 times that of predicting 0.
TEST(Divergence, ABadStartIsNoDivergence) {
    for (const Learner learner : all_learners) {
        const auto rows = generated::rows(recipe_for(Loss::squared, 1));
        dense::Setup setup = setup_of(learner, Loss::squared, 0, 0);
        setup.lambda = 0.12;
        compare(rows, 11, setup, Plan{3});
    }
}

// A stream is judged every 1000 rows, and where it ends.
TEST(Divergence, Streaming) {
    for (const Learner learner : all_learners)
        for (const size_t count : {60, 1000, 1700}) {
            SCOPED_TRACE(name_of(learner) + " " + std::to_string(count));
            generated::Recipe recipe = recipe_for(Loss::squared, 1);
            recipe.rows = count;
            dense::Setup setup = setup_of(learner, Loss::squared, 0, 0);
            setup.lambda = 0.005;
            if (learner == Learner::casgd) setup.center = dense::Dense(11, 0.125f);
            expect_divergence(generated::rows(recipe), setup, Plan{});
        }
}

// 1000 rows in a row of a stream, or all draws of an epoch, may have the label 0, and predicting 0 costs nothing there.
TEST(Divergence, NotWhereLabelsAreZeroForLong) {
    for (const Loss loss : {Loss::squared, Loss::absolute}) {
        SCOPED_TRACE(name_of(loss));
        generated::Recipe recipe = recipe_for(loss, 1);
        recipe.rows = 3500;
        auto rows = generated::rows(recipe);
        for (size_t i = 1500; i < rows.size(); ++i) rows[i].label = 0;
        EXPECT_NO_THROW(learn_sparse(rows, placed(11), setup_of(Learner::asgd, loss), Plan{}));
    }
}

// Predicting 0 costs nothing at all, and yet absolute loss goes a step to either side of it, be the steps long or
// short.
TEST(Divergence, NotWhereAllLabelsAreZero) {
    const std::pair<sparselin::LearnerKind, const char*> calls[] = {
        {sparselin::LearnerKind::sgd, ""},           {sparselin::LearnerKind::asgd, ""},
        {sparselin::LearnerKind::casgd, ""},         {sparselin::LearnerKind::asgd, " step_offset=0 average_power=0"},
        {sparselin::LearnerKind::onepass, ""},       {sparselin::LearnerKind::truncated, ""},
        {sparselin::LearnerKind::elasticnet, ""},    {sparselin::LearnerKind::truncated, " eta0=1e6"},
        {sparselin::LearnerKind::asgd, " scale=std"}};
    for (const double label : {0.0, 1e-12}) {
        for (const auto& [learner, more] : calls) {
            SCOPED_TRACE(std::string(name_of(learner)) + more);
            generated::Recipe recipe = recipe_for(Loss::absolute, 1);
            recipe.weighted = true;
            auto rows = generated::rows(recipe);
            for (dense::Row& row : rows) row.label = label;
            EXPECT_NO_THROW(::learn_sparse(rows, placed(11), learner, std::string("loss=absolute epochs=3") + more, 0));
        }
    }
}

// The automatic offset keeps every loss in bounds, whatever the size of the features.
TEST(Divergence, NotWithTheDefaults) {
    for (const Learner learner : all_learners)
        for (const Loss loss : all_losses)
            for (const float factor : {1e-20f, 1.0f, 1e10f, 1e30f}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(factor));
                dense::Setup setup = setup_of(learner, loss);
                setup.lambda = dense::automatic;
                generated::Recipe recipe = recipe_for(loss, 1);
                recipe.weighted = true;
                const auto rows = enlarged(generated::rows(recipe), factor);
                compare(rows, 11, setup, Plan{3});
            }
}

}  // namespace
