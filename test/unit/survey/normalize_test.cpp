// Rows brought to length 1: learning from them, whatever the scale, is what the dense references do on rows that have
// been divided element by element.
#include "learners/dense_elasticnet.h"
#include "learners/dense_multinomial.h"
#include "learners/dense_truncated.h"
#include "learners/dense_xu.h"
#include "support/named_classes.h"
#include "survey/normalize_cases.h"

namespace {

using namespace dekel_cases;
using namespace normalize_cases;
using parts::Part;
using sparselin::Model;

// A call that normalises, beside a reference that is given the rows as they are to be seen.
struct Case {
    Rows rows;
    size_t dimension = 11;
    Scaling scaling = Scaling::none;

    dense::Dense s() const { return dense::scale_of(rows, dimension, scaling); }
    Rows seen() const { return dense::of_length_one(dense::divided(rows, s())); }

    Learned learn(LearnerKind learner, const std::string& options, size_t window = 0) const {
        Learned found = learn_sparse(rows, placed(dimension), learner, options + options_for(scaling), window);
        const dense::Dense scale = s();
        for (size_t j = 0; j < scale.size(); ++j) found.w[j] = static_cast<double>(found.w[j] * scale[j]);
        return found;
    }
};

void each_case(generated::Recipe recipe, auto&& visit) {
    for (const Scaling scaling : all_scalings)
        for (const Loss loss : all_losses) {
            SCOPED_TRACE(std::string(text_of(scaling)) + " " + name_of(loss));
            recipe.regression = is_regression(loss);
            visit(Case{uneven(recipe), static_cast<size_t>(recipe.dimension), scaling}, loss);
        }
}

void compare_dekel(const Case& its, const dense::Setup& setup, const Plan& plan) {
    dense::Setup expected = setup;
    if (setup.center)
        for (size_t j = 0; j < setup.center->size(); ++j) (*expected.center)[j] /= its.s()[j];
    const Learned found = its.learn(static_cast<LearnerKind>(setup.learner),
                                    option_text(placed(its.dimension), setup, plan), plan.window);
    expect_equal(found, dense::learn(its.seen(), its.dimension, expected, order_of(its.rows, plan)));
}

TEST(Normalize, EqualsTheReferenceOfDekel) {
    for (const bool weighted : {false, true}) {
        generated::Recipe recipe;
        recipe.seed = 31;
        recipe.weighted = weighted;
        each_case(recipe, [](const Case& its, Loss loss) {
            for (const Learner learner : all_learners)
                for (const auto& [k, q] : {std::pair(dense::automatic, 2.0), {0.0, 1.0}})
                    for (const Plan& plan : {Plan{3}, Plan{2, true}}) {
                        SCOPED_TRACE(name_of(learner) + " k=" + std::to_string(k));
                        compare_dekel(its, setup_of(learner, loss, k, q), plan);
                    }
        });
    }
}

TEST(Normalize, FindsLambdaAndLearnsWithoutAnIntercept) {
    generated::Recipe recipe;
    recipe.seed = 32;
    each_case(recipe, [](const Case& its, Loss loss) {
        for (const Learner learner : all_learners) {
            dense::Setup setup = setup_of(learner, loss);
            setup.intercept = false;
            compare_dekel(its, setup, Plan{2});
            setup.lambda = dense::automatic;
            compare_dekel(its, setup, Plan{3});
        }
    });
}

// A given centre is one of normalised rows, in the features' own units; no row has feature 12.
TEST(Normalize, GivenCentre) {
    generated::Recipe recipe;
    recipe.seed = 33;
    each_case(recipe, [](Case its, Loss loss) {
        its.dimension = 13;
        dense::Setup setup = setup_of(Learner::casgd, loss);
        setup.center = {0.5f, 1e-5f, 0.25f, 0, -0.125f, 0, 0, 0.5f, 0, 0, 0, 0, 3};
        compare_dekel(its, setup, Plan{3});
    });
}

// Steps that overshoot are those of rows that weigh much, or the first ones: no row is longer than another.
TEST(Normalize, ShortensStepsThatAreTooLong) {
    generated::Recipe recipe;
    recipe.seed = 34;
    size_t heavy = 0;
    each_case(recipe, [&](Case its, Loss loss) {
        for (size_t i = 3; i < its.rows.size(); i += 5) its.rows[i].weight = 60;
        for (const Learner learner : all_learners)
            for (const double above : {8.0, 0.5}) {
                dense::Setup setup = setup_of(learner, loss, 1);
                setup.implicit_above = above;
                compare_dekel(its, setup, Plan{2});
                heavy += dense::learn(its.seen(), its.dimension, setup, order_of(its.rows, Plan{2})).heavy;
            }
    });
    EXPECT_GT(heavy, 1000u);
}

void expect_same_weights(const Learned& found, const dense::Dense& w, long double b) {
    long double largest = std::fabs(b);
    for (const long double weight : w) largest = std::max(largest, std::fabs(weight));
    for (size_t j = 0; j < w.size(); ++j) EXPECT_TRUE(near(found.w[j], w[j], largest)) << "weight " << j;
    EXPECT_TRUE(near(found.b, b, largest)) << "bias";
}

TEST(Normalize, EqualsTheReferenceOfXu) {
    generated::Recipe recipe;
    recipe.seed = 35;
    recipe.rows = 140;
    recipe.weighted = true;
    each_case(recipe, [](const Case& its, Loss loss) {
        for (const size_t epochs : {1, 2}) {
            dense::XuSetup setup;
            setup.loss = loss;
            setup.lambda = 0.01;
            const Plan plan{epochs};
            OptionText text;
            text.add("loss", option_of(loss)).add("lambda", setup.lambda).add(plan);
            const Learned found = its.learn(LearnerKind::onepass, text.text());
            const dense::XuResult expected =
                dense::learn_xu(its.seen(), its.dimension, setup, order_of(its.rows, plan));
            expect_same_weights(found, expected.w, expected.b);
            EXPECT_TRUE(near(found.option(&sparselin::Options::gamma0), expected.gamma0)) << "gamma0";
            EXPECT_TRUE(near(found.progressive_loss, expected.progressive_loss));
        }
    });
}

TEST(Normalize, EqualsTheReferencesOfLangfordAndLipton) {
    generated::Recipe recipe;
    recipe.seed = 36;
    recipe.weighted = true;
    each_case(recipe, [](const Case& its, Loss loss) {
        for (const Plan& plan : {Plan{1}, Plan{3, true}}) {
            OptionText text;
            text.add("loss", option_of(loss)).add(plan).add("eta0", 0.25);
            dense::TruncatedSetup truncated;
            dense::ElasticNetSetup elastic;
            truncated.loss = elastic.loss = loss;
            truncated.eta0 = elastic.eta0 = 0.25;
            truncated.gravity = elastic.l1 = 0.001;
            elastic.l2 = 0.01;
            elastic.fobos = true;
            const auto order = order_of(its.rows, plan);
            const dense::Result t = dense::learn(its.seen(), its.dimension, truncated, order);
            expect_same_weights(its.learn(LearnerKind::truncated, text.text() + " gravity=0.001"), t.w, t.b);
            const dense::Result e = dense::learn(its.seen(), its.dimension, elastic, order);
            expect_same_weights(its.learn(LearnerKind::elasticnet, text.text() + " l1=0.001 lambda=0.01 method=fobos"),
                                e.w, e.b);
        }
    });
}

TEST(Normalize, EqualsTheReferenceOfClassesLearnedTogether) {
    const named::Names names = {"a", "b", "c"};
    for (const Scaling scaling : all_scalings)
        for (const Learner learner : all_learners) {
            SCOPED_TRACE(text_of(scaling));
            const Case its{named::rows(37, 60, 3), 13, scaling};
            dense::Setup setup = setup_of(learner, Loss::logistic);
            std::string options = option_text(placed(13), setup, Plan{3});
            options.replace(options.find("loss=logistic"), strlen("loss=logistic"), "loss=multinomial");
            Part part(static_cast<LearnerKind>(learner), options + options_for(scaling), sparselin::LabelKind::text);
            const Model found = named::Writing{names}.take(part, its.rows).finish();
            const dense::Multinomial expected =
                dense::learn_multinomial(its.seen(), 13, 3, setup, order_of(its.rows, Plan{3}));
            for (size_t c = 0; c < 3; ++c) {
                const std::vector<double> w = named::weights_of_run(found, c, placed(13));
                for (size_t j = 0; j < w.size(); ++j)
                    EXPECT_TRUE(near(static_cast<double>(w[j] * its.s()[j]), expected.w[c][j], 1)) << c << " " << j;
                EXPECT_TRUE(near(found.bias[c], expected.b[c], 1));
            }
        }
}

// One against the rest is what each class is alone, whatever the rows are brought to.
TEST(Normalize, EachClassIsWhatItIsAlone) {
    const named::Names names = {"a", "b", "c", "d"};
    const Rows rows = named::rows(38, 80, 4);
    for (const Scaling scaling : all_scalings)
        for (const LearnerKind learner : sparselin::every_learner) {
            const std::string options = "epochs=2 sampling=shuffle" + options_for(scaling);
            Part all(learner, options, sparselin::LabelKind::text);
            const Model together = named::Writing{names}.take(all, rows).finish();
            for (size_t c = 0; c < 4; ++c) {
                const named::Writing one{names, c};
                Part part(learner, options, one.kind());
                const Model alone = one.take(part, rows).finish();
                EXPECT_EQ(named::weights_of_run(together, c, placed(13)), named::weights_of_run(alone, 0, placed(13)));
                EXPECT_EQ(together.bias[c], alone.bias[0]);
                EXPECT_EQ(together.scale.s, alone.scale.s);
            }
        }
}

TEST(Normalize, SpilledRowsGiveTheSameNumbers) {
    generated::Recipe recipe;
    recipe.seed = 39;
    recipe.rows = 2000;
    each_case(recipe, [](const Case& its, Loss loss) {
        for (const LearnerKind learner : {LearnerKind::casgd, LearnerKind::elasticnet}) {
            const std::string options = "loss=" + option_of(loss) + " epochs=2 sampling=sequential";
            const Learned in_memory = its.learn(learner, options), spilled = its.learn(learner, options, 20000);
            EXPECT_GT(spilled.blocks_written, 2u);
            EXPECT_EQ(spilled.w, in_memory.w);
            EXPECT_EQ(spilled.b, in_memory.b);
        }
    });
}

}  // namespace
