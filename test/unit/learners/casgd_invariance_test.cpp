// casgd does not care where the origin is.
#include "learners/dekel_cases.h"

namespace {

using namespace dekel_cases;

double score(const Learned& model, const dense::Row& row) {
    double sum = model.b;
    for (const auto& [position, value] : row.features) sum += model.w[static_cast<size_t>(position)] * value;
    return sum;
}

// casgd with nothing set: dyadic values and offsets, so that x + offset is exact in float.
TEST(CasgdInvariance, ScoresDoNotDependOnTheOrigin) {
    for (const uint64_t seed : {1, 2, 3, 4})
        for (const Loss loss : all_losses)
            for (const float size : {0.25f, 10.0f, 100.0f}) {
                SCOPED_TRACE(name_of(loss) + " by " + std::to_string(size) + " seed " + std::to_string(seed));
                generated::Recipe recipe = recipe_for(loss, seed);
                recipe.values = generated::Values::dyadic;
                recipe.rows = 64;
                std::vector<float> offset(11);
                for (size_t j = 0; j < offset.size(); ++j)
                    offset[j] = (j % 3 == 0 ? -1 : 1) * size * ((j % 4) / 4.0f + 0.25f);
                dense::Setup setup = setup_of(Learner::casgd, loss);
                setup.lambda = dense::automatic;
                const auto rows = generated::rows(recipe);
                const auto moved = generated::shifted(rows, offset);
                const Plan plan{10};
                const Learned here = learn_sparse(rows, placed(11), setup, plan);
                const Learned there = learn_sparse(moved, placed(11), setup, plan);
                EXPECT_TRUE(near(there.k(), here.k()));
                double largest = 0;
                for (const dense::Row& row : rows) largest = std::max(largest, std::fabs(score(here, row)));
                for (size_t i = 0; i < rows.size(); ++i)
                    EXPECT_NEAR(score(here, rows[i]), score(there, moved[i]), tolerance * largest);
            }
}

}  // namespace
