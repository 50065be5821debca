// Settling over rows that go by, as often as it takes: their scores are kept for that where there is room, and made
// again from the rows where there is not.
#pragma once

#include "engine/kept_scores.h"

#include <optional>
#include <variant>

namespace sparselin {

class SettlingRounds {
public:
    // Of so many rows; room in bytes.
    SettlingRounds(const Settings& settings, const Outline& outline, int64_t rows, size_t room, Memory memory,
                   StopSign stop);

    // Whether rows are wanted at all.
    bool is_wanted() const { return !penalty_.nothing_moves(); }

    // The next row of a pass; w_x is its product with the weights.
    void add(double w_x, double y, double omega) {
        rows_->s[filled_] = w_x - w_mu_;
        rows_->y[filled_] = y;
        rows_->omega[filled_] = omega;
        (y > 0 ? has_positive_ : has_others_) = true;
        if (++filled_ == ScoredRows::size) end_chunk();
    }

    // After a pass: false when another one is wanted.
    bool end_pass();

    // Then, the rounds that go by what was kept. After Interrupted the next call goes on where this one stopped.
    void go_on(StopSign stop);

    // Nothing where phi may have no least value.
    std::optional<Settled> result() const {
        if (!is_wanted() || is_unbounded()) return std::nullopt;
        return std::visit([](const auto& method) { return method.result(); }, method_);
    }

private:
    bool is_unbounded() const { return has_classes_ && penalty_.leaves_bias_free() && !(has_positive_ && has_others_); }
    void add_to_round(const ScoredRows& rows) {
        std::visit([&rows](auto& method) { method.add(rows); }, method_);
    }
    bool end_round() {
        return std::visit([](auto& method) { return method.end_round(); }, method_);
    }
    void end_chunk();

    const bool has_classes_;
    const double w_mu_;
    const Penalty penalty_;
    std::variant<Newton, Sections> method_;
    KeptScores kept_;
    Box<ScoredRows> rows_;  // those at hand
    size_t chunk_ = 0, filled_ = 0;
    bool has_positive_ = false, has_others_ = false;
    bool found_ = false;
};

}  // namespace sparselin
