// Rows that have their scores and wait for others, to be judged by the loss together: for many at once that takes a
// third of the time.
//
// They are copied, as they are gone when the next one comes; but for a row that is longer than most_numbers, which is
// alone, and has to be done with before it goes. Room follows what rows take, up to some 10 kB for each run and
// 32 kB for what is in them.
#pragma once

#include "base/memory.h"
#include "options/losses.h"
#include "rows/sparse.h"

#include <bit>

namespace sparselin {

class WaitingRows {
public:
    struct Row {
        SparseRow x;
        double factor;  // of products with its values
        double omega;
        size_t tally;    // that it is added to
        int64_t number;  // for errors
    };

    // `curves`: whether curvatures are wanted, which the loss has.
    WaitingRows(const ChosenLoss& loss, size_t runs, bool curves, Memory memory)
        : chosen_(loss),
          runs_(runs),
          losses_(traits_of(loss.loss).joint ? 1 : runs),
          curves_(curves),
          most_rows_(std::clamp<size_t>(most_scores / runs, 1, most_scores / 4)),
          memory_(memory),
          rows_(memory),
          scores_(memory),
          y_(memory),
          loss_(memory),
          slope_(memory),
          curvature_(memory),
          index_(memory),
          value_(memory) {}

    // False where those that are there have to be done with first.
    bool make_room_for(const SparseRow& x, StopSign stop) {
        const size_t nnz = x.features().size();
        return (count_ < rows_.size() && used_ + nnz <= room_) || grow_for(nnz, stop);
    }

    // Where scores and labels of the next row go: those of each run.
    double* next_scores() { return scores_.data() + count_ * runs_; }
    double* next_y() { return y_.data() + count_ * runs_; }

    // The next row, for which there is room.
    void push(const SparseRow& x, double factor, double omega, size_t tally, int64_t number) {
        const size_t nnz = x.features().size();
        Row& row = rows_[count_++];
        row.x = x;
        if (nnz <= most_numbers) {
            row.x.index = copy(x.index, nnz, index_);
            row.x.value = copy(x.value, nnz, value_);
            used_ += nnz;
        }
        row.factor = factor;
        row.omega = omega;
        row.tally = tally;
        row.number = number;
        is_weighted_ |= omega != 1;
    }

    // Whether the last row is still that of whoever has it.
    bool borrows() const { return count_ > 0 && rows_[count_ - 1].x.features().size() > most_numbers; }

    void clear() {
        count_ = used_ = 0;
        is_weighted_ = false;
    }

    std::span<const Row> rows() const { return {rows_.data(), count_}; }

    // Finds the losses, slopes and curvatures of all rows, each times omega; an Error where one is out of range.
    void judge();

    // All losses of the first row, then of the next; and so on.
    const Vector<double>& losses() const { return loss_; }
    const Vector<double>& slopes() const { return slope_; }
    const Vector<double>& curvatures() const { return curvature_; }
    size_t losses_of_row() const { return losses_; }

private:
    static constexpr size_t most_scores = 256, most_numbers = 4096, least_numbers = 64;

    bool grow_for(size_t nnz, StopSign stop);
    void make_room(size_t nnz, StopSign stop);
    void judge_each();
    void judge_together();
    void weigh();
    [[noreturn]] void refuse_range() const;

    template <typename Value>
    const Value* copy(const Value* from, size_t count, Slab<Value>& numbers) const {
        Value* const place = numbers.data() + used_;
        if (count > 0) memcpy(place, from, count * sizeof(Value));
        return place;
    }

    ChosenLoss chosen_;
    size_t runs_, losses_;
    bool curves_;
    size_t most_rows_;
    Memory memory_;
    Vector<Row> rows_;
    Vector<double> scores_, y_;                // of each run, for as many rows as there is room for
    Vector<double> loss_, slope_, curvature_;  // of those that are there
    Slab<int32_t> index_;
    Slab<float> value_;
    size_t count_ = 0, used_ = 0, room_ = 0;  // rows; places of numbers
    bool is_weighted_ = false;
};

}  // namespace sparselin
