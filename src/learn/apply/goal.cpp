#include "apply/goal.h"

#include "engine/model_merge.h"

namespace sparselin {

static bool is_smooth(const LossTraits& loss) {
    return loss.joint || curves(static_cast<Loss>(&loss - loss_table.data()));
}

static void check_smooth(const Model& model) {
    const LossTraits& loss = traits_of(model.loss);
    if (!is_smooth(loss))
        throw Error(Fault::not_supported, "loss %s is not smooth", loss.name)
            .hint("A gradient, and refining, take %s.", names_where(loss_table, is_smooth).c_str());
    const LearnerTraits& learner = traits_of(model.learner);
    if (learner.strength == Strength::lambda) return;
    throw Error(Fault::not_supported, "what %s_train minimises is not smooth", learner.name)
        .hint("It adds up sizes of weights. A gradient, and refining, take models of %s.",
              names_where(
                  learner_table, [](const LearnerTraits& its) { return its.strength == Strength::lambda; }, "or", "",
                  "_train")
                  .c_str());
}

static bool is_one(double option) {
    return !is_automatic(option) && option == 1;
}

Goal::Goal(const Model& model, Memory memory, StopSign stop)
    : runs_(model.runs()),
      is_joint_(traits_of(model.loss).joint),
      share_(1 / static_cast<double>(parts())),
      L_(traits_of(model.loss).L),
      lambda_(model.lambda),
      centres_(traits_of(model.learner).centres),
      centre_index_(memory),
      centre_(memory),
      index_(memory),
      s_(memory),
      mu_(memory),
      square_(memory) {
    check_smooth(model);
    const Options options = parse_options(model.options, memory, stop);
    scale_ = is_automatic(options.scale) ? Scaling::none : static_cast<Scaling>(options.scale);
    intercept_ = is_automatic(options.intercept) || is_one(options.intercept);
    has_centre_ = options.has_center;
    normalizes_ = normalizes(model, memory, stop);
    if (!has_centre_ || !centres_) return;
    append_all(centre_index_, std::span<const int32_t>(options.center_index), stop);
    append_all(centre_, std::span<const float>(options.center_value), stop);
}

// As Spread has it.
double Goal::scale_in_rows(const LossSums::Lie& lie) const {
    if (scale_ == Scaling::maxabs) return lie.most;
    if (scale_ == Scaling::idf) return 1 / inverse_frequency(lie.having, static_cast<double>(rows_));
    const double s = std::sqrt(lie.variance(rows_));
    return s <= 1e-6 * lie.most ? lie.most : s;
}

// What ascending indices have at this one.
template <typename Value>
static double value_at(int32_t index, const Vector<int32_t>& indices, const Vector<Value>& values, double otherwise) {
    const auto place = std::ranges::lower_bound(indices, index);
    const bool has = place != indices.end() && *place == index;
    return has ? double{values[static_cast<size_t>(place - indices.begin())]} : otherwise;
}

// 0 for a feature that does not count.
double Goal::scale_of(int32_t index, const LossSums::Lie* lie, const KeptScale& kept) const {
    if (keeps_scale()) return value_at(index, kept.index, kept.s, 0);
    return finds_scale() && lie != nullptr ? scale_in_rows(*lie) : 1;
}

double Goal::centre_of(int32_t index, const LossSums::Lie* lie) const {
    if (!finds_centre()) return value_at(index, centre_index_, centre_, 0);
    return lie != nullptr ? lie->mean(rows_) : 0;
}

void Goal::add_feature(int32_t index, const LossSums::Lie* lie, const KeptScale& kept) {
    const double s = scale_of(index, lie, kept), mu = centre_of(index, lie);
    if (s == 0) return;
    const double off = lie != nullptr ? lie->mean(rows_) - mu : 0;
    index_.push_back(index);
    s_.push_back(s);
    mu_.push_back(mu);
    square_.push_back(lie != nullptr ? (lie->variance(rows_) + off * off) / (s * s) : 0);
}

// In ascending order, with those of a model and of a given centre that no row has.
void Goal::set_rows(const LossSums& sums, const Model& model, StopSign stop) {
    rows_ = sums.rows();
    index_.clear();
    s_.clear();
    mu_.clear();
    square_.clear();
    const std::span<const int32_t> others[] = {model.index, centre_index_};
    size_t next[] = {0, 0};
    const auto next_other = [&] {
        int64_t least = max_index;
        for (int of : {0, 1})
            if (next[of] < others[of].size()) least = std::min<int64_t>(least, others[of][next[of]]);
        return least;
    };
    const auto pass = [&](int64_t index) {
        for (int of : {0, 1})
            if (next[of] < others[of].size() && others[of][next[of]] == index) ++next[of];
    };
    const auto add_others_until = [&](int64_t end) {
        for (int64_t index = next_other(); index < end; index = next_other()) {
            add_feature(static_cast<int32_t>(index), nullptr, model.scale);
            pass(index);
        }
    };
    sums.walk(stop, [&](int32_t index, const LossSums::Feature& its) {
        add_others_until(index);
        add_feature(index, sums.subject().beside != Beside::nothing ? &its.lie() : nullptr, model.scale);
        pass(index);
    });
    add_others_until(max_index);
}

double Goal::lambda_for_rows(const Model& model, Memory memory) const {
    if (model.rows == 0 || rows_ == 0 || !has_lambda_by_rows(model, memory)) return model.lambda;
    return model.lambda * (static_cast<double>(model.rows) / static_cast<double>(rows_));
}

void Goal::read(const Model& model, RunNumbers point, StopSign stop) const {
    const size_t end = index_.size();
    for (size_t k = 0; k < runs_; ++k) point[k][end] = intercept_ ? model.bias[k] : 0;
    size_t next = 0;
    each_below(end, stop, [&](size_t j) {
        const bool has = next < model.index.size() && model.index[next] == index_[j];
        for (size_t k = 0; k < runs_; ++k) {
            const double w = has ? model.weights_at(next)[k] : 0;
            point[k][j] = s_[j] * w;
            if (intercept_) point[k][end] += w * mu_[j];
        }
        if (has) ++next;
    });
}

void Goal::write(ConstRunNumbers point, Model& model, StopSign stop) const {
    write_as_it_is(point, model, stop);
    size_t next = 0;
    each_below(index_.size(), stop, [&](size_t j) {
        if (next == model.index.size() || model.index[next] != index_[j]) return;
        double* const weights = model.weight.data() + next++ * runs_;
        for (size_t k = 0; k < runs_; ++k) {
            weights[k] /= s_[j];
            model.bias[k] -= weights[k] * mu_[j];
        }
    });
}

void Goal::write_as_it_is(ConstRunNumbers gradient, Model& model, StopSign stop) const {
    model.index.clear();
    model.weight.clear();
    model.centred_bias.resize(runs_);
    for (size_t k = 0; k < runs_; ++k) model.bias[k] = model.centred_bias[k] = gradient[k][index_.size()];
    each_below(index_.size(), stop, [&](size_t j) {
        model.index.push_back(index_[j]);
        for (size_t k = 0; k < runs_; ++k) model.weight.push_back(gradient[k][j]);
        model.drop_last_of_zeros();
    });
}

template <typename Visit>
void Goal::walk(const LossSums& sums, StopSign stop, Visit&& visit) const {
    size_t j = 0;
    const auto visit_until = [&](int64_t end) {
        while (j < index_.size() && index_[j] < end) visit(j++, nullptr);
    };
    sums.walk(stop, [&](int32_t index, const LossSums::Feature& its) {
        visit_until(index);
        const bool has = j < index_.size() && index_[j] == index;
        if (!has && keeps_scale()) return;
        if (!has)
            throw Error(Fault::bad_value, "the query gave feature %lld, which it has not given before",
                        static_cast<long long>(index) + 1)
                .hint("Refining goes through the rows again and again: they have to be the same each time.");
        visit(j++, &its);
    });
    visit_until(max_index);
}

void Goal::write_curvature(const LossSums& survey, RunNumbers curvature, StopSign stop) const {
    constexpr double least = 0.01;  // of the most
    const auto m = static_cast<double>(rows_);
    const auto of = [&](double now, double most) { return share_ * (lambda_ + std::max(now / m, least * L_ * most)); };
    Vector<double> C(runs_, index_.get_allocator());
    for (size_t k = 0; k < runs_; ++k) C[k] = survey.curvatures(k);
    walk(survey, stop, [&](size_t j, const LossSums::Feature* its) {
        for (size_t k = 0; k < runs_; ++k) {
            const double now = its == nullptr ? 0 : its->curvature(k, mu_[j], C[k]);
            curvature[k][j] = of(now / (s_[j] * s_[j]), square_[j]);
        }
    });
    for (size_t k = 0; k < runs_; ++k) curvature[k][index_.size()] = of(C[k], 1);
}

double squared_length(std::span<const double> numbers, StopSign stop) {
    Sum squares;
    each_below(numbers.size(), stop, [&](size_t i) { squares.add(numbers[i] * numbers[i]); });
    return squares.value();
}

double Goal::value(const LossSums& sums, size_t part, ConstRunNumbers point, StopSign stop) const {
    Sum squares;
    for (const double* const numbers : point.subspan(part * runs_of_part(), runs_of_part()))
        squares.add(squared_length({numbers, size()}, stop));
    return share_ * (lambda_ / 2 * squares.value() + sums.losses(part) / static_cast<double>(rows_));
}

void Goal::write_gradient(const LossSums& sums, ConstRunNumbers point, RunNumbers gradient, StopSign stop) const {
    const auto m = static_cast<double>(rows_);
    Vector<double> A(runs_, index_.get_allocator());
    for (size_t k = 0; k < runs_; ++k) A[k] = sums.slopes(k);
    walk(sums, stop, [&](size_t j, const LossSums::Feature* its) {
        for (size_t k = 0; k < runs_; ++k) {
            const double G = its == nullptr ? 0 : its->G(k);
            gradient[k][j] = share_ * (lambda_ * point[k][j] + (G - mu_[j] * A[k]) / (m * s_[j]));
        }
    });
    const size_t end = index_.size();
    for (size_t k = 0; k < runs_; ++k)
        gradient[k][end] = intercept_ ? share_ * (lambda_ * point[k][end] + A[k] / m) : 0;
}

SlopeAt::SlopeAt(const Goal& goal, const LossSums& sums, const Model& model, Memory memory, StopSign stop)
    : numbers_(goal.size() * model.runs(), memory), gradient_(memory) {
    Vector<double> at(numbers_, memory);
    Vector<double*> point(memory);
    for (size_t first = 0; first < numbers_.size(); first += goal.size()) {
        point.push_back(at.data() + first);
        gradient_.push_back(numbers_.data() + first);
    }
    goal.read(model, point, stop);
    goal.write_gradient(sums, point, gradient_, stop);
    for (size_t part = 0; part < goal.parts(); ++part) value_ += goal.value(sums, part, point, stop);
    square_ = squared_length(numbers_, stop);
}

}  // namespace sparselin
