// One call of a training aggregate: takes rows as they come, and makes a model of them in the cheapest way that does
// what was asked for.
//
//   streaming   one epoch in arrival order, and nothing that all rows have to be known for (a centre to be found, a
//               scale, balanced classes): rows are learned as they come. Where the step size is automatic, the first
//               1000 are held back, looked at, and then learned in order.
//   buffered    everything else: rows are kept, and work() makes the passes over them. Where the step size is automatic
//               and hangs on nothing else, many of them are surveyed as they come.
//
// A training can be saved and loaded, to go on elsewhere or later (training_bytes.cpp), and can take in the parts of
// others that were at work on other rows (training_parts.cpp). Of a part, rows that nobody has learned from are put
// with ours, to be gone through together; what has been learned is averaged.
//
// Memory and files are the caller's: accept() says when it wants a block to fill, work() when blocks are missing.
#pragma once

#include "options/settings.h"
#include "engine/course.h"
#include "engine/intake.h"
#include "engine/search.h"
#include "survey/label_order.h"

#include <optional>

namespace sparselin {

class Training {
public:
    static constexpr int64_t held_back = 1000;

    using Kind = Request::Kind;

    // One of many that were asked for together, as the groups of a query are; `request` must outlive it.
    Training(const Request& request, Memory memory, StopSign stop);

    Training(const Kind& kind, Memory memory, StopSign stop)
        : Training(Box<Request>::make<Request>(memory, kind, memory, stop), memory, stop) {}
    Training(LearnerKind learner, std::string_view options, bool boolean, Memory memory, StopSign stop)
        : Training(Kind{learner, options, boolean ? LabelKind::boolean : LabelKind::number}, memory, stop) {}

    enum class Answer {
        taken,
        no_room,    // give the store another block, or write its blocks out, and offer the row again
        must_work,  // taken, and work() is due before the next row
    };

    // A row to learn from. Changes nothing when it throws Interrupted. `judges`: whether a search is to judge by it,
    // and does not learn from it; where that is not said its features decide (holdout.h).
    Answer accept(const SparseRow& x, const Label& label, double weight, StopSign stop,
                  std::optional<bool> judges = {});

    // What a search over other rows has found takes the place of one over these, where they are to be searched for.
    // Before there are rows.
    void take_over(double chosen, std::span<const Tried> tried);

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
    void skip() { intake_.skip(); }

    // No more rows: work() is due. An Error when rows have to be kept for a model that would be larger than that as
    // text.
    void end_rows(size_t largest_model = SIZE_MAX);

    // Whether what it learns from its rows alone can be averaged with what others have learned from theirs.
    bool can_be_a_mean() const { return !settings().keeps_scale(); }

    // The same for a part whose rows are to go no further, however few they are. It is not the model yet that settles.
    void end_rows_of_part() {
        is_part_ = true;
        end_rows();
        keeps_rows_ = false;
    }

    // Rows that have been learned from are kept for the model, which needs all of them in memory.
    bool keeps_rows() const { return keeps_rows_; }

    // Learns as far as the blocks in memory allow: false when missing() blocks have to be brought in first.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return course_ ? course_->missing() : search_->missing(); }

    // How far work() is; nothing while rows come in.
    std::optional<Standing> standing() const;

    // So far; NaN before the first row has been learned from.
    double progressive_loss() const { return bank_->progressive_loss(); }

    RowStore& store() { return store_; }
    const RowStore& store() const { return store_; }
    LearnerKind learner() const { return request_.settings.learner; }
    std::string_view options() const { return request_.text; }
    const Origins& origins() const { return origins_; }
    LabelKind labels() const { return request_.labels; }
    bool is_boolean() const { return labels() == LabelKind::boolean; }
    int32_t dimension() const { return intake_.dimension(); }
    bool streams() const { return request_.streams; }
    int64_t rows_seen() const { return intake_.seen(); }
    int64_t learned_rows() const { return intake_.taken(); }
    bool one_class_only() const { return intake_.labels().one_class_only(); }

    // Of features that are learned from as they are, when nothing was said about their scale.
    ScaleGap scale_gap() const;

    // A feature that alone tells the labels of the first rows learned from, of two classes.
    Telltale telltale() const;

    // After end_rows() and work(), where the options asked for a search.
    const Search* search() const { return search_ ? &*search_ : nullptr; }

    // The share of a label in the first and the last rows of a stream that has come in here.
    LabelOrder::Parts label_order() const { return watched_ ? watched_->label_order.parts() : LabelOrder::Parts(); }

    // After end_rows() and work(), when at least one row has been learned from.
    void write_model(Model& model, Memory memory, StopSign stop) const;

    // The same in parts, one after the other: all but weights, biases and resume state; room for those, and about how
    // many bytes the resume state, and what comes before it, will take; those. Without a writer, weights and biases
    // alone.
    struct Sizes {
        size_t front, resume;
    };
    void write_head(Model& model, Memory memory, StopSign stop) const;
    Sizes make_room_for_rest(Model& model, StopSign stop) const;
    void write_rest(Model& model, Writer* resume, StopSign stop) const;
    bool is_resumable() const { return settings().resumable; }

private:
    // Where it is with its rows. Rows are held back to be looked at before a stream begins: then passing ends in
    // streaming.
    enum class Phase : uint8_t {
        collecting,    // rows come, and are put in the store
        catching_up,   // those that were held back are gone through, and more may come
        streaming,     // rows come, and are learned from
        last_passing,  // no more rows come; those in the store are gone through
        ended
    };

    // What rows are looked at for on their way, so that something can be said about them.
    struct Watched {
        LabelOrder label_order;  // of a stream
        Box<FirstRows> first_rows;
    };

    // What other trainings, whose parts were taken in, have learned.
    struct Parts {
        Parts(const Settings& settings, Memory memory) : bank(settings, memory) {}
        Bank bank;
        int64_t rows = 0;
    };

    Training(Box<Request>&& own, Memory memory, StopSign stop) : Training(*own, memory, stop) { own_ = std::move(own); }

    void tell_classes_apart(Bank& bank) const;
    void survey_arrival(const Example& example, StopSign stop);
    void survey_stored_rows(StopSign stop);
    void begin_passing(Phase phase);
    void begin_course();
    void end_passing();
    bool watch(const Example& example, StopSign stop);
    void watch_order(double y);
    Watched& watched() {
        if (!watched_) watched_ = Box<Watched>::make<Watched>(memory_);
        return *watched_;
    }
    StoredFeatures& features() {
        if (!features_) features_ = Box<StoredFeatures>::make<StoredFeatures>(memory_, memory_);
        return *features_;
    }
    bool may_number_features() const;
    void look_at_features(StopSign stop);
    void learn_now(const Example& example, StopSign stop);
    [[noreturn]] void raise_for(const Example& example, StopSign stop);
    bool keeps_few() const;
    bool will_settle() const;
    bool rows_end() const { return phase_ >= Phase::last_passing; }

    Box<Parts> new_parts(double lambda, Memory memory, StopSign stop) const;
    void check_same_classes(const Training& part) const;
    const Bank* learned_in(Box<Parts>& both, StopSign stop) const;
    void take_in(const Training& part, StopSign stop);
    void join_parts(StopSign stop);
    void check_same_kind(const Training& part) const;
    void refuse_numbers() const;
    double lambda_for(int64_t rows, double per_unit) const { return lambda_for(rows, per_unit, strength_); }
    double lambda_for(int64_t rows, double per_unit, double z) const;
    double strength_for_own_rows() const;
    void write_search(Model& model) const;
    double lambda_now() const;

    bool has_learned() const { return bank_->steps() > 0; }
    int64_t unlearned_rows() const { return (keeps_rows_ ? 0 : store_.rows()) + rows_to_come_; }
    bool is_of(const Model& model, StopSign stop) const;
    void load_strength(Reader& reader);
    bool load_classes(Reader& reader);
    void save_content(Writer& writer, Model* model, StopSign stop) const;
    void save_resume(Writer& writer, Model& model, StopSign stop) const;
    void save_settled(Writer& writer) const;
    void load_settled(Reader& reader);

    Run& run() { return bank_->run(0); }
    const Run& run() const { return bank_->run(0); }
    const Settings& settings() const { return run().settings; }

    Memory memory_;
    Box<Request> own_;
    const Request& request_;
    Origins origins_;  // of the settings: given is what all parts were given
    Intake intake_;
    Phase phase_;
    bool goes_on_ = false;     // from a model: its learner goes on with the rows that come
    bool keeps_rows_ = false;  // after learning from them: too few for the automatic settings, should more come later
    bool is_part_ = false;     // what it learns will be averaged with what others have
    bool watches_ = true;      // rows of a stream, for what can be said of them
    bool surveys_arrivals_;    // unless they are few so far
    int64_t epochs_done_ = 0;
    int64_t rows_to_come_ = 0;  // of a training that was loaded, and whose rows were not
    ClassWeights class_weights_;
    std::optional<Settled> settled_;  // what the model says in place of what has been learned

    double strength_ = automatic;  // that searches have chosen for the rows learned from: z, l1 or gravity

    RowStore store_;
    // Apart from the training itself, like all that is not always needed: there may be thousands of small trainings,
    // and PostgreSQL rounds what it allocates up to a power of two.
    Box<Bank> bank_;
    Box<Watched> watched_;
    Box<Survey> survey_;  // of all rows in the store, once they are many, and until the course has it
    Box<StoredFeatures> features_;
    Box<Search> search_;  // comes before the course, and stays to be asked
    Box<Course> course_;  // while stored rows are being gone through
    Box<Parts> parts_;
};

}  // namespace sparselin
