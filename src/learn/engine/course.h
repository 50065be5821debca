// Goes through stored rows as often as learning from them takes: once for their scale and for the mean that casgd
// needs, once or more for the automatic step size, or not at all where rows were surveyed as they came, and then epoch
// by epoch.
#pragma once

#include "engine/bank.h"
#include "engine/settling_rounds.h"
#include "engine/walk.h"
#include "rows/stored_features.h"
#include "survey/first_rows.h"
#include "survey/spread.h"

namespace sparselin {

// How far a course is.
struct Standing {
    int64_t epoch, epochs;       // epoch 0: rows are looked at before they are learned from; beyond epochs: settling
    int64_t row, rows;           // of the pass under way
    int64_t visits, least_left;  // rows in all passes: so far, and still to come at least
    bool searching = false;      // for the strength of regularisation
};

class Course {
public:
    // Fills in the bank's frame: its scale, and its centre when that is `unknown`. No run has an automatic lambda any
    // more. `features`: those of all rows.
    Course(RowStore& store, const StoredFeatures& features, const ClassWeights& weights, Bank& bank,
           bool centre_unknown, Memory memory, Side side = Side::all);

    // Has the unit of the labels found first. Where lambda is automatic, it is multiplied by what that makes of the
    // curvature.
    void find_unit(bool multiplies_lambda);

    // What all rows have been shown to as they came: if a survey is wanted, its first pass is made.
    void begin_after(Box<Survey>&& survey) { survey_ = std::move(survey); }

    // Shows it the rows that are learned from first.
    void show_to(FirstRows& first_rows) { first_rows_ = &first_rows; }

    // Runs that diverge are left behind, as long as one still learns.
    void leave_diverged_behind() { leaves_behind_ = true; }

    // Goes on with a bank that has been through `epochs` epochs of other rows.
    void go_on_after(int64_t epochs);

    // Has each run settled after the last epoch; nothing for one that has diverged, or has no least value.
    void settle_in_the_end() { settles_ = true; }
    std::optional<Settled> settled(size_t run) const { return settles_ ? settled_[run] : std::nullopt; }

    // As far as the blocks in memory allow. False: missing() blocks have to be brought in first. A call that ended in
    // Interrupted is simply made again.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return walk_.missing(); }

    // Once work() is done: brings blocks back that it has let go; false when they are missing().
    bool has_all_rows() { return walk_.has_all_rows(); }

    Standing standing() const;

private:
    enum class Stage : uint8_t { measuring, beginning, surveying, learning, scoring, settling, finished };

    bool looks_before_learning() const;
    void begin_measuring(StopSign stop);
    void begin_pass(size_t window_bytes, StopSign stop);
    void measure(const Example& example, StopSign stop);
    void add_to_mean(const SparseRow& x, StopSign stop);
    size_t visit(const Batch& rows, StopSign stop);
    size_t learn(const Batch& rows, StopSign stop);
    void end_stage(StopSign stop);
    void end_measuring(StopSign stop);
    void begin_bank(StopSign stop);
    void end_epoch(StopSign stop);
    void begin_settling(size_t window_bytes, StopSign stop);
    void score(const Example& example, StopSign stop);
    void end_scoring();
    void end_settling(StopSign stop);
    void see_to_those_diverged();

    const Settings& settings() const { return bank_.run(0).settings; }  // all runs go through the rows alike

    const StoredFeatures& features_;
    Walk walk_;
    Bank& bank_;
    bool centre_unknown_;
    bool leaves_behind_ = false;
    Memory memory_;

    Stage stage_;
    int64_t epoch_ = 0;          // of these rows
    int64_t epochs_before_ = 0;  // of others
    FirstRows* first_rows_ = nullptr;
    Box<Mean> mean_;  // or Spread, which knows the mean as well; of normalised rows Mean after it
    Box<Spread> spread_;
    bool finds_unit_ = false, multiplies_lambda_ = false;
    Box<LabelUnit> unit_;
    Box<Survey> survey_;
    bool settles_ = false;
    struct Settling {
        Box<SettlingRounds> rounds;
        bool wants_rows = false;
    };
    Vector<Settling> settling_;  // of each run
    Vector<std::optional<Settled>> settled_;
    Vector<double> products_;  // of the row at hand
};

}  // namespace sparselin
