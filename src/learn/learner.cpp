#include "learner.h"

#include "asgd.h"
#include "casgd.h"
#include "codec.h"
#include "losses.h"
#include "sgd.h"

namespace sparselin {

namespace {

template <typename Algorithm, typename LossFunction>
class LearnerWith final : public Learner {
public:
    LearnerWith(const Settings& settings, const Centre& centre, Memory memory, StopSign stop)
        : algorithm_(settings, centre, memory, stop) {}

    Seen learn(const Example& example, StopSign stop) override {
        return algorithm_.step(LossFunction{}, example, stop);
    }

    double squared_length(const SparseRow& x, StopSign stop) override { return algorithm_.squared_length(x, stop); }

    void set_offset(double K) override { algorithm_.schedule.K = K; }

    double offset() const override { return algorithm_.schedule.K; }

    int64_t steps() const override { return algorithm_.schedule.t; }

    void write_model(Model& model, StopSign stop) const override {
        const int64_t t = steps();
        model.bias = algorithm_.bias();
        model.centred_bias = algorithm_.centred_bias();
        check_finite(model.bias, "bias", t);
        model.index.clear();
        model.weight.clear();
        algorithm_.features.walk(stop, [&](int32_t index, const typename Algorithm::Cell& cell) {
            const double weight = algorithm_.weight(cell);
            check_finite(weight, "weight of a feature", t);
            if (weight == 0) return;
            model.index.push_back(index);
            model.weight.push_back(weight);
        });
    }

    // The numbers that the algorithm lists, then its cells by ascending index, ended by -1.
    void save(Writer& writer, StopSign stop) const override {
        writer.i64(steps());
        for (const double number : algorithm_.state()) writer.f64(number);
        algorithm_.features.walk(stop, [&](int32_t index, const typename Algorithm::Cell& cell) {
            writer.i32(index);
            for (const double number : cell.numbers()) writer.f64(number);
        });
        writer.i32(-1);
    }

private:
    Algorithm algorithm_;
};

template <typename Algorithm>
Box<Learner> with_algorithm(const Settings& settings, const Centre& centre, Memory memory, StopSign stop) {
    return with_loss(settings.loss, [&](auto loss) {
        return Box<Learner>::make<LearnerWith<Algorithm, decltype(loss)>>(memory, settings, centre, memory, stop);
    });
}

}  // namespace

Box<Learner> make_learner(const Settings& settings, const Centre& centre, Memory memory, StopSign stop) {
    switch (settings.learner) {
        case LearnerKind::sgd: return with_algorithm<Sgd>(settings, centre, memory, stop);
        case LearnerKind::asgd: return with_algorithm<Asgd>(settings, centre, memory, stop);
        case LearnerKind::casgd: break;
    }
    return with_algorithm<Casgd>(settings, centre, memory, stop);
}

}  // namespace sparselin
