// Goes through stored rows as often as learning from them takes: once for their scale and for the mean that casgd
// needs, once or more for the automatic step size, and then epoch by epoch.
#pragma once

#include "engine/bank.h"
#include "engine/intake.h"
#include "engine/settling_rounds.h"
#include "rows/pass.h"
#include "survey/spread.h"
#include "survey/ranges.h"

namespace sparselin {

// How far a course is.
struct Standing {
    int64_t epoch, epochs;       // epoch 0: rows are looked at before they are learned from; beyond epochs: settling
    int64_t row, rows;           // of the pass under way
    int64_t visits, least_left;  // rows in all passes: so far, and still to come at least
};

class Course {
public:
    // Fills in the bank's frame: its scale, and its centre when that is `unknown`. No run has an automatic lambda any
    // more.
    Course(RowStore& store, const ClassWeights& weights, Bank& bank, bool centre_unknown, Memory memory);

    // Has the unit of the labels found first. Where lambda is automatic, it is multiplied by what that makes of the
    // curvature.
    void find_unit(bool multiplies_lambda);

    // Has the ranges of the features noted, as rows are learned from.
    void note_ranges_in(Ranges& ranges) { ranges_ = &ranges; }

    // Goes on with a bank that has been through `epochs` epochs of other rows.
    void go_on_after(int64_t epochs);

    // Has the model settled after the last epoch: the bank's one run.
    void settle_in_the_end() { settles_ = true; }
    std::optional<Settled> settled() const { return settled_; }

    // As far as the blocks in memory allow. False: missing() blocks have to be brought in first. A call that ended in
    // Interrupted is simply made again.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return pass_->missing(); }

    // Once work() is done: brings blocks back that it has let go; false when they are missing().
    bool has_all_rows() { return pass_->have_all(); }

    Standing standing() const;

private:
    enum class Stage : uint8_t { measuring, beginning, surveying, learning, scoring, settling, finished };

    size_t room_for_median(size_t window_bytes) const;
    void open_pass(size_t window_bytes);
    bool run_pass(StopSign stop);
    void measure(const Example& example, StopSign stop);
    void visit(const Example& example, StopSign stop);
    void learn(const Example& example, StopSign stop);
    void end_stage(StopSign stop);
    void end_measuring(StopSign stop);
    void begin_bank(size_t window_bytes, StopSign stop);
    void end_epoch();
    void begin_settling(size_t window_bytes, StopSign stop);
    void score(const Example& example, StopSign stop);
    void end_settling(StopSign stop);

    const Settings& settings() const { return bank_.run(0).settings; }  // all runs go through the rows alike

    RowStore& store_;
    const ClassWeights& weights_;
    const bool weighs_classes_;
    Bank& bank_;
    bool centre_unknown_;
    Memory memory_;

    Stage stage_;
    int64_t epoch_ = 0;          // of these rows
    int64_t epochs_before_ = 0;  // of others
    Ranges* ranges_ = nullptr;
    Box<Mean> mean_;  // or Spread, which knows the mean as well
    Box<Spread> spread_;
    bool finds_unit_ = false, multiplies_lambda_ = false;
    Box<LabelUnit> unit_;
    bool settles_ = false;
    Box<SettlingRounds> settling_;
    std::optional<Settled> settled_;

    Box<Pass> pass_;
    bool in_pass_ = false;
    static constexpr size_t no_window = ~size_t{0};
    size_t at_ = no_window;              // in the pass's window
    int64_t in_pass_before_window_ = 0;  // rows
    int64_t before_pass_ = 0;            // rows of the passes that are over
};

}  // namespace sparselin
