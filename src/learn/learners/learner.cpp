#include "learners/learner.h"

#include "base/codec.h"
#include "learners/losses.h"
#include "learners/merge.h"

namespace sparselin {

namespace {

template <typename Algorithm, typename LossFunction>
class LearnerWith final : public Learner {
public:
    using Cell = typename Algorithm::Cell;

    LearnerWith(const Settings& settings, Frame& frame, Memory memory, StopSign stop)
        : scale_(frame.scale), algorithm_(settings, frame.centre, memory, stop) {}

    Seen learn(const Example& example, StopSign stop) override {
        if (scale_.is_one()) return learn_scaled(example, stop);
        return learn_scaled(ExampleOf<double>{scale_.apply(example.x, stop), example.y, example.omega}, stop);
    }

    double squared_length(const SparseRow& x, StopSign stop) override {
        return scale_.is_one() ? algorithm_.squared_length(x, stop)
                               : algorithm_.squared_length(scale_.apply(x, stop), stop);
    }

    void set_pace(double pace) override {
        if constexpr (requires { algorithm_.schedule.set_pace(pace); }) algorithm_.schedule.set_pace(pace);
    }

    int64_t steps() const override { return algorithm_.schedule.t; }

    void note_options(Options& options) const override {
        if constexpr (requires { algorithm_.note_options(options); }) algorithm_.note_options(options);
    }

    void write_model(Model& model, StopSign stop) const override {
        const int64_t t = steps();
        model.bias = algorithm_.bias();
        model.centred_bias = algorithm_.centred_bias();
        check_finite(model.bias, "bias", t);
        model.index.clear();
        model.weight.clear();
        algorithm_.features.walk(stop, [&](int32_t index, const Cell& cell) {
            double weight = algorithm_.weight(cell);
            if (!scale_.is_one()) weight /= scale_.of(index);
            check_finite(weight, "weight of a feature", t);
            if (weight == 0) return;
            model.index.push_back(index);
            model.weight.push_back(weight);
        });
    }

    // The numbers that the algorithm lists, then its cells by ascending index, ended by -1. When dead cells leave the
    // table depends on its size, so they are left out.
    void save(Writer& writer, StopSign stop) const override {
        writer.i64(steps());
        for (const double* number : Algorithm::state_of(algorithm_)) writer.f64(*number);
        algorithm_.features.walk(stop, [&](int32_t index, const Cell& cell) {
            if constexpr (requires { algorithm_.alive(cell); }) {
                if (!algorithm_.alive(cell)) return;
            }
            writer.i32(index);
            for (const double number : std::bit_cast<Numbers>(cell)) writer.f64(number);
        });
        writer.i32(-1);
    }

    void load(Reader& reader, StopSign stop) override {
        const int64_t t = reader.i64();
        if (t < 0 || t > most_counted) reader.fail("no such step");
        for (double* number : Algorithm::state_of(algorithm_)) *number = finite(reader);
        prepare_for(reader, stop);
        int32_t previous = -1;
        size_t count = 0;
        for (int32_t index = reader.i32(); index != -1; index = reader.i32()) {
            stop.poll_every_so_often(++count);
            if (index <= previous || index >= max_index) reader.fail("features do not ascend");
            previous = index;
            Numbers numbers;
            for (double& number : numbers) number = finite(reader);
            algorithm_.features.at(index, stop) = std::bit_cast<Cell>(numbers);
        }
        // Last: a learner of no steps is one that can be loaded again after Interrupted.
        resume_at(t);
    }

    void merge(const Learner& other, double lambda, Memory memory, StopSign stop) override {
        const auto& theirs = static_cast<const LearnerWith&>(other);
        if (theirs.steps() == 0) return;
        if (steps() == 0) return copy(theirs, stop);
        sparselin::merge(algorithm_, scale_, {theirs.algorithm_, theirs.scale_}, lambda, memory, stop);
    }

private:
    using Numbers = std::array<double, sizeof(Cell) / sizeof(double)>;

    template <typename Value>
    Seen learn_scaled(const ExampleOf<Value>& example, StopSign stop) {
        const double idle = value_of_zero<LossFunction>(example.y);
        if constexpr (requires { LossFunction::moves_where_right; }) {
            const double length = algorithm_.one + algorithm_.squared_length(example.x, stop);
            const double loss = algorithm_.step(LossFunction{}, example, stop);
            const double q = step_size() * example.omega * length;  // how far the step has moved its own prediction
            return {loss, std::max(idle, LossFunction::value(-q * LossFunction::slope(0, example.y), example.y))};
        } else {
            return {algorithm_.step(LossFunction{}, example, stop), idle};
        }
    }

    // Of the latest step.
    double step_size() const {
        if constexpr (requires { algorithm_.schedule.gamma; }) {
            return algorithm_.schedule.gamma;
        } else {
            return algorithm_.schedule.eta;
        }
    }

    void copy(const LearnerWith& other, StopSign stop) {
        other.scale_.walk(stop, [&](int32_t index, double s) { scale_.set(index, s, stop); });
        algorithm_.features.begin_with(other.algorithm_.features.array_size(), stop);
        other.algorithm_.features.walk(
            stop, [&](int32_t index, const Cell& cell) { algorithm_.features.at(index, stop) = cell; });
        const auto mine = Algorithm::state_of(algorithm_);
        const auto theirs = Algorithm::state_of(other.algorithm_);
        for (size_t i = 0; i < mine.size(); ++i) *mine[i] = *theirs[i];
        resume_at(other.steps());
    }

    // What follows from the numbers that were read.
    void resume_at(int64_t t) {
        algorithm_.schedule.resume(t);
        if constexpr (requires { algorithm_.resume(); }) algorithm_.resume();
    }

    // Looks ahead at the features that are to be read, and has the table begin as they call for.
    void prepare_for(const Reader& reader, StopSign stop) {
        constexpr size_t record = sizeof(int32_t) + sizeof(Numbers);
        const std::span<const char> ahead = reader.ahead();
        typename FeatureTable<Cell>::Widths of_width{};
        for (size_t at = 0; at + record <= ahead.size(); at += record) {
            stop.poll_every_so_often(at / record);
            const auto index = load_little<int32_t>(ahead.data() + at);
            if (index < 0) break;
            FeatureTable<Cell>::count(of_width, index);
        }
        algorithm_.features.begin_with(FeatureTable<Cell>::array_size_for(of_width), stop);
    }

    static double finite(Reader& reader) {
        const double number = reader.f64();
        if (!std::isfinite(number)) reader.fail("a number is not finite");
        return number;
    }

    Scale& scale_;
    Algorithm algorithm_;
};

template <typename Algorithm>
Box<Learner> with_algorithm(const Settings& settings, Frame& frame, Memory memory, StopSign stop) {
    return with_loss(settings.loss, [&](auto loss) {
        return Box<Learner>::make<LearnerWith<Algorithm, decltype(loss)>>(memory, settings, frame, memory, stop);
    });
}

}  // namespace

Box<Learner> make_learner(const Settings& settings, Frame& frame, Memory memory, StopSign stop) {
    switch (settings.learner) {
        case LearnerKind::sgd: return with_algorithm<Sgd>(settings, frame, memory, stop);
        case LearnerKind::asgd: return with_algorithm<Asgd>(settings, frame, memory, stop);
        case LearnerKind::casgd: return with_algorithm<Casgd>(settings, frame, memory, stop);
        case LearnerKind::onepass: return with_algorithm<Onepass>(settings, frame, memory, stop);
        case LearnerKind::truncated: return with_algorithm<Truncated>(settings, frame, memory, stop);
        case LearnerKind::elasticnet: break;
    }
    return with_algorithm<ElasticNet>(settings, frame, memory, stop);
}

}  // namespace sparselin
