#include "apply/loss_sums.h"

#include "apply/verdict.h"
#include "base/wide.h"

namespace sparselin {

static constexpr uint8_t version = 3;
static constexpr size_t most_runs = 100000;

LossSums::LossSums(const Subject& subject, Memory memory)
    : memory_(memory),
      subject_(subject),
      labels_(subject.loss.loss, subject.labels == LabelKind::boolean ? LabelKind::boolean : LabelKind::number, memory),
      tallies_(memory),
      waiting_(subject.loss, subject.runs, curves(), memory) {
    const size_t count = subject.balances ? std::max<size_t>(2, subject.runs) : 1;
    tallies_.reserve(count);
    while (tallies_.size() < count) tallies_.emplace_back(cell_size(), memory);
}

size_t LossSums::read_label(const Predictor& predictor, const Label& label, double* y, int64_t row, StopSign stop) {
    if (subject_.labels != LabelKind::text) {
        y[0] = labels_.read(label, row, stop);
        return subject_.balances && y[0] > 0 ? 1 : 0;
    }
    const size_t own = in_row(row, [&] { return class_by_name(predictor, label.text); });
    // The one run of two classes is that of the second.
    const bool has_two = predictor.classes().size() == 2 && subject_.runs == 1;
    for (size_t k = 0; k < subject_.runs; ++k) y[k] = own == (has_two ? 1 : k) ? 1 : -1;
    return subject_.balances ? own : 0;
}

static void add_pair(double* sums, double* rests, Two x) {
    Two sum = Two::at(sums), rest = Two::at(rests);
    add_to(sum, rest, x);
    sum.copy_to(sums);
    rest.copy_to(rests);
}

// To two cells, of a sum and its rest each.
static void add_to_both(double* a, double* b, Two x) {
    const Two first = Two::at(a), second = Two::at(b);
    Two sum = Two::firsts(first, second), rest = Two::seconds(first, second);
    add_to(sum, rest, x);
    Two::firsts(sum, rest).copy_to(a);
    Two::seconds(sum, rest).copy_to(b);
}

// Adds a number each, times the factor, to so many sums, which lie side by side, and their rests behind them.
static void add_each(double* sums, size_t count, const double* x, double factor) {
    double* const rests = sums + count;
    size_t k = 0;
    for (; k + 2 <= count; k += 2) add_pair(sums + k, rests + k, Two::at(x + k) * factor);
    if (k < count) add_to(sums[k], rests[k], x[k] * factor);
}

// sum (x - c)^2 = sum x^2 - 2 c sum x + m c^2, c being about the mean: exactly, as a value of 123456.7 in every row
// would not leave a digit else.
double LossSums::Lie::variance(int64_t rows) const {
    const auto m = static_cast<double>(rows);
    const double c = mean(rows);
    Sum sum(xx);
    const auto add_product = [&](double a, double b) {
        sum.add(a * b);
        sum.add(std::fma(a, b, -(a * b)));
    };
    sum.add(xx_rest);
    add_product(-2 * c, x);
    add_product(-2 * c, x_rest);
    add_product(m * c, c);
    add_product(std::fma(m, c, -(m * c)), c);
    const double off = (x - m * c) + x_rest - std::fma(m, c, -(m * c));
    return std::max(0.0, sum.value() / m - (off / m) * (off / m));
}

void LossSums::add_survey(double* cell, double x, const double* curvatures) {
    Lie& lie = *reinterpret_cast<Lie*>(cell);
    const Two powers(x, x * x);  // exact where a scale is made of them: x is a float4 then
    add_pair(&lie.x, &lie.x_rest, powers);
    lie.most = std::max(lie.most, std::fabs(x));
    lie.having += 1;
    if (!curves()) return;
    double* sums = cell + numbers_of_lie;
    for (size_t k = 0; k < subject_.runs; ++k, sums += 2) {
        const double first = curvatures[k] * x;
        (Two::at(sums) + Two(first, first * x)).copy_to(sums);
    }
}

void LossSums::add_products(const WaitingRows::Row& row, const double* slopes, const double* curvatures,
                            StopSign stop) {
    const size_t runs = subject_.runs;
    const SparseRow& x = row.x;
    Cells& cells = tallies_[row.tally].cells;
    if (runs == 1 && !surveys()) {
        cells.with_cells(x, stop, [&, its = slopes[0] * row.factor, value = x.value](auto cell) {
            each_of(x.nnz / 2, stop, [=](int32_t pair) {
                const int32_t i = 2 * pair;
                add_to_both(cell(i), cell(i + 1), Two(value[i], value[i + 1]) * its);
            });
            if (x.nnz % 2 == 0) return;
            double* const sum = cell(x.nnz - 1);
            add_to(sum[0], sum[1], its * double{value[x.nnz - 1]});
        });
        return;
    }
    cells.with_cells(x, stop, [&](auto cell) {
        each_of(x.nnz, stop, [&](int32_t i) {
            double* const its = cell(i);
            const double value = row.factor * double{x.value[i]};
            add_each(its, runs, slopes, value);
            if (surveys()) add_survey(its + 2 * runs, value, curvatures);
        });
    });
}

// As many of each row.
void LossSums::add_up(Vector<Sum> Tally::*sums, const Vector<double>& numbers) {
    const std::span<const WaitingRows::Row> rows = waiting_.rows();
    const size_t each = numbers.size() / rows.size();
    const double* number = numbers.data();
    if (each == 1 && tallies_.size() == 1) {
        Sum sum = (tallies_[0].*sums)[0];
        for (size_t i = 0; i < rows.size(); ++i) sum.add(number[i]);
        (tallies_[0].*sums)[0] = sum;
        return;
    }
    for (const WaitingRows::Row& row : rows) {
        Sum* const to = (tallies_[row.tally].*sums).data();
        for (size_t k = 0; k < each; ++k) to[k].add(*number++);
    }
}

void LossSums::finish(StopSign stop) {
    const std::span<const WaitingRows::Row> rows = waiting_.rows();
    if (rows.empty()) return;
    const size_t runs = subject_.runs;
    if (added_ == 0) waiting_.judge();
    for (; added_ < rows.size(); ++added_)
        add_products(rows[added_], waiting_.slopes().data() + added_ * runs,
                     waiting_.curvatures().data() + added_ * runs, stop);
    add_up(&Tally::losses, waiting_.losses());
    add_up(&Tally::slopes, waiting_.slopes());
    add_up(&Tally::curvatures, waiting_.curvatures());
    waiting_.clear();
    added_ = 0;
}

void LossSums::add(const Predictor& predictor, const SparseRow& x, const Label& label, double weight, StopSign stop) {
    while (!waiting_.make_room_for(x, stop)) finish(stop);
    const int64_t row = rows_seen() + 1;
    check_weight(weight, row);
    double* const y = waiting_.next_y();
    const size_t of = read_label(predictor, label, y, row, stop);
    if (weight == 0) return skip();
    Tally& tally = tallies_[of];
    if (tally.rows == 0) make_room(tally);
    validate(x, row, stop);
    int32_t dimension = 0;
    double factor = 1;
    in_row(row, [&, scores = waiting_.next_scores()] {
        dimension = common_dimension(dimension_, x.dim);
        factor = predictor.factor(x, stop);
        if (subject_.runs > 1) {
            predictor.scores(x, factor, scores, stop);
        } else {
            scores[0] = predictor.score(x, factor, stop);
        }
    });
    waiting_.push(x, factor, weight, of, row);
    if (waiting_.borrows()) finish_borrowed(stop);
    dimension_ = dimension;
    if (subject_.labels != LabelKind::text) labels_.note(label, y[0]);
    count(tally, 1);
}

// Cells are found, for which it may be interrupted, before anything is added to them.
void LossSums::finish_borrowed(StopSign stop) {
    try {
        finish(stop);
    } catch (...) {
        waiting_.clear();
        throw;
    }
}

void LossSums::count(Tally& tally, int64_t rows) {
    classes_ += tally.rows == 0 && rows > 0 ? 1 : 0;
    tally.rows += rows;
    rows_ += rows;
}

void LossSums::make_room(Tally& tally) const {
    tally.losses.resize(waiting_.losses_of_row());
    tally.slopes.resize(subject_.runs);
    tally.curvatures.resize(curves() ? subject_.runs : 0);
}

double LossSums::weight_of(const Tally& tally) const {
    if (!subject_.balances) return 1;
    return static_cast<double>(rows_) / (static_cast<double>(classes_) * static_cast<double>(tally.rows));
}

double LossSums::of_all(Vector<Sum> Tally::*sums, size_t run) const {
    Sum sum;
    for (const Tally& tally : tallies_)
        if (tally.rows > 0) sum.add(weight_of(tally) * (tally.*sums)[run].value());
    return sum.value();
}

LossSums::Cells LossSums::balanced_cells(StopSign stop) const {
    Cells all(memory_, {cell_size()});
    for (const Tally& tally : tallies_) {
        if (tally.rows == 0) continue;
        tally.cells.walk(stop, [&, weight = weight_of(tally)](int32_t index, const double* from) {
            add_cell(all.at(index, stop), from, weight);
        });
    }
    return all;
}

void LossSums::add_cell(double* to, const double* from, double weight) const {
    const size_t runs = subject_.runs;
    for (size_t k = 0; k < runs; ++k) {
        add_to(to[k], to[runs + k], weight * from[k]);
        to[runs + k] += weight * from[runs + k];
    }
    if (!surveys()) return;
    Lie& lie = *reinterpret_cast<Lie*>(to + 2 * runs);
    const Lie& other = *reinterpret_cast<const Lie*>(from + 2 * runs);
    add_to(lie.x, lie.x_rest, other.x);
    add_to(lie.xx, lie.xx_rest, other.xx);
    lie.x_rest += other.x_rest;
    lie.xx_rest += other.xx_rest;
    lie.most = std::max(lie.most, other.most);
    lie.having += other.having;
    for (size_t n = cell_size() - numbers_of_curves(); n < cell_size(); ++n) to[n] += weight * from[n];
}

void LossSums::absorb(const LossSums& part, StopSign stop) {
    if (!(subject_ == part.subject_))
        throw Error(Fault::bad_value, "the model is not the same for all rows")
            .hint("One model is looked at in a group; add what it depends on to GROUP BY.");
    labels_.check_fits(part.labels_);
    const int32_t dimension = common_dimension(dimension_, part.dimension_);
    for (size_t i = 0; i < tallies_.size(); ++i) {
        Tally& tally = tallies_[i];
        const Tally& other = part.tallies_[i];
        if (other.rows == 0) continue;
        make_room(tally);
        other.cells.walk(stop,
                         [&](int32_t index, const double* from) { add_cell(tally.cells.at(index, stop), from, 1); });
        for (Vector<Sum> Tally::*const sums : {&Tally::losses, &Tally::slopes, &Tally::curvatures})
            for (size_t k = 0; k < (tally.*sums).size(); ++k) (tally.*sums)[k].add((other.*sums)[k]);
        count(tally, other.rows);
    }
    dimension_ = dimension;
    labels_.add(part.labels_);
    skipped_ += part.skipped_;
}

static void save_sum(Writer& writer, const Sum& sum) {
    for (const double* number : Sum::state_of(sum)) writer.f64(*number);
}

static void load_sum(Reader& reader, Sum& sum) {
    for (double* number : Sum::state_of(sum)) *number = reader.f64();
}

void LossSums::save(Writer& writer, StopSign stop) const {
    writer.u8(version);
    writer.u64(subject_.fingerprint.low);
    writer.u64(subject_.fingerprint.high);
    writer.u8(static_cast<uint8_t>(subject_.loss.loss));
    writer.f64(subject_.loss.parameter);
    writer.u32(static_cast<uint32_t>(subject_.runs));
    writer.u8(static_cast<uint8_t>(subject_.labels));
    writer.u8(static_cast<uint8_t>(subject_.beside));
    writer.u8(subject_.balances ? 1 : 0);
    labels_.save(writer);
    writer.i64(skipped_);
    writer.i32(dimension_);
    for (const Tally& tally : tallies_) save_tally(writer, tally, stop);
}

void LossSums::save_tally(Writer& writer, const Tally& tally, StopSign stop) const {
    writer.i64(tally.rows);
    if (tally.rows == 0) return;
    for (const Vector<Sum>* const sums : {&tally.losses, &tally.slopes, &tally.curvatures})
        for (const Sum& sum : *sums) save_sum(writer, sum);
    uint64_t features = 0;
    tally.cells.walk(stop, [&](int32_t, const double*) { ++features; });
    writer.u64(features);
    const size_t size = cell_size();
    char* place = writer.place_for(features * (sizeof(int32_t) + size * sizeof(double)));
    tally.cells.walk(stop, [&](int32_t index, const double* cell) {
        store_little(place, index);
        place += sizeof index;
        for (size_t n = 0; n < size; ++n, place += sizeof(double)) store_little(place, cell[n]);
    });
}

static LossSums::Subject read_subject(Reader& reader) {
    const uint64_t low = reader.u64(), high = reader.u64();
    Loss loss{};
    const bool loss_is_known = find_by_number(reader.u8(), loss);
    const double parameter = reader.f64();
    const uint32_t runs = reader.u32();
    const uint8_t labels = reader.u8(), beside = reader.u8(), balances = reader.u8();
    if (!loss_is_known || runs == 0 || runs > most_runs || labels > static_cast<uint8_t>(LabelKind::text) ||
        beside > static_cast<uint8_t>(Beside::curves) || balances > 1)
        reader.fail("unknown loss, runs or labels");
    // Each class has a count at least; without classes apart, and without rows, nothing follows.
    if (balances == 1 && runs > reader.left() / sizeof(int64_t)) reader.fail("unlikely runs");
    return {{low, high},  {loss, parameter}, runs, static_cast<LabelKind>(labels), static_cast<Beside>(beside),
            balances == 1};
}

LossSums LossSums::load(Reader& reader, Memory memory, StopSign stop) {
    if (reader.u8() != version) reader.fail("unknown version");
    LossSums sums(read_subject(reader), memory);
    sums.labels_.load(reader, stop);
    sums.skipped_ = Intake::read_count(reader);
    sums.dimension_ = reader.i32();
    if (sums.dimension_ < 0) reader.fail("no such dimension");
    for (Tally& tally : sums.tallies_) sums.load_tally(reader, tally, stop);
    return sums;
}

void LossSums::load_tally(Reader& reader, Tally& tally, StopSign stop) {
    count(tally, Intake::read_count(reader));
    if (rows_ > most_counted) reader.fail("no such count");
    if (tally.rows == 0) return;
    make_room(tally);
    for (Vector<Sum>* const sums : {&tally.losses, &tally.slopes, &tally.curvatures})
        for (Sum& sum : *sums) load_sum(reader, sum);
    const size_t size = cell_size(), features = reader.count(sizeof(int32_t) + size * sizeof(double));
    int32_t last = -1;
    each_below(features, stop, [&](size_t) {
        const int32_t index = reader.i32();
        if (index <= last || index >= max_index) reader.fail("indices out of order");
        double* const cell = tally.cells.at(index, stop);
        for (size_t n = 0; n < size; ++n) cell[n] = reader.f64();
        last = index;
    });
}

}  // namespace sparselin
