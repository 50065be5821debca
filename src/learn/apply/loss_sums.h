// What rows say of F at a model: the sums that F and its gradient are made of (goal.h).
//
//   losses_k = sum_i omega_i loss(p_ik, y_ik)     A_k = sum_i omega_i l'_ik     G_jk = sum_i omega_i l'_ik x_ij
//
// for each run k and feature j; a loss that is one of all classes together has one sum of losses. Where the model
// brings rows to length 1, x is the row by the length that the model divides it by. In a survey, also how features lie,
// the sums of x_ij and of x_ij^2, the largest |x_ij|, and how many rows have the feature; and how F curves along each
// number: the sums of omega_i l''_ik times 1, x_ij and x_ij^2.
//
// Where the classes of the rows are to weigh the same, what they weigh is known in the end only: rows of each class are
// added up for themselves, and the sums of a class multiplied by rows / (classes that have rows * rows of the class).
//
// All sums but those of curvatures are rounded once: spread over several processes, in any order, they are the same to
// a digit or two of the sum of the absolute terms. Cost: O(non-zeros of the row) for each run; memory follows the
// distinct features seen.
#pragma once

#include "apply/predictor.h"
#include "apply/waiting_rows.h"
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
        bool balances;  // classes weigh the same

        bool is_joint() const { return traits_of(loss.loss).joint; }

        friend bool operator==(const Subject& a, const Subject& b) {
            return a.fingerprint == b.fingerprint && a.loss.loss == b.loss.loss && a.runs == b.runs &&
                   a.labels == b.labels && a.beside == b.beside && a.balances == b.balances;
        }
    };

    // How a feature lies: sums over the rows that have it, each with what rounding took from it, which together have
    // twice the digits of a double; the largest |x|; and how many these are.
    struct Lie {
        double x, xx;
        double x_rest, xx_rest;
        double most;
        double having;

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
    void expect_those_of(const Predictor& predictor, StopSign stop) {
        if (!subject_.balances) tallies_[0].cells.begin_with(predictor.array_size(), stop);
    }

    // Adds a row that the model judges. Nothing has changed after Interrupted, nor after an Error of this row.
    void add(const Predictor& predictor, const SparseRow& x, const Label& label, double weight, StopSign stop);

    // Rows are added up some at a time: this does so with the last ones. To be called before anything is asked of the
    // sums but counts.
    void finish(StopSign stop);

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
    // O(classes) where these are to weigh the same.
    double losses(size_t run) const { return of_all(&Tally::losses, run); }
    double slopes(size_t run) const { return of_all(&Tally::slopes, run); }
    double curvatures(size_t run) const { return of_all(&Tally::curvatures, run); }

    // Calls visit(index, feature) for each feature that says something, in ascending order of index.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        const auto show = [&](int32_t index, const double* cell) { visit(index, Feature(cell, subject_)); };
        if (subject_.balances) return balanced_cells(stop).walk(stop, show);
        tallies_[0].cells.walk(stop, show);
    }

private:
    static constexpr size_t numbers_of_lie = sizeof(Lie) / sizeof(double);
    using Cells = FeatureTable<Numbers>;

    // What rows add up to: those of a class, where classes weigh the same, or all.
    struct Tally {
        Tally(size_t cell_size, Memory memory)
            : losses(memory), slopes(memory), curvatures(memory), cells(memory, {cell_size}) {}

        int64_t rows = 0;
        Vector<Sum> losses, slopes, curvatures;  // of each run; none before the first row
        Cells cells;  // G of each run, what rounding took from it; the lie, and the curvatures of each run
    };

    // Of all classes, each multiplied by its weight.
    double of_all(Vector<Sum> Tally::*sums, size_t run) const;
    Cells balanced_cells(StopSign stop) const;
    double weight_of(const Tally& tally) const;

    // Rows of a tally, and room for their sums.
    void count(Tally& tally, int64_t rows);
    void make_room(Tally& tally) const;
    // The cell of a part, times what its rows weigh.
    void add_cell(double* to, const double* from, double weight) const;
    void save_tally(Writer& writer, const Tally& tally, StopSign stop) const;
    void load_tally(Reader& reader, Tally& tally, StopSign stop);

    // What the row is to each run, as the loss has it; and which tally it belongs to.
    size_t read_label(const Predictor& predictor, const Label& label, double* y, int64_t row, StopSign stop);
    void finish_borrowed(StopSign stop);
    void add_products(const WaitingRows::Row& row, const double* slopes, const double* curvatures, StopSign stop);
    void add_survey(double* cell, double x, const double* curvatures);
    void add_up(Vector<Sum> Tally::*sums, const Vector<double>& numbers);
    bool surveys() const { return subject_.beside != Beside::nothing; }
    bool curves() const { return subject_.beside == Beside::curves; }
    size_t numbers_of_curves() const { return curves() ? 2 * subject_.runs : 0; }
    size_t cell_size() const { return 2 * subject_.runs + (surveys() ? numbers_of_lie + numbers_of_curves() : 0); }

    Memory memory_;
    Subject subject_;
    Labels labels_;  // that are no texts
    int64_t rows_ = 0, skipped_ = 0;
    int32_t dimension_ = 0;
    Vector<Tally> tallies_;
    int64_t classes_ = 0;  // tallies that have rows
    WaitingRows waiting_;
    size_t added_ = 0;  // of these, to cells
};

}  // namespace sparselin
