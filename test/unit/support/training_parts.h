// Trainings that travel: saved, loaded, taken in by another, as src/pg/train/train_parts.cpp does it, and resumed from
// models.
#pragma once

#include "support/block_file.h"
#include "support/unsettled.h"
#include "base/codec.h"
#include "learners/dense_dekel.h"
#include "engine/model_merge.h"

#include <memory>

namespace parts {

using sparselin::LabelKind;
using sparselin::LearnerKind;
using sparselin::Model;
using sparselin::Training;

inline sparselin::Memory heap() {
    return std::pmr::new_delete_resource();
}

// The places of the features, how they write their dimension, and labels 0 for -1.
struct Writing {
    int32_t first = 0, stride = 1, dimension = 0;
    bool zero_one = false;
};

class Part {
public:
    // `window` as in Plan: other than 0, rows go to a file.
    Part(LearnerKind learner, std::string options, LabelKind labels = LabelKind::number, size_t window = 0)
        : options_(unsettled(std::move(options))), window_(window) {
        training_ = std::make_unique<Training>(Training::Kind{learner, options_, labels}, heap(), stop());
    }

    explicit Part(const Model& model) {
        sparselin::Reader reader(model.resume, "resume state of a model");
        Training::Kind kind = Training::read_kind_in_model(reader);
        options_ = kind.options;
        kind.options = options_;
        training_ = std::make_unique<Training>(kind, heap(), stop());
        training_->resume(reader, model, stop());
    }

    void take(const dense::Row& row, Writing writing = {}) {
        take(row, writing.zero_one && row.label < 0 ? 0 : row.label, writing);
    }

    // The row with another label.
    void take(const dense::Row& row, const sparselin::Label& label, Writing writing = {}) {
        std::vector<int32_t> index;
        std::vector<float> value;
        for (const auto& [position, number] : row.features) {
            index.push_back(writing.first + position * writing.stride);
            value.push_back(static_cast<float>(number));
        }
        const sparselin::SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()),
                                        writing.dimension};
        auto answer = training_->accept(x, label, row.weight, stop());
        if (answer == Training::Answer::no_room) {
            make_room(x);
            answer = training_->accept(x, label, row.weight, stop());
        }
        if (answer == Training::Answer::must_work) work();
    }

    Part& take(const std::vector<dense::Row>& rows, size_t from = 0, size_t to = SIZE_MAX, Writing writing = {}) {
        for (size_t i = from; i < std::min(to, rows.size()); ++i) take(rows[i], writing);
        return *this;
    }

    Part& skip() {
        training_->skip();
        return *this;
    }

    // Learns from its rows now, as a process does whose rows are too many to be shipped.
    Part& learn_alone() {
        training_->end_rows();
        work();
        return *this;
    }

    // The same for a part that is to go together with others.
    Part& learn_as_part() {
        training_->end_rows_of_part();
        work();
        return *this;
    }

    // What goes to another process: the bytes, and the blocks.
    struct Parcel {
        std::vector<char> head;
        std::vector<std::string> blocks;
    };

    Parcel save() {
        sparselin::Vector<char> bytes(heap());
        sparselin::Writer writer(bytes);
        training_->save(writer, stop());
        Parcel parcel = {{bytes.begin(), bytes.end()}, {}};
        for (const sparselin::Block& block : training_->store().blocks()) {
            if (block.used == 0) continue;
            const std::string rows =
                block.in_memory() ? std::string(block.data, block.used) : file_.read(block.position);
            parcel.blocks.push_back(rows);
        }
        return parcel;
    }

    // Takes in a part that has travelled.
    Part& combine(const Parcel& parcel) {
        sparselin::Reader reader(parcel.head, "state of a training aggregate");
        const Training::Kind kind = Training::read_kind(reader);
        Training part(kind, heap(), stop());
        part.load(reader, false, stop());
        reader.finish();
        training_->absorb(part, stop());
        for (const std::string& rows : parcel.blocks) adopt(rows);
        return *this;
    }
    Part& combine(Part& part) { return combine(part.save()); }

    // Takes in a part of the same process.
    Part& combine_here(Part& part) {
        training_->absorb(part.training(), stop());
        for (const std::string& rows : part.save().blocks) adopt(rows);
        return *this;
    }

    Model finish() {
        learn_alone();
        Model model(heap());
        training_->write_model(model, heap(), stop());
        return model;
    }

    Training& training() { return *training_; }
    size_t blocks_written() const { return file_.written(); }

private:
    static sparselin::StopSign stop() { return sparselin::StopSign(); }

    void make_room(const sparselin::SparseRow& x) {
        sparselin::RowStore& store = training_->store();
        if (window_ != 0 && store.worth_spilling()) file_.write_out(store);
        if (!store.has_room_for(x)) store.add_block(store.next_block_size(x));
    }

    void adopt(const std::string& rows) {
        const size_t largest = window_ == 0 ? rows.size() : window_ / 8;
        for (size_t at = 0; at < rows.size();) at += training_->adopt(std::span(rows).subspan(at), largest, stop());
        if (window_ != 0) file_.write_out(training_->store());
    }

    void work() {
        while (!training_->work(window_ == 0 ? SIZE_MAX : window_, stop()))
            file_.bring_in(training_->store(), training_->missing());
    }

    std::string options_;
    size_t window_ = 0;
    std::unique_ptr<Training> training_;
    BlockFile file_;
};

inline std::vector<char> bytes_of(const Model& model) {
    const auto bytes = sparselin::encode(model, 0, heap(), sparselin::StopSign());
    return {bytes.begin(), bytes.end()};
}

inline Model through_bytes(const Model& model) {
    return sparselin::decode(bytes_of(model), heap(), sparselin::StopSign());
}

inline Model through_text(const Model& model) {
    return sparselin::from_json(sparselin::to_json(model, true, SIZE_MAX, heap(), sparselin::StopSign()), heap(),
                                sparselin::StopSign());
}

inline double weight_of(const Model& model, int32_t feature) {
    const auto place = std::lower_bound(model.index.begin(), model.index.end(), feature);
    return place != model.index.end() && *place == feature ? model.weight[size_t(place - model.index.begin())] : 0;
}

// The largest difference between the model and the step-weighted mean of the others, in their largest weights: of
// models of one run.
inline double difference_from_mean(const Model& model, const std::vector<const Model*>& others) {
    double steps = 0, largest = 1e-300, bias = 0, difference = 0;
    std::vector<int32_t> features(model.index.begin(), model.index.end());
    for (const Model* other : others) {
        steps += static_cast<double>(other->steps);
        features.insert(features.end(), other->index.begin(), other->index.end());
        largest = std::max(largest, std::fabs(other->bias[0]));
        for (const double weight : other->weight) largest = std::max(largest, std::fabs(weight));
    }
    for (const Model* other : others) bias += static_cast<double>(other->steps) / steps * other->bias[0];
    difference = std::fabs(model.bias[0] - bias);
    for (const int32_t feature : features) {
        double mean = 0;
        for (const Model* other : others)
            mean += static_cast<double>(other->steps) / steps * weight_of(*other, feature);
        difference = std::max(difference, std::fabs(weight_of(model, feature) - mean));
    }
    return difference / largest;
}

}  // namespace parts
