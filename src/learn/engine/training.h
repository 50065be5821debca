// One call of a training aggregate: takes rows as they come, and makes a model of them in the cheapest way that does
// what was asked.
//
//   streaming   one epoch in arrival order, and nothing that all rows have to be known for (a centre to be found, a
//               scale, balanced classes): rows are learned as they come. Where the step size is automatic, the first
//               1000 are held back, looked at, and then learned in order.
//   buffered    everything else: rows are kept, and work() makes the passes over them.
//
// A training can be saved and loaded, to go on elsewhere or later, and can take in the parts of others that were at
// work on other rows (training_state.cpp). Of a part, rows that nobody has learned from are put with ours, to be gone
// through together; what has been learned is averaged.
//
// Memory and files are the caller's: accept() says when it wants a block to fill, work() when blocks are missing.
#pragma once

#include "engine/course.h"
#include "engine/labels.h"

#include <optional>

namespace sparselin {

class Training {
public:
    static constexpr int64_t held_back = 1000;

    // What a training is for. `options` is the canonical text, which must outlive the training; what it leaves open is
    // up to the learner. `boolean`: how labels are written.
    struct Kind {
        LearnerKind learner;
        std::string_view options;
        bool boolean;
        // Of a training that goes on from a model: the options are all settings that it had, whatever a learner does by
        // itself today, and this says which of them were given.
        std::optional<Origins> origins{};
    };

    Training(const Kind& kind, Memory memory, StopSign stop);
    Training(LearnerKind learner, std::string_view options, bool boolean, Memory memory, StopSign stop)
        : Training(Kind{learner, options, boolean}, memory, stop) {}

    enum class Answer {
        taken,
        no_room,    // give the store another block, or write its blocks out, and offer the row again
        must_work,  // taken, and work() is due before the next row
    };

    // A row to learn from. Changes nothing when it throws Interrupted.
    Answer accept(const SparseRow& x, double label, double weight, StopSign stop);

    // What a saved training was for, its options a view into the reader's bytes: one that travels, or one in a model.
    static Kind read_kind(Reader& reader);
    static Kind read_kind_in_model(Reader& reader);

    // All but the rows in the store.
    void save(Writer& writer, StopSign stop) const;

    // What followed the kind, into a training that was made for it. `goes_on`: more rows will come, or their model.
    void load(Reader& reader, bool goes_on, StopSign stop);

    // As load() for the state that a model carries, after read_kind_in_model(); the held rows are part of it.
    void resume(Reader& reader, const Model& model, StopSign stop);

    // Takes in what another training of the same kind has learned and counted; bringing its rows is up to the caller.
    void absorb(const Training& part, StopSign stop);

    // Its rows, as they travel: takes as many as `largest` bytes hold, but at least one, and says how many bytes that
    // took. They may come from anywhere: an Error for those that cannot be, but where they are `checked` already.
    size_t adopt(std::span<const char> rows, size_t largest, StopSign stop, bool checked = false);

    // How many of them there are, of a training that was loaded.
    int64_t rows_to_come() const { return rows_to_come_; }

    // A row with a NULL in it.
    void skip() {
        ++rows_seen_;
        ++skipped_;
    }

    // No more rows: work() is due. An Error when rows have to be kept for a model that would be larger than that as
    // text.
    void end_rows(size_t largest_model = SIZE_MAX);

    // The same for a part whose rows are to go no further, however few they are.
    void end_rows_of_part() {
        end_rows();
        keeps_rows_ = false;
    }

    // Rows that have been learned from are kept for the model, which needs all of them in memory.
    bool keeps_rows() const { return keeps_rows_; }

    // Learns as far as the blocks in memory allow: false when missing() blocks have to be brought in first.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return course_->missing(); }

    // How far work() is; nothing while rows come in.
    std::optional<Standing> standing() const { return course_ ? std::optional(course_->standing()) : std::nullopt; }

    // So far; NaN before the first row has been learned from.
    double progressive_loss() const { return progress_.progressive_loss(); }

    RowStore& store() { return store_; }
    const RowStore& store() const { return store_; }
    LearnerKind learner() const { return settings().learner; }
    std::string_view options() const { return options_; }
    const Origins& origins() const { return basis_->origins; }
    bool is_boolean() const { return labels_.is_boolean(); }
    int32_t dimension() const { return dimension_; }
    bool streams() const { return streams_; }
    int64_t rows_seen() const { return rows_seen_; }
    int64_t learned_rows() const { return learned_rows_; }
    bool one_class_only() const { return labels_.one_class_only(); }

    // Of features that are learned from as they are, when nothing was said about their scale.
    ScaleGap scale_gap() const { return ranges_ ? ranges_->gap() : ScaleGap(); }

    // After end_rows() and work(), when at least one row has been learned from.
    void write_model(Model& model, Memory memory, StopSign stop) const;

private:
    Training(const Kind& kind, const Options& options, Memory memory, StopSign stop);
    bool needs_all_rows() const;
    void set_centre(const SparseRow& center);
    void check_row(const SparseRow& x, double weight, StopSign stop) const;
    void learn_now(const Example& example, StopSign stop);
    void watch_scale(const SparseRow& x, StopSign stop);
    void begin_course();
    bool keeps_few() const;
    void take_in(const Training& part, StopSign stop);
    void join_parts(StopSign stop);
    double lambda_for(int64_t rows) const;
    double lambda_now() const;
    int64_t unlearned_rows() const { return (keeps_rows_ ? 0 : store_.rows()) + rows_to_come_; }
    bool can_be(const Example& example, StopSign stop) const;
    void check_same_kind(const Training& part) const;
    void save_content(Writer& writer, StopSign stop) const;
    void save_resume(Vector<char>& resume, StopSign stop) const;
    String all_settings(StopSign stop) const;
    String resolved_options(Memory memory, StopSign stop) const;

    // What learning is based on. Apart from the training itself, like all that is not always needed: there may be
    // thousands of small trainings, and PostgreSQL rounds what it allocates up to a power of two.
    struct Basis {
        Basis(const Settings& settings, const Origins& origins, Memory memory)
            : settings(settings), origins(origins), frame(memory) {}
        Settings settings;
        Origins origins;
        Frame frame;
        ClassWeights class_weights;
    };

    // What other trainings, whose parts were taken in, have learned.
    struct Parts {
        explicit Parts(Memory memory) : frame(memory), progress(memory) {}
        Frame frame;
        Box<Learner> learner;
        Progress progress;
        int64_t rows = 0;
    };

    // What there is of learning, in a training or in its parts.
    struct Learned {
        const Learner* learner = nullptr;  // nullptr: nothing
        const Frame* frame = nullptr;
        const Progress* progress = nullptr;
    };
    Learned learned_in(Parts& both, StopSign stop) const;
    void begin_parts(Parts& parts, double lambda, StopSign stop) const;
    bool is_of(const Model& model, StopSign stop) const;

    Settings& settings() { return basis_->settings; }
    const Settings& settings() const { return basis_->settings; }

    Memory memory_;
    Box<Basis> basis_;
    std::string_view options_;
    Labels labels_;
    bool centre_unknown_;
    bool streams_;
    bool watches_scale_;  // nothing was said about it
    bool lambda_unknown_;
    bool goes_on_ = false;     // from a model: its learner goes on with the rows that come
    bool keeps_rows_ = false;  // after learning from them: too few for the automatic settings, should more come later
    bool ended_ = false;
    int64_t epochs_done_ = 0;
    int64_t rows_to_come_ = 0;  // of a training that was loaded, and whose rows were not
    int32_t dimension_ = 0;
    int32_t largest_index_ = -1;
    int64_t rows_seen_ = 0, skipped_ = 0, learned_rows_ = 0;

    RowStore store_;
    Progress progress_;
    Box<Ranges> ranges_;
    Box<Course> course_;    // while stored rows are being gone through
    Box<Learner> learner_;  // before and after that
    Box<Parts> parts_;
};

}  // namespace sparselin
