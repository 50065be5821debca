// Runs what the extension runs, a Training, on the reference's rows and with options as text.
#pragma once

#include "support/block_file.h"
#include "support/unsettled.h"
#include "learners/dense_dekel.h"
#include "engine/training.h"

#include <cstdio>

// How the rows are gone through.
struct Plan {
    size_t epochs = 1;
    bool replacement = false;
    uint64_t seed = 42;
    size_t window = 0;      // bytes; with 0 everything stays in memory, otherwise blocks go to a file
    std::string more = {};  // options that the reference does not have
};

struct Learned {
    std::vector<double> w;
    double b = 0, centred_b = 0, lambda = 0, progressive_loss = 0;
    int64_t rows = 0, skipped = 0, steps = 0;
    size_t nonzero = 0, blocks_written = 0;
    std::string options;  // those that the model says it was learned with

    double option(double sparselin::Options::*field) const {
        return sparselin::parse_options(options, std::pmr::new_delete_resource()).*field;
    }
    double k() const { return option(&sparselin::Options::step_offset); }
};

// The order of the steps as the reference wants it: `replacement` draws rows by Random::below, stream by epoch.
inline std::vector<size_t> order_of(const std::vector<dense::Row>& rows, const Plan& plan) {
    std::vector<size_t> present, order;
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].weight != 0) present.push_back(i);
    for (size_t epoch = 0; epoch < plan.epochs; ++epoch) {
        sparselin::Random random(plan.seed, epoch);
        for (const size_t next : present)
            order.push_back(plan.replacement ? present[random.below(present.size())] : next);
    }
    return order;
}

// Position j of the dense vectors is feature index j.
inline std::vector<int32_t> placed(size_t dimension) {
    std::vector<int32_t> places(dimension);
    for (size_t j = 0; j < dimension; ++j) places[j] = static_cast<int32_t>(j);
    return places;
}

inline std::string name_of(dense::Loss loss) {
    return sparselin::name_of(static_cast<sparselin::Loss>(loss));
}

// The loss as an option, with its parameter.
inline std::string option_of(dense::Loss loss) {
    std::string text = name_of(loss);
    if (loss == dense::Loss::huber) text += " delta=" + std::to_string(dense::huber_delta);
    if (loss == dense::Loss::quantile) text += " quantile=" + std::to_string(dense::quantile_tau);
    return text;
}

// "name=value name=value ...", with every digit; an automatic number is left out.
class OptionText {
public:
    OptionText& add(const std::string& name, const std::string& value) {
        text_ += (text_.empty() ? "" : " ") + name + "=" + value;
        return *this;
    }
    OptionText& add(const std::string& name, double value) {
        char number[64];
        snprintf(number, sizeof number, "%.17g", value);
        return std::isnan(value) ? *this : add(name, std::string(number));
    }
    OptionText& add(const Plan& plan) {
        add("epochs", static_cast<double>(plan.epochs));
        add("sampling", plan.replacement ? "replacement" : "sequential");
        return add("seed", static_cast<double>(plan.seed));
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

inline std::string option_text(const std::vector<int32_t>& places, const dense::Setup& setup, const Plan& plan) {
    OptionText text;
    text.add("loss", option_of(setup.loss)).add("lambda", setup.lambda).add(plan);
    text.add("step_offset", setup.k);
    if (setup.learner != dense::Learner::sgd) text.add("average_power", setup.q);
    text.add("intercept", setup.intercept ? "true" : "false");
    if (setup.implicit_above != 8) text.add("implicit_above", setup.implicit_above);
    if (setup.center) {
        std::string entries;
        for (size_t j = 0; j < setup.center->size(); ++j) {
            char entry[64];
            snprintf(entry, sizeof entry, "%lld:%.9g", 1LL + places[j], static_cast<double>((*setup.center)[j]));
            if ((*setup.center)[j] != 0) entries += (entries.empty() ? "" : ",") + std::string(entry);
        }
        text.add("center", "{" + entries + "}");
    }
    return text.text() + plan.more;
}

class LearnerRun {
public:
    // `window` is that of a Plan.
    LearnerRun(sparselin::LearnerKind learner, const std::string& options, const std::vector<int32_t>& places,
               size_t window)
        : places_(places),
          window_(window),
          text_(unsettled(options)),
          training_(learner, text_, false, memory(), sparselin::StopSign()) {}

    void take(const dense::Row& row) {
        std::vector<int32_t> index;
        std::vector<float> value;
        for (const auto& [position, number] : row.features) {
            index.push_back(places_[static_cast<size_t>(position)]);
            value.push_back(static_cast<float>(number));
        }
        const sparselin::SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        auto answer = training_.accept(x, row.label, row.weight, sparselin::StopSign());
        if (answer == sparselin::Training::Answer::no_room) {
            sparselin::RowStore& store = training_.store();
            if (window_ != 0 && store.worth_spilling()) file_.write_out(store);
            if (!store.has_room_for(x)) store.add_block(store.next_block_size(x));
            answer = training_.accept(x, row.label, row.weight, sparselin::StopSign());
        }
        if (answer == sparselin::Training::Answer::must_work) work();
    }

    Learned finish() {
        training_.end_rows();
        work();
        sparselin::Model model(memory());
        training_.write_model(model, memory(), sparselin::StopSign());
        Learned learned;
        learned.w.assign(places_.size(), 0);
        for (size_t i = 0; i < model.index.size(); ++i) {
            const auto place = std::find(places_.begin(), places_.end(), model.index[i]);
            learned.w.at(static_cast<size_t>(place - places_.begin())) = model.weight[i];
        }
        learned.b = model.bias[0];
        learned.centred_b = model.centred_bias[0];
        learned.lambda = model.lambda;
        learned.options = model.options;
        learned.nonzero = model.index.size();
        learned.progressive_loss = model.progressive_loss;
        learned.rows = model.rows;
        learned.skipped = model.skipped;
        learned.steps = model.steps;
        learned.blocks_written = file_.written();
        return learned;
    }

private:
    static sparselin::Memory memory() { return std::pmr::new_delete_resource(); }

    void work() {
        while (!training_.work(window_, sparselin::StopSign())) file_.bring_in(training_.store(), training_.missing());
    }

    std::vector<int32_t> places_;
    size_t window_;
    std::string text_;
    sparselin::Training training_;
    BlockFile file_;
};

inline Learned learn_sparse(const std::vector<dense::Row>& rows, const std::vector<int32_t>& places,
                            sparselin::LearnerKind learner, const std::string& options, size_t window = 0) {
    LearnerRun run(learner, options, places, window);
    for (const dense::Row& row : rows) run.take(row);
    return run.finish();
}

// Dekel's three.
inline Learned learn_sparse(const std::vector<dense::Row>& rows, const std::vector<int32_t>& places,
                            const dense::Setup& setup, const Plan& plan) {
    return learn_sparse(rows, places, static_cast<sparselin::LearnerKind>(setup.learner),
                        option_text(places, setup, plan), plan.window);
}
