// Chooses how strongly a call regularises: runs that differ in nothing else learn from four fifths of the rows, side by
// side, and the other fifth judges them. Where the best lies at an end of what was tried, the search goes on from
// there, one at a time. What it has chosen is for all rows to be learned with, once more from the start.
//
// The rows held out are marked as they come in (holdout.h). Each run learns as a call of its own with only the others
// would, to the bit, where the rows are in memory.
#pragma once

#include "engine/course.h"

#include <array>

namespace sparselin {

class Search {
public:
    static constexpr double share_held_out = 0.2;
    static constexpr int64_t fewest_held_out = 50;

    // `likeness` has not begun: its runs, which tell classes apart, are those of each strength, and its centre is
    // theirs.
    Search(RowStore& store, const StoredFeatures& features, const Bank& likeness, const Request& request,
           Memory memory);

    // What another search over other rows has chosen and tried, as that says it: there is nothing left to do.
    void take_over(double chosen, std::span<const Tried> tried);

    // As Course does. An Error when learning diverges whatever is tried.
    bool work(size_t window_bytes, StopSign stop);
    const Vector<size_t>& missing() const { return course_ ? course_->missing() : walk_->missing(); }
    Standing standing() const;  // how many passes there are to come is not known: the least

    bool ended() const { return stage_ == Stage::finished; }

    // Then: z, l1 or gravity, or automatic where there are too few rows to choose by.
    double chosen() const { return chosen_; }

    // What was tried, the strongest first, as `chosen` is; no number as the loss of what has diverged.
    Vector<Tried> tried(Memory memory) const;

    int64_t visits() const { return visits_; }  // of rows

    // Classes that have no row on one of the two sides.
    size_t classes_on_one_side() const { return classes_on_one_side_; }

private:
    enum class Stage : uint8_t { counting, counting_held_out, learning, judging, finished };
    static constexpr size_t most = std::tuple_size_v<decltype(StrengthTraits::grid)>;

    // How many rows of a class there are to learn from, and held out.
    struct ClassRows {
        double y;
        int64_t learned, held_out;
    };

    // Strengths, by their places in the grid.
    struct Candidates {
        size_t first, count;
    };

    void begin_walk(Side side);
    void visit(const Example& example, StopSign stop);
    void end_walk();
    void count(double y, bool held_out);
    void end_counting();
    void weigh_classes();
    void begin_with_grid();
    void begin(Candidates candidates);
    void begin_judging(StopSign stop);
    bool learn(size_t window_bytes, StopSign stop);
    void judge(const Example& example, StopSign stop);
    double loss_of(size_t candidate);
    void end_judging();
    void go_on_from_best();
    void try_next(size_t strength);

    Settings settings_with(size_t strength, size_t run) const;
    bool can_learn(size_t strength) const;
    bool has_diverged(size_t candidate) const;
    const Settings& settings() const { return likeness_.run(0).settings; }

    RowStore& store_;
    const StoredFeatures& features_;
    const Bank& likeness_;
    const Request& request_;
    const StrengthTraits& strength_;
    Memory memory_;

    Stage stage_;
    Vector<ClassRows> classes_;  // by y
    size_t classes_on_one_side_ = 0;
    ClassWeights weights_;

    Candidates candidates_{}, tried_{};
    Box<Bank> bank_;  // of the candidates, and for each as many runs as the likeness has
    Box<Course> course_;
    Box<Walk> walk_;
    Vector<double> scores_, labels_, slopes_;  // of the row at hand, for all runs
    Vector<Outline> outlines_;
    Vector<std::optional<Settled>> settled_;
    Vector<double> losses_;  // of each candidate: the sum over the rows held out
    double omega_ = 0;       // of their weights

    int64_t visits_ = 0;             // of courses and walks that are over
    std::array<double, most> loss_;  // of each strength; infinite: it was not tried
    double chosen_ = automatic;
};

}  // namespace sparselin
