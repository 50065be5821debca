// Goes through stored rows as often as learning from them takes: once for their mean where casgd needs it, once or
// more for the automatic step size, and then epoch by epoch.
#pragma once

#include "mean.h"
#include "pass.h"
#include "progress.h"
#include "survey.h"

namespace sparselin {

class Course {
public:
    // The centre of `frame` is filled in when it is `unknown`. `settings` has no automatic lambda any more.
    Course(RowStore& store, const Settings& settings, Frame& frame, bool centre_unknown, Progress& progress,
           Memory memory);

    // Has the rows of the first epoch written there as they are learned from.
    void copy_rows_to(Vector<char>& rows) { copy_ = &rows; }

    // As far as the blocks in memory allow. False: missing() blocks have to be brought in first. A call that ended in
    // Interrupted is simply made again.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return pass_->missing(); }

    // Once work() is done.
    Box<Learner> take_learner() { return std::move(learner_); }

private:
    enum class Stage : uint8_t { averaging, surveying, learning, finished };

    void open_pass(size_t window_bytes);
    bool run_pass(StopSign stop);
    void visit(const Example& example, StopSign stop);
    void learn(const Example& example, StopSign stop);
    void end_stage(StopSign stop);
    void start_learner(size_t window_bytes, StopSign stop);
    void end_epoch();

    RowStore& store_;
    const Settings& settings_;
    Frame& frame_;
    Progress& progress_;
    Memory memory_;

    Stage stage_;
    int64_t epoch_ = 0;
    Vector<char>* copy_ = nullptr;
    Box<Mean> mean_;
    Box<Survey> survey_;
    Box<Learner> learner_;

    Box<Pass> pass_;
    bool in_pass_ = false;
    static constexpr size_t no_window = ~size_t{0};
    size_t at_ = no_window;  // in the pass's window
};

}  // namespace sparselin
