// What rows say of F at a model: the sums that F and its gradient are made of (goal.h).
//
//   losses_k = sum_i omega_i loss(p_ik, y_ik)     A_k = sum_i omega_i l'_ik     G_jk = sum_i omega_i l'_ik x_ij
//
// for each run k and feature j; a loss that is one of all classes together has one sum of losses. In a survey, also how
// features lie, the sums of x_ij and of x_ij^2 and the largest |x_ij|; and how F curves along each number: the sums of
// omega_i l''_ik times 1, x_ij and x_ij^2.
//
// All sums but those of curvatures are rounded once: spread over several processes, in any order, they are the same to
// a digit or two of the sum of the absolute terms. Cost: O(non-zeros of the row) for each run; memory follows the
// distinct features seen.
#pragma once

#include "apply/predictor.h"
#include "base/hash.h"
#include "base/sum.h"
#include "engine/intake.h"

namespace sparselin {

// What a survey looks at beside F and its gradient: how features lie, and also how F curves.
enum class Beside : uint8_t { nothing, lies, curves };

class LossSums {
public:
    // Of a model.
    struct Subject {
        Hash128 fingerprint;
        ChosenLoss loss;
        size_t runs;
        LabelKind labels;
        Beside beside;

        bool is_joint() const { return traits_of(loss.loss).joint; }

        friend bool operator==(const Subject& a, const Subject& b) {
            return a.fingerprint == b.fingerprint && a.loss.loss == b.loss.loss && a.runs == b.runs &&
                   a.labels == b.labels && a.beside == b.beside;
        }
    };

    // How a feature lies: sums over the rows that have it, each with what rounding took from it, which together have
    // twice the digits of a double; and the largest |x|.
    struct Lie {
        double x, x_rest;
        double xx, xx_rest;
        double most;

        double mean(int64_t rows) const { return (x + x_rest) / static_cast<double>(rows); }
        double variance(int64_t rows) const;  // over all rows, of which some lack it
    };

    // What has been added up of a feature.
    class Feature {
    public:
        Feature(const double* cell, const Subject& subject) : cell_(cell), runs_(subject.runs) {}

        double G(size_t run) const { return cell_[run] + cell_[runs_ + run]; }
        // Of a survey.
        const Lie& lie() const { return *reinterpret_cast<const Lie*>(cell_ + 2 * runs_); }
        // Of one that looks at curves: sum_i omega_i l''_i (x_ij - mu)^2, C being the sum of omega_i l''_i.
        double curvature(size_t run, double mu, double C) const {
            const double* const sums = cell_ + 2 * runs_ + numbers_of_lie + 2 * run;
            return sums[1] - mu * (2 * sums[0] - mu * C);
        }

    private:
        const double* cell_;
        size_t runs_;
    };

    LossSums(const Subject& subject, Memory memory);

    // Makes room for the features of the model at once, where as many are to be expected in the rows.
    void expect_those_of(const Predictor& predictor, StopSign stop) { cells_.begin_with(predictor.array_size(), stop); }

    // Adds a row that the model judges. Nothing has changed after an Error, or Interrupted.
    void add(const Predictor& predictor, const SparseRow& x, const Label& label, double weight, StopSign stop);

    // A row with a NULL in it.
    void skip() { ++skipped_; }

    // What others have added up at the same model. An interrupted sum is thrown away.
    void absorb(const LossSums& part, StopSign stop);

    // For another process: versioned, little-endian, checked when it is read.
    void save(Writer& writer, StopSign stop) const;
    static LossSums load(Reader& reader, Memory memory, StopSign stop);

    const Subject& subject() const { return subject_; }
    int64_t rows() const { return rows_; }
    int64_t skipped() const { return skipped_; }
    int64_t rows_seen() const { return rows_ + skipped_; }
    int32_t dimension() const { return dimension_; }
    double losses(size_t run) const { return losses_[run].value(); }
    double slopes(size_t run) const { return slopes_[run].value(); }
    double curvatures(size_t run) const { return curvatures_[run]; }

    // Calls visit(index, feature) for each feature that says something, in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        cells_.walk(stop, [&](int32_t index, const double* cell) { visit(index, Feature(cell, subject_)); });
    }

private:
    static constexpr size_t numbers_of_lie = sizeof(Lie) / sizeof(double);

    // What the row is to each run, as the loss has it.
    void read_label(const Predictor& predictor, const Label& label, int64_t row, StopSign stop);
    // Fills in losses, slopes and, for a survey, curvatures of the row, each times omega.
    void judge(double omega);
    void judge_each();
    void judge_together();
    void check_range(double omega) const;
    void add_products(const SparseRow& x, StopSign stop);
    void add_survey(double* cell, double x);
    bool surveys() const { return subject_.beside != Beside::nothing; }
    bool curves() const { return subject_.beside == Beside::curves; }
    size_t numbers_of_curves() const { return curves() ? 2 * subject_.runs : 0; }
    size_t cell_size() const { return 2 * subject_.runs + (surveys() ? numbers_of_lie + numbers_of_curves() : 0); }

    Subject subject_;
    Labels labels_;  // that are no texts
    int64_t rows_ = 0, skipped_ = 0;
    int32_t dimension_ = 0;
    Vector<Sum> losses_, slopes_;
    Vector<double> curvatures_;
    FeatureTable<Numbers> cells_;  // G of each run, what rounding took from it; the lie, and the curvatures of each run
    Vector<double> scores_, y_, loss_, slope_, curvature_;  // of the row at hand
};

}  // namespace sparselin
