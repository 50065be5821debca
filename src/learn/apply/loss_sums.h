// What rows say of F at a model: the sums that F and its gradient are made of (goal.h).
//
//   losses = sum_i omega_i loss(p_i, y_i)     A_k = sum_i omega_i l'_ik     G_jk = sum_i omega_i l'_ik x_ij
//
// for each run k and feature j; of several classes, one against the rest, the losses are those of all runs. In a
// survey, also how features lie: the sums of x_ij and of x_ij^2, and the largest |x_ij|.
//
// All sums are rounded once: spread over several processes, in any order, they are the same to a digit or two of the
// sum of the absolute terms. Cost: O(non-zeros of the row) for each run; memory follows the distinct features seen.
#pragma once

#include "apply/predictor.h"
#include "base/hash.h"
#include "base/sum.h"
#include "engine/intake.h"

namespace sparselin {

class LossSums {
public:
    // Of a model.
    struct Subject {
        Hash128 fingerprint;
        ChosenLoss loss;
        size_t runs;
        LabelKind labels;
        bool surveys;  // looks at how features lie

        friend bool operator==(const Subject& a, const Subject& b) {
            return a.fingerprint == b.fingerprint && a.loss.loss == b.loss.loss && a.runs == b.runs &&
                   a.labels == b.labels && a.surveys == b.surveys;
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

    LossSums(const Subject& subject, Memory memory);

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
    double losses() const { return losses_.value(); }
    double slopes(size_t run) const { return slopes_[run].value(); }

    // Calls visit(index, G, lie) for each feature that says something, in ascending order of index: G(k) is that of run
    // k, and lie is nullptr without a survey.
    template <typename Visit>
    void walk(StopSign stop, Visit&& visit) const {
        const size_t runs = subject_.runs;
        cells_.walk(stop, [&](int32_t index, const double* cell) {
            const auto* const lie = subject_.surveys ? reinterpret_cast<const Lie*>(cell + 2 * runs) : nullptr;
            visit(
                index, [=](size_t k) { return cell[k] + cell[runs + k]; }, lie);
        });
    }

private:
    static constexpr size_t numbers_of_lie = sizeof(Lie) / sizeof(double);

    // What the row is to each run, as the loss has it.
    void read_label(const Predictor& predictor, const Label& label, int64_t row, StopSign stop);
    // Fills in the slopes, each times omega; the loss, times omega.
    double judge(double omega);
    void add_products(const SparseRow& x, StopSign stop);
    size_t cell_size() const { return 2 * subject_.runs + (subject_.surveys ? numbers_of_lie : 0); }

    Subject subject_;
    Labels labels_;  // that are no texts
    int64_t rows_ = 0, skipped_ = 0;
    int32_t dimension_ = 0;
    Sum losses_;
    Vector<Sum> slopes_;
    FeatureTable<Numbers> cells_;        // G of each run, then what rounding took from it; then the lie
    Vector<double> scores_, y_, slope_;  // of the row at hand
};

}  // namespace sparselin
