// Losses whose slopes know nothing of the label's size: lambda and the step size by themselves are such that a model of
// labels in another unit is the same model in that unit.
#include "learners/dekel_cases.h"
#include "support/training_parts.h"

namespace {

using namespace dekel_cases;
using sparselin::LearnerKind;

constexpr Loss losses[] = {Loss::absolute, Loss::quantile, Loss::huber};
constexpr size_t dimension = 11;

std::vector<dense::Row> some_rows(size_t count, uint64_t seed = 3) {
    generated::Recipe recipe = recipe_for(Loss::absolute, seed);
    recipe.rows = count;
    recipe.weighted = true;
    recipe.empty_rows = true;
    return generated::rows(recipe);
}

std::vector<dense::Row> in_unit(std::vector<dense::Row> rows, double unit) {
    for (dense::Row& row : rows) row.label *= unit;
    return rows;
}

// huber's delta is in the label's unit.
std::string options_of(Loss loss, double unit, const std::string& more = "") {
    OptionText text;
    text.add("loss", name_of(loss));
    if (loss == Loss::huber) text.add("delta", dense::huber_delta * unit);
    if (loss == Loss::quantile) text.add("quantile", dense::quantile_tau);
    return text.text() + " " + more;
}

dense::Result as_result(const Learned& found) {
    dense::Result result;
    result.w.assign(found.w.begin(), found.w.end());
    result.b = found.b;
    result.centred_b = found.centred_b;
    result.lambda = found.lambda;
    return result;
}

// lambda = L/m and k = (1 + median) L / lambda, L being 1/S or min(1, delta/S).
TEST(LabelUnit, AutomaticLambdaAndOffsetAreAsDefined) {
    for (const Learner learner : all_learners)
        for (const Loss loss : losses)
            for (const double unit : {1.0, 1.0 / 64, 50.0}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(unit));
                dense::Setup setup = setup_of(learner, loss);
                setup.lambda = dense::automatic;
                compare(in_unit(some_rows(60), unit), dimension, setup, Plan{3});
            }
}

// A stream looks at its first 1000 labels.
TEST(LabelUnit, StreamsGoByTheirFirstRows) {
    for (const Learner learner : all_learners)
        for (const Loss loss : losses)
            for (const size_t count : {700, 2600}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(count));
                std::vector<dense::Row> rows = some_rows(count);
                for (size_t i = 1400; i < rows.size(); ++i) rows[i].label *= 8;
                dense::Setup setup = setup_of(learner, loss);
                setup.rows_for_k = 1000;
                if (learner == Learner::casgd) setup.center = dense::Dense(dimension, 0.125f);
                compare(rows, dimension, setup, Plan{});
            }
}

// With a power of two all numbers differ by powers of two, and digits are the same.
TEST(LabelUnit, ModelsScaleAsTheLabelsDo) {
    const std::vector<dense::Row> rows = some_rows(300);
    for (const Learner learner : all_learners)
        for (const Loss loss : losses)
            for (const double unit : {1024.0, 1.0 / 1024, 1000.0, 1.0 / 1000}) {
                SCOPED_TRACE(name_of(learner) + " " + name_of(loss) + " " + std::to_string(unit));
                const auto kind = static_cast<LearnerKind>(learner);
                const Learned one = learn_sparse(rows, placed(dimension), kind, options_of(loss, 1));
                const Learned other =
                    learn_sparse(in_unit(rows, unit), placed(dimension), kind, options_of(loss, unit));
                const bool exact = std::ilogb(unit) == std::log2(unit);
                for (size_t j = 0; j < dimension; ++j) EXPECT_NEAR(other.w[j] / unit, one.w[j], exact ? 0 : 1e-9) << j;
                EXPECT_NEAR(other.b / unit, one.b, exact ? 0 : 1e-9);
                const double lambda_unit = loss == Loss::huber ? 1 : unit;
                EXPECT_NEAR(other.lambda * lambda_unit / one.lambda, 1, exact ? 0 : 1e-12);
            }
}

// After ten epochs, untouched, F is near its minimum in every unit.
TEST(LabelUnit, TheObjectiveIsNearItsMinimum) {
    const std::vector<dense::Row> rows = some_rows(400);
    for (const Loss loss : losses) {
        const auto learned = [&](double unit, const char* more) {
            return learn_sparse(in_unit(rows, unit), placed(dimension), LearnerKind::asgd,
                                options_of(loss, unit, more));
        };
        const auto F = [&](const Learned& found, double unit) {
            // Back in the first unit, as lambda has to be as well.
            dense::Result model = as_result(found);
            for (auto& weight : model.w) weight /= unit;
            model.b /= unit;
            model.centred_b /= unit;
            model.lambda *= loss == Loss::huber ? 1 : unit;
            return static_cast<double>(dense::objective(model, rows, loss));
        };
        const double least = F(learned(1, "epochs=3000"), 1);
        for (const double unit : {1.0, 1000.0, 1.0 / 1000}) {
            const double reached = F(learned(unit, ""), unit);
            EXPECT_LT(reached / least, 1.05) << name_of(loss) << " " << unit;
            EXPECT_GE(reached / least, 1 - 1e-3) << name_of(loss) << " " << unit;
        }
    }
}

// What parts have learned alone is put together as if each row had brought its own unit: 1/lambda, which is m S, adds
// up.
TEST(LabelUnit, PartsPutTheirUnitsTogether) {
    for (const Learner learner : all_learners)
        for (const Loss loss : losses) {
            SCOPED_TRACE(name_of(learner) + " " + name_of(loss));
            const auto kind = static_cast<LearnerKind>(learner);
            const auto x = some_rows(90, 1), y = in_unit(some_rows(150, 2), 6);
            const auto part = [&](const std::vector<dense::Row>& rows) {
                parts::Part its(kind, options_of(loss, 1, "epochs=2"));
                its.take(rows).learn_alone();
                return its;
            };
            parts::Part of_x = part(x), of_y = part(y), far(kind, options_of(loss, 1, "epochs=2"));
            far.combine(of_x).combine(of_y);
            const parts::Model one = part(x).finish(), other = part(y).finish();
            const parts::Model both = far.finish(), here = part(x).combine_here(of_y).finish();
            const double lambda = 1 / (1 / one.lambda + 1 / other.lambda);
            EXPECT_NEAR(both.lambda, lambda, 1e-14 * lambda);
            EXPECT_NEAR(here.lambda, lambda, 1e-14 * lambda);
            EXPECT_LT(parts::difference_from_mean(both, {&one, &other}), 1e-12);
            EXPECT_LT(parts::difference_from_mean(here, {&one, &other}), 1e-12);

            // And so in models, as they are and with what going on needs.
            parts::Model compact_one = parts::through_text(one), compact_other = parts::through_text(other);
            for (const bool compact : {false, true}) {
                if (compact) compact_one.resume.clear(), compact_other.resume.clear();
                sparselin::ModelMerge merge(parts::heap());
                merge.add(compact_one, sparselin::StopSign());
                merge.add(compact_other, sparselin::StopSign());
                parts::Model merged(parts::heap());
                merge.write(merged, parts::heap(), sparselin::StopSign());
                EXPECT_NEAR(merged.lambda, lambda, 1e-12 * lambda) << compact;
                EXPECT_LT(parts::difference_from_mean(merged, {&one, &other}), 1e-12) << compact;
            }
        }
}

// The state that a model carries knows the unit: what is merged after a detour is the same.
TEST(LabelUnit, IsKeptInModels) {
    for (const Loss loss : losses) {
        const std::string options = options_of(loss, 1, "epochs=2");
        parts::Model model = parts::Part(LearnerKind::casgd, options).take(some_rows(90)).finish();
        parts::Part again(parts::through_text(model));
        EXPECT_EQ(parts::bytes_of(again.take(some_rows(40, 2)).finish()),
                  parts::bytes_of(parts::Part(parts::through_bytes(model)).take(some_rows(40, 2)).finish()));
        EXPECT_EQ(again.finish().lambda, model.lambda);
    }
}

TEST(LabelUnit, LossesOfOtherParametersAreNotMerged) {
    const auto model_of = [](const char* options, bool compact) {
        parts::Model model = parts::Part(LearnerKind::asgd, options).take(some_rows(30)).finish();
        if (compact) model.resume.clear();
        return model;
    };
    for (const bool compact : {false, true}) {
        sparselin::ModelMerge merge(parts::heap());
        merge.add(model_of("loss=quantile quantile=0.1", compact), sparselin::StopSign());
        EXPECT_NO_THROW(merge.add(model_of("loss=quantile quantile=0.1 epochs=3", compact), sparselin::StopSign()));
        EXPECT_THROW(merge.add(model_of("loss=quantile quantile=0.9", compact), sparselin::StopSign()),
                     sparselin::Error);
        EXPECT_THROW(merge.add(model_of("loss=quantile", compact), sparselin::StopSign()), sparselin::Error);
    }
}

}  // namespace
