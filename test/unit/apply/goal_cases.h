// What the tests of F, its gradient and refining have in common: kinds of models, rows for them, and F by its
// definition, dense and in long double.
#pragma once

#include "apply/goal.h"

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
};

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
    const bool intercept = std::string_view(of.options).find("intercept=false") == std::string_view::npos;
    for (double& bias : model.bias) bias = intercept ? normal(random) : 0;
    for (int32_t j = 0; j < features + 2; ++j) {  // the last two are in no row
        if (j == 4) continue;                     // one is in rows alone
        model.index.push_back(j);
        for (size_t k = 0; k < runs; ++k) model.weight.push_back((j == 2 ? 0.001 : 0.2) * normal(random));
    }
    model.centred_bias = model.bias;
    return model;
}

inline LossSums::Subject subject_of(const Case& of, const Model& model, Beside beside) {
    return {
        {1, 2}, loss_of(model, heap, go), model.runs(), of.classes > 0 ? LabelKind::text : LabelKind::number, beside};
}

inline void add_rows(LossSums& sums, const Case& of, const Model& model, std::span<const Row> rows) {
    const Predictor predictor(model, heap, go);
    for (const Row& row : rows)
        sums.add(predictor, row.x(), of.classes > 0 ? Label(std::string_view(row.name)) : Label(row.y), row.omega, go);
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

    Dense(const Case& of, const Model& model, const std::vector<Row>& rows)
        : of(of), rows(rows), runs(static_cast<int>(model.runs())), lambda(model.lambda) {
        const std::string options = of.options;
        const bool centres = of.learner == LearnerKind::casgd;
        intercept = options.find("intercept=false") == std::string::npos;
        const auto m = static_cast<Real>(rows.size());
        for (int j = 0; j < size; ++j) {
            Real mean = 0, most = 0, squares = 0;
            for (const Row& row : rows) mean += row.at(j) / m;
            for (const Row& row : rows) {
                squares += (row.at(j) - mean) * (row.at(j) - mean) / m;
                most = std::max(most, std::fabs(row.at(j)));
            }
            if (centres) mu[j] = mean;
            if (options.find("center=") != std::string::npos) mu[j] = j == 0 ? 0.5L : j == 2 ? -2 : j == 39 ? 1 : 0;
            if (most == 0) continue;
            if (options.find("scale=std") != std::string::npos)
                s[j] = std::sqrt(squares) <= 1e-6L * most ? most : std::sqrt(squares);
            if (options.find("scale=maxabs") != std::string::npos) s[j] = most;
        }
        u.assign(static_cast<size_t>(runs), std::vector<Real>(size));
        b.assign(static_cast<size_t>(runs), 0);
        for (int k = 0; k < runs; ++k) {
            for (size_t i = 0; i < model.index.size(); ++i)
                u[k][model.index[i]] = s[model.index[i]] * model.weights_at(i)[k];
            b[k] = intercept ? model.bias[k] : 0;
            for (int j = 0; intercept && j < size; ++j) b[k] += mu[j] * u[k][j] / s[j];
        }
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

    Real F() const {
        Real squares = 0, losses = 0;
        for (int k = 0; k < runs; ++k) {
            squares += b[k] * b[k];
            for (const Real its : u[k]) squares += its * its;
        }
        for (const Row& row : rows) {
            std::vector<Real> p(static_cast<size_t>(runs));
            for (int k = 0; k < runs; ++k) {
                p[k] = b[k];
                for (int j = 0; j < size; ++j) p[k] += u[k][j] * (row.at(j) - mu[j]) / s[j];
            }
            const int own = row.name[0] - 'a';
            if (of.loss == Loss::multinomial) {
                Real sum = 0;
                for (const Real its : p) sum += std::exp(its - p[own]);
                losses += row.omega * std::log(sum);
            } else if (of.classes == 2) {
                losses += row.omega * loss(of.loss, p[0], own == 1 ? 1 : -1);
            } else {
                for (int k = 0; k < runs; ++k)
                    losses += row.omega * loss(of.loss, p[k], of.classes == 0 ? row.y : own == k ? 1 : -1);
            }
        }
        const Real all = lambda / 2 * squares + losses / static_cast<Real>(rows.size());
        return of.loss == Loss::multinomial ? all : all / runs;
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
    Real mu[size] = {}, s[size] = {};
    std::vector<std::vector<Real>> u;
    std::vector<Real> b;

    struct Ones {
        explicit Ones(Real* s) { std::fill_n(s, size, 1.0L); }
    } ones{s};
};

// Without an intercept the centred bias is 0 wherever that is so at the model.
inline Model at_home(const Case& of, Model model, const std::vector<Row>& rows) {
    if (of.learner != LearnerKind::casgd ||
        std::string_view(of.options).find("intercept=false") == std::string_view::npos)
        return model;
    const LossSums sums = sums_of(of, model, rows);
    Goal goal(model, heap, go);
    goal.set_rows(sums, model, go);
    const OfRuns point(goal, model.runs());
    goal.read(model, point.run, go);
    goal.write(point.run, model, go);
    return model;
}

}  // namespace sparselin::goal_cases
