#include "apply/predictor.h"

#include "base/wide_loops.h"

namespace sparselin {

Predictor::Predictor(const Model& model, Memory memory, StopSign stop)
    : loss_(loss_of(model, memory, stop)),
      coding_(model.coding),
      bias_(model.bias, memory),
      dimension_(model.dimension),
      normalizes_(sparselin::normalizes(model, memory, stop)),
      balances_classes_(sparselin::balances_classes(model, memory, stop)),
      scale_(memory),
      classes_(memory),
      kept_(best_for(model)),
      places_(kept_ == Kept::by_index    ? places(model)
              : kept_ == Kept::by_number ? model.index.size()
                                         : 0),
      array_(memory, (places_ + 1) * model.runs(), stop),
      numbers_(memory),
      scattered_(memory, {model.runs()}) {
    for (const String& name : model.classes) classes_.emplace_back(name);
    const size_t features = model.index.size();
    if (kept_ == Kept::by_number) {
        numbers_.insert(std::span<const int32_t>(model.index), stop);
        numbers_.number(stop);
    }
    each_below(features, stop, [&](size_t i) {
        const size_t place = kept_ == Kept::by_index ? static_cast<size_t>(model.index[i]) : i;
        double* const its =
            kept_ == Kept::scattered ? scattered_.at(model.index[i], stop) : array_.data() + place * runs();
        std::ranges::copy(model.weights_at(i), its);
    });
    each_below(model.scale.index.size(), stop,
               [&](size_t i) { scale_.set(model.scale.index[i], model.scale.s[i], stop); });
}

Predictor::Kept Predictor::best_for(const Model& model) {
    constexpr size_t few = 8192;
    const size_t features = model.index.size(), size = places(model);
    if (size <= 2 * features || size * model.runs() <= few) return Kept::by_index;
    return FeatureSet::most_bytes(features, size) <= features * model.runs() * sizeof(double) ? Kept::by_number
                                                                                              : Kept::scattered;
}

void Predictor::refuse_score() {
    throw Error(Fault::out_of_range, "the score is out of range")
        .hint("Some features or weights are too large; scale the features.");
}

// What a feature weighs that the model has not seen.
static constexpr double nothing[Wide::most] = {};

namespace {

// Some features of a row, with their weights in a group of runs.
struct Some {
    static constexpr size_t most = 128;

    void find(const Predictor& predictor, const SparseRow& row, size_t from, size_t run) {
        const size_t nnz = row.features().size();
        count = std::min(most, nnz - std::min(from, nnz));
        for (size_t i = 0; i < count; ++i) {
            const double* const weights = predictor.weights(row.index[from + i]);
            places[i] = weights != nullptr ? weights + run : nothing;
            x[i] = double{row.value[from + i]};
        }
    }

    std::array<const double*, most> places;
    std::array<double, most> x;
    size_t count;
};

}  // namespace

void Predictor::scores(const SparseRow& row, double factor, double* scores, StopSign stop) const {
    common_dimension(dimension_, row.dim);
    const size_t nnz = row.features().size();
    for (size_t first = 0; first < runs(); first += Wide::most) {
        const size_t count = std::min(Wide::most, runs() - first);
        WideSum sum(count);
        Some features[2];
        Some *now = &features[0], *next = &features[1];
        now->find(*this, row, 0, first);
        for (size_t from = 0; from < nnz; from += Some::most, std::swap(now, next)) {
            if (from > 0 && from % row_stretch == 0) stop.give_up();
            next->find(*this, row, from + Some::most, first);
            CellsAhead ahead(next->places.data(), next->count, count);
            sum.add({now->places.data(), 0, now->x.data(), now->count}, ahead);
        }
        const Wide total = sum.total();
        for (size_t k = 0; k < count; ++k) scores[first + k] = checked(total[k] * factor + bias_[first + k]);
    }
}

}  // namespace sparselin
