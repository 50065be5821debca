// What the tests of F, its gradient and refining have in common: kinds of models, rows for them, and F by its
// definition, dense and in long double.
#pragma once

#include "apply/goal.h"

#include <map>
#include <random>

namespace sparselin::goal_cases {

inline const Memory heap = std::pmr::new_delete_resource();
inline const StopSign go;

inline constexpr int features = 12;

struct Row {
    std::vector<int32_t> index;
    std::vector<float> value;
    double y;
    std::string name;
    double omega;

    SparseRow x() const { return {index.data(), value.data(), static_cast<int32_t>(index.size()), 0}; }
    long double at(int32_t j) const {
        for (size_t i = 0; i < index.size(); ++i)
            if (index[i] == j) return value[i];
        return 0;
    }
};

struct Case {
    const char* name;
    LearnerKind learner;
    Loss loss;
    const char* options;
    int classes = 0;  // that have names
};

inline const Case cases[] = {
    {"asgd", LearnerKind::asgd, Loss::logistic, "loss=logistic"},
    {"onepass", LearnerKind::onepass, Loss::squared_hinge, "loss=squared_hinge"},
    {"without intercept", LearnerKind::sgd, Loss::logistic, "loss=logistic intercept=false"},
    {"squared", LearnerKind::asgd, Loss::squared, "loss=squared"},
    {"huber", LearnerKind::casgd, Loss::huber, "loss=huber delta=0.5"},
    {"casgd", LearnerKind::casgd, Loss::logistic, "loss=logistic"},
    {"casgd without intercept", LearnerKind::casgd, Loss::logistic, "loss=logistic intercept=false"},
    {"given centre", LearnerKind::casgd, Loss::logistic, "loss=logistic center={1:0.5,3:-2,40:1}/50"},
    {"std", LearnerKind::casgd, Loss::logistic, "loss=logistic scale=std"},
    {"maxabs", LearnerKind::asgd, Loss::squared, "loss=squared scale=maxabs"},
    {"two named", LearnerKind::casgd, Loss::logistic, "loss=logistic", 2},
    {"one against the rest", LearnerKind::casgd, Loss::logistic, "loss=logistic scale=std", 5},
    {"multinomial", LearnerKind::casgd, Loss::multinomial, "loss=multinomial", 4},
    {"multinomial of two", LearnerKind::asgd, Loss::multinomial, "loss=multinomial", 2},
    {"idf", LearnerKind::asgd, Loss::logistic, "loss=logistic scale=idf"},
    {"one against the rest, idf", LearnerKind::casgd, Loss::logistic, "loss=logistic scale=idf", 3},
    {"balanced", LearnerKind::casgd, Loss::logistic, "loss=logistic class_weight=balanced"},
    {"balanced, on a scale", LearnerKind::asgd, Loss::squared_hinge,
     "loss=squared_hinge scale=std class_weight=balanced"},
    {"balanced, two named", LearnerKind::asgd, Loss::logistic, "loss=logistic class_weight=balanced", 2},
    {"balanced, against the rest", LearnerKind::casgd, Loss::logistic, "loss=logistic scale=idf class_weight=balanced",
     4},
    {"balanced, multinomial", LearnerKind::casgd, Loss::multinomial, "loss=multinomial class_weight=balanced", 4},
    {"balanced, length 1, against the rest", LearnerKind::casgd, Loss::logistic,
     "loss=logistic norm=l2 scale=idf class_weight=balanced", 4},
    {"length 1", LearnerKind::casgd, Loss::logistic, "loss=logistic norm=l2"},
    {"length 1, no centre", LearnerKind::asgd, Loss::squared, "loss=squared norm=l2"},
    {"length 1, without intercept", LearnerKind::casgd, Loss::logistic, "loss=logistic norm=l2 intercept=false"},
    {"length 1, given centre", LearnerKind::casgd, Loss::huber, "loss=huber delta=0.5 norm=l2 center={1:.5,3:-2,40:1}"},
    {"length 1, std", LearnerKind::casgd, Loss::logistic, "loss=logistic norm=l2 scale=std"},
    {"length 1, maxabs, given centre", LearnerKind::casgd, Loss::logistic,
     "loss=logistic norm=l2 scale=maxabs center={1:.5,3:-2,40:1}"},
    {"length 1, against the rest", LearnerKind::casgd, Loss::logistic, "loss=logistic norm=l2 scale=idf", 5},
    {"length 1, multinomial", LearnerKind::casgd, Loss::multinomial, "loss=multinomial norm=l2", 4},
};

inline bool has(const Case& of, std::string_view option) {
    return std::string_view(of.options).find(option) != std::string_view::npos;
}

inline bool keeps_scale(const Case& of) {
    return has(of, "norm=l2") && has(of, "scale=");
}

inline bool is_regression(const Case& of) {
    return !is_classification(of.loss);
}

inline std::vector<Row> rows_of(const Case& of, unsigned seed, int count) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
        Row row;
        double score = 0.3 * normal(random);
        for (int32_t j = 0; j < features; ++j) {
            if (random() % 3 == 0) continue;
            row.index.push_back(j);
            // The third feature hardly varies, far from 0.
            row.value.push_back(j == 2 ? 1000 + static_cast<float>(random() % 2)
                                       : static_cast<float>(normal(random) * (j + 1) / 4));
            score += j == 2 ? 0 : (j % 2 == 0 ? 1 : -1) * double{row.value.back()} / 4;
        }
        row.y = is_regression(of) ? score : score > 0 ? 1 : -1;
        const int of_classes = std::max(1, of.classes);
        row.name = std::string(
            1,
            static_cast<char>('a' + (static_cast<int>(std::floor(score * 2)) % of_classes + of_classes) % of_classes));
        row.omega = random() % 4 == 0 ? 2.5 : 1;
        rows.push_back(row);
    }
    return rows;
}

inline Model model_of(const Case& of, unsigned seed) {
    Model model(heap);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    model.learner = of.learner;
    model.loss = of.loss;
    model.options = of.options;
    model.lambda = 0.02;
    model.coding = of.classes > 0 ? Coding::text : is_regression(of) ? Coding::number : Coding::plus_minus;
    for (int k = 0; k < of.classes; ++k) model.classes.emplace_back(std::string(1, static_cast<char>('a' + k)));
    const size_t runs = runs_for(of.loss, static_cast<size_t>(of.classes));
    model.set_runs(runs);
    for (double& bias : model.bias) bias = has(of, "intercept=false") ? 0 : normal(random);
    for (int32_t j = 0; j < features + 2; ++j) {  // the last two are in no row
        if (j == 4) continue;                     // one is in rows alone
        model.index.push_back(j);
        for (size_t k = 0; k < runs; ++k) model.weight.push_back((j == 2 ? 0.001 : 0.2) * normal(random));
    }
    model.centred_bias = model.bias;
    if (!keeps_scale(of)) return model;
    for (const int32_t j : model.index) model.scale.push_back(j, j == 2 ? 700 : (j + 1) / 3.0);
    if (has(of, "center=")) model.scale.push_back(39, 1);
    return model;
}

inline LossSums::Subject subject_of(const Case& of, const Model& model, Beside beside) {
    return {{1, 2},       loss_of(model, heap, go),
            model.runs(), of.classes > 0 ? LabelKind::text : LabelKind::number,
            beside,       balances_classes(model, heap, go)};
}

inline void add_rows(LossSums& sums, const Case& of, const Model& model, std::span<const Row> rows) {
    const Predictor predictor(model, heap, go);
    for (const Row& row : rows)
        sums.add(predictor, row.x(), of.classes > 0 ? Label(std::string_view(row.name)) : Label(row.y), row.omega, go);
    sums.finish(go);
}

inline LossSums sums_of(const Case& of, const Model& model, std::span<const Row> rows, Beside beside = Beside::curves) {
    LossSums sums(subject_of(of, model, beside), heap);
    add_rows(sums, of, model, rows);
    return sums;
}

// Numbers of all runs, one run after the other.
struct OfRuns {
    OfRuns(const Goal& goal, size_t runs) : values(goal.size() * runs) {
        for (size_t k = 0; k < runs; ++k) run.push_back(values.data() + k * goal.size());
    }
    std::vector<double> values;
    std::vector<double*> run;
};

struct Slope {
    double value;
    std::vector<double> gradient;
};

inline Slope slope_of(const Model& model, const LossSums& sums) {
    Goal goal(model, heap, go);
    goal.set_rows(sums, model, go);
    const SlopeAt slope(goal, sums, model, heap, go);
    std::vector<double> gradient;
    for (const double* const its : slope.gradient()) gradient.insert(gradient.end(), its, its + goal.size());
    return {slope.value(), gradient};
}

// The definitions, dense and in long double, in the coordinates in which F is written. Features 0 .. 49.
struct Dense {
    static constexpr int size = 50;
    using Real = long double;
    using Reals = std::vector<Real>;

    Dense(const Case& of, const Model& model, const std::vector<Row>& rows)
        : of(of), rows(rows), runs(static_cast<int>(model.runs())), lambda(model.lambda) {
        intercept = !has(of, "intercept=false");
        s = keeps_scale(of) ? scale_of(model) : scale_of(rows);
        for (const Row& row : rows) seen.push_back(as_seen(row));
        mu = centre();
        for (Reals& x : seen)
            for (int j = 0; j < size; ++j) x[j] -= mu[j];
        u.assign(static_cast<size_t>(runs), Reals(size));
        b.assign(static_cast<size_t>(runs), 0);
        for (int k = 0; k < runs; ++k) {
            for (size_t i = 0; i < model.index.size(); ++i)
                u[k][model.index[i]] = s[model.index[i]] * model.weights_at(i)[k];
            b[k] = intercept ? model.bias[k] : 0;
            for (int j = 0; intercept && j < size; ++j) b[k] += mu[j] * u[k][j];
        }
    }

    // 0 for a feature that the model does not have.
    static Reals scale_of(const Model& model) {
        Reals s(size);
        for (size_t i = 0; i < model.scale.index.size(); ++i) s[model.scale.index[i]] = model.scale.s[i];
        return s;
    }

    Reals scale_of(const std::vector<Row>& rows) const {
        Reals s(size, 1);
        const auto m = static_cast<Real>(rows.size());
        for (int j = 0; j < size; ++j) {
            Real mean = 0, most = 0, squares = 0, having = 0;
            for (const Row& row : rows) mean += row.at(j) / m;
            for (const Row& row : rows) {
                squares += (row.at(j) - mean) * (row.at(j) - mean) / m;
                most = std::max(most, std::fabs(row.at(j)));
                having += row.at(j) != 0 ? 1 : 0;
            }
            if (most == 0) continue;
            if (has(of, "scale=std")) s[j] = std::sqrt(squares) <= 1e-6L * most ? most : std::sqrt(squares);
            if (has(of, "scale=maxabs")) s[j] = most;
            if (has(of, "scale=idf")) s[j] = 1 / (std::log((1 + m) / (1 + having)) + 1);
        }
        return s;
    }

    // Before it is centred.
    Reals as_seen(const Row& row) const {
        Reals x(size);
        Real squares = 0;
        for (int j = 0; j < size; ++j) {
            x[j] = s[j] == 0 ? 0 : row.at(j) / s[j];
            squares += x[j] * x[j];
        }
        for (Real& its : x)
            if (has(of, "norm=l2") && squares > 0) its /= std::sqrt(squares);
        return x;
    }

    Reals centre() const {
        Reals centre(size);
        if (of.learner != LearnerKind::casgd) return centre;
        if (has(of, "center=")) {
            for (const auto& [j, its] : {std::pair(0, 0.5L), {2, -2.0L}, {39, 1.0L}}) centre[j] = its / s[j];
            return centre;
        }
        for (const Reals& x : seen)
            for (int j = 0; j < size; ++j) centre[j] += x[j] / static_cast<Real>(rows.size());
        return centre;
    }

    static Real loss(Loss of, Real p, Real y) {
        switch (of) {
            case Loss::logistic: return p * y > 0 ? std::log1p(std::exp(-p * y)) : std::log1p(std::exp(p * y)) - p * y;
            case Loss::squared_hinge: return p * y < 1 ? (1 - p * y) * (1 - p * y) / 2 : 0;
            case Loss::squared: return (p - y) * (p - y) / 2;
            case Loss::huber:
                return std::fabs(p - y) <= 0.5L ? (p - y) * (p - y) / 2 : 0.5L * (std::fabs(p - y) - 0.25L);
            default: return std::nanl("");
        }
    }

    static Real slope(Loss of, Real p, Real y) {
        switch (of) {
            case Loss::logistic: return -y / (1 + std::exp(p * y));
            case Loss::squared_hinge: return p * y < 1 ? -y * (1 - p * y) : 0;
            case Loss::squared: return p - y;
            case Loss::huber: return std::clamp(p - y, -0.5L, 0.5L);
            default: return std::nanl("");
        }
    }

    int own(const Row& row) const { return row.name[0] - 'a'; }
    Real label(const Row& row, int run) const {
        if (of.classes == 0) return row.y;
        return own(row) == (of.classes == 2 ? 1 : run) ? 1 : -1;
    }
    Real omega(const Row& row) const {
        if (!has(of, "class_weight=balanced")) return row.omega;
        std::map<std::string, Real> rows_of;
        const auto name = [this](const Row& its) { return of.classes > 0 ? its.name : its.y > 0 ? "+" : "-"; };
        for (const Row& its : rows) rows_of[name(its)] += 1;
        return row.omega * static_cast<Real>(rows.size()) / (static_cast<Real>(rows_of.size()) * rows_of[name(row)]);
    }
    Reals scores(size_t row) const {
        Reals p(b.begin(), b.end());
        for (int k = 0; k < runs; ++k)
            for (int j = 0; j < size; ++j) p[k] += u[k][j] * seen[row][j];
        return p;
    }

    Real F() const {
        Real squares = 0, losses = 0;
        for (int k = 0; k < runs; ++k) {
            squares += b[k] * b[k];
            for (const Real its : u[k]) squares += its * its;
        }
        for (size_t i = 0; i < rows.size(); ++i) {
            const Reals p = scores(i);
            Real sum = 0;
            if (of.loss == Loss::multinomial) {
                for (const Real its : p) sum += std::exp(its - p[own(rows[i])]);
                sum = std::log(sum);
            } else {
                for (int k = 0; k < runs; ++k) sum += loss(of.loss, p[k], label(rows[i], k));
            }
            losses += omega(rows[i]) * sum;
        }
        return (lambda / 2 * squares + losses / static_cast<Real>(rows.size())) / share();
    }
    Real share() const { return of.loss == Loss::multinomial ? 1 : runs; }

    // The derivative, and the sum of the absolute terms that it is made of. Of the bias for j = size.
    struct Derivative {
        Real value, terms;
    };
    Derivative derivative(int run, int j) const {
        const Real penalty = lambda * (j < size ? u[run][j] : b[run]);
        Derivative its{penalty, std::fabs(penalty)};
        for (size_t i = 0; i < rows.size(); ++i) {
            const Reals p = scores(i);
            Real slope = 0;
            if (of.loss == Loss::multinomial) {
                for (const Real other : p) slope += std::exp(other - p[run]);
                slope = 1 / slope - (own(rows[i]) == run ? 1 : 0);
            } else {
                slope = Dense::slope(of.loss, p[run], label(rows[i], run));
            }
            const Real each = omega(rows[i]) * slope / static_cast<Real>(rows.size());
            its.value += each * (j < size ? seen[i][j] : 1);
            its.terms += std::fabs(each) * (j < size ? std::fabs(seen[i][j] + mu[j]) + std::fabs(mu[j]) : 1);
        }
        return {its.value / share(), its.terms / share()};
    }

    Real difference(Real& number) {
        const Real h = 1e-8L, was = number;
        number = was + h;
        const Real above = F();
        number = was - h;
        const Real below = F();
        number = was;
        return (above - below) / (2 * h);
    }

    Real second_difference(Real& number) {
        const Real h = 1e-5L, was = number, here = F();
        number = was + h;
        const Real above = F();
        number = was - h;
        const Real below = F();
        number = was;
        return (above - 2 * here + below) / (h * h);
    }

    const Case& of;
    const std::vector<Row>& rows;
    int runs;
    Real lambda;
    bool intercept;
    Reals s, mu;              // of what is learned from: mu is that of rows on their scale
    std::vector<Reals> seen;  // the rows, as they are learned from
    std::vector<Reals> u;
    Reals b;
};

// Without an intercept the centred bias is 0 wherever that is so at the model.
inline Model at_home(const Case& of, Model model, const std::vector<Row>& rows) {
    if (of.learner != LearnerKind::casgd || !has(of, "intercept=false")) return model;
    const LossSums sums = sums_of(of, model, rows);
    Goal goal(model, heap, go);
    goal.set_rows(sums, model, go);
    const OfRuns point(goal, model.runs());
    goal.read(model, point.run, go);
    goal.write(point.run, model, go);
    return model;
}

}  // namespace sparselin::goal_cases
