// Models go on learning from the state that they carry.
#include "engine/merge_cases.h"

#include <gtest/gtest.h>

using namespace sparselin;
using namespace merge_cases;
using parts::Part;

namespace {

// 3000 rows that count, and some that do not.
const std::vector<dense::Row>& rows_for(Loss loss) {
    static std::map<Loss, std::vector<dense::Row>> made;
    if (made[loss].empty()) made[loss] = some_rows(7, 3750, loss);
    return made[loss];
}

// The place behind the k-th row that counts.
size_t behind(const std::vector<dense::Row>& rows, size_t k) {
    size_t i = 0;
    for (; k > 0; ++i) k -= rows[i].weight != 0;
    return i;
}

Model model_of(LearnerKind learner, const std::string& options, const std::vector<dense::Row>& rows, size_t from = 0,
               size_t to = SIZE_MAX) {
    return Part(learner, options).take(rows, from, to).finish();
}

}  // namespace

TEST(Resume, SomeRowsAndThenTheOthersAreAllRows) {
    for (const Loss loss : every_loss) {
        const auto& rows = rows_for(loss);
        for (const auto& [learner, more] : streaming_calls(loss)) {
            const std::string options = streaming(loss, more);
            SCOPED_TRACE(said(learner, options));
            const auto expected = parts::bytes_of(model_of(learner, options, rows));
            for (const size_t k : {1, 500, 999, 1000, 1001, 2500}) {
                SCOPED_TRACE(k);
                const size_t end = behind(rows, k);
                const Model model = model_of(learner, options, rows, 0, end);
                ASSERT_EQ(model.rows, static_cast<int64_t>(k));
                const Model binary = Part(parts::through_bytes(model)).take(rows, end).finish();
                ASSERT_TRUE(parts::bytes_of(binary) == expected);
                const Model text = Part(parts::through_text(model)).take(rows, end).finish();
                ASSERT_TRUE(parts::bytes_of(text) == expected);
            }
        }
    }
}

// The bound of a row's length, and the labels' unit, are what they were.
TEST(Resume, RowsThatAreTooLongForTheirStepsToo) {
    for (const Loss loss : every_loss) {
        auto rows = some_rows(8, 2000, loss);
        for (size_t i = 3; i < rows.size(); i += 5)
            for (auto& [position, value] : rows[i].features) value = static_cast<float>(value) * 50;
        const std::string some = "lambda=0.01 implicit_above=4", all = some + " step_offset=20";
        for (const auto& [learner, more] : {std::pair(LearnerKind::sgd, some),
                                            {LearnerKind::asgd, all},
                                            {LearnerKind::asgd, some},
                                            {LearnerKind::casgd, some + " center={2:0.5}"},
                                            {LearnerKind::onepass, some},
                                            {LearnerKind::onepass, some + " gamma0=0.1"}}) {
            const std::string options = streaming(loss, more);
            SCOPED_TRACE(said(learner, options));
            const auto expected = parts::bytes_of(model_of(learner, options, rows));
            for (const size_t k : {300, 1000, 1500}) {
                const size_t end = behind(rows, k);
                const Model model = model_of(learner, options, rows, 0, end);
                EXPECT_TRUE(parts::bytes_of(Part(parts::through_bytes(model)).take(rows, end).finish()) == expected)
                    << k;
                EXPECT_TRUE(parts::bytes_of(Part(parts::through_text(model)).take(rows, end).finish()) == expected)
                    << k;
            }
        }
    }
}

// Also while all of them are still held back, more than once, and from a file.
TEST(Resume, InManySteps) {
    const auto& rows = rows_for(Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        for (const auto& ends : {std::vector<size_t>{3, 4, 200, 900}, std::vector<size_t>{600, 1100, 1700, 3000}}) {
            Model model = model_of(learner, options, rows, 0, 2);
            size_t from = 2;
            for (const size_t end : ends) {
                model = Part(parts::through_bytes(model)).take(rows, from, end).finish();
                from = end;
            }
            Part spilled(learner, options, LabelKind::number, 2048);
            EXPECT_TRUE(parts::bytes_of(model) == parts::bytes_of(spilled.take(rows, 0, from).finish()));
        }
    }
}

TEST(Resume, BufferedCallsGoOnWithMoreEpochs) {
    const auto rows = some_rows(7, 500, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        for (const char* more : {"", " scale=std", " class_weight=balanced", " sampling=replacement"}) {
            const std::string options = std::string("loss=logistic epochs=3") + more;
            SCOPED_TRACE(said(learner, options));
            const Model first = model_of(learner, options, rows, 0, 300);
            const Model again = Part(parts::through_bytes(first)).take(rows, 300).finish();
            const Model text = Part(parts::through_text(first)).take(rows, 300).finish();
            EXPECT_TRUE(parts::bytes_of(again) == parts::bytes_of(text));
            const Model all = model_of(learner, options, rows);
            EXPECT_EQ(again.rows, all.rows);
            EXPECT_EQ(again.skipped, all.skipped);
            EXPECT_EQ(again.steps, all.steps);
            EXPECT_EQ(first.epochs, 3);
            EXPECT_EQ(again.epochs, 6);
            EXPECT_EQ(again.lambda, first.lambda);
            // No more rows: the same model.
            EXPECT_TRUE(parts::bytes_of(Part(parts::through_bytes(first)).finish()) == parts::bytes_of(first));
        }
    }
}

TEST(Resume, NoMoreRowsIsTheSameModel) {
    const auto& rows = rows_for(Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        for (const size_t count : {10, 2000}) {
            const Model model = model_of(learner, options, rows, 0, count);
            EXPECT_TRUE(parts::bytes_of(Part(parts::through_bytes(model)).finish()) == parts::bytes_of(model));
            EXPECT_EQ(Part(parts::through_bytes(model)).skip().finish().skipped, model.skipped + 1);
        }
    }
}

namespace {

// The state with one thing written in place of another of the same length.
Model with(const Model& model, std::string_view what, std::string_view instead) {
    Model edited = parts::through_bytes(model);
    const auto place = std::search(edited.resume.begin(), edited.resume.end(), what.begin(), what.end());
    EXPECT_TRUE(place != edited.resume.end() && what.size() == instead.size()) << what;
    std::copy(instead.begin(), instead.end(), place);
    return edited;
}

std::string error_of(const Model& model) {
    try {
        Part{model};
    } catch (const Error& error) {
        return error.message();
    }
    return "";
}

}  // namespace

// What nobody gave goes on as it was, whatever the defaults of a later version are: those are simulated by a state that
// was made with others.
TEST(Resume, SettingsAreThoseThatAreStored) {
    const auto& rows = rows_for(Loss::logistic);
    const std::string options = streaming(Loss::logistic, "lambda=0.01") + " settle=auto";
    const Model model = model_of(LearnerKind::asgd, options, rows, 0, 1500);
    const Model other = model_of(LearnerKind::asgd, options + " average_power=3", rows, 0, 1500);
    const Model all = model_of(LearnerKind::asgd, options + " average_power=3", rows);
    EXPECT_NE(model.weight, other.weight);

    Model edited = parts::through_bytes(other);
    edited.origins.set(find_option("average_power"), Origin::automatic);
    const std::string_view entry("\x01\x0d\0\0\0\0\0\0\0average_power", 22);
    const auto place = std::search(edited.resume.begin(), edited.resume.end(), entry.begin(), entry.end());
    ASSERT_TRUE(place != edited.resume.end());
    const auto count = std::search(edited.resume.begin(), place, "\x05\0\0\0\x01", "\x05\0\0\0\x01" + 5);
    ASSERT_TRUE(count != place);
    *count = 4;
    edited.resume.erase(place, place + 22);
    const Model gone_on = Part(edited).take(rows).finish();
    EXPECT_EQ(gone_on.origins.of(&Options::average_power), Origin::automatic);
    EXPECT_EQ(parse_options(gone_on.options, parts::heap()).average_power, 3);
    const Model expected = Part(other).take(rows).finish();
    EXPECT_EQ(gone_on.weight, expected.weight);
    EXPECT_NE(Part(model).take(rows).finish().weight, expected.weight);
}

// Those that rows decide are not among them, all others are.
TEST(Resume, AllSettingsAreThere) {
    const auto rows = some_rows(7, 300, Loss::logistic);
    for (const LearnerKind learner : every_learner) {
        for (const char* given :
             {"", "epochs=2 seed=7", "scale=std", "loss=hinge", "loss=huber", "loss=quantile quantile=0.25"}) {
            SCOPED_TRACE(said(learner, given));
            const Model model = model_of(learner, given + std::string(" settle=auto"), rows);
            Reader reader(model.resume, "state");
            const Training::Kind kind = Training::read_kind_in_model(reader);
            const Options asked = parse_options(given, parts::heap()), all = parse_options(kind.options, parts::heap());
            const Options shown = parse_options(model.options, parts::heap());
            ASSERT_TRUE(kind.origins);
            EXPECT_EQ(*kind.origins, model.origins);
            for (const OptionSpec& spec : option_table()) {
                SCOPED_TRACE(spec.name);
                EXPECT_EQ(kind.origins->of(spec) == Origin::given, spec.is_set_in(asked));
                if (spec.field == nullptr || !spec.is_taken_by(learner)) continue;
                const char* const parameter = traits_of(model.loss).parameter;
                const bool of_loss = spec.field == &Options::delta || spec.field == &Options::quantile;
                const bool of_other_loss =
                    of_loss && (parameter == nullptr || std::string_view(spec.name) != parameter);
                const bool decided =
                    spec.is_set_in(asked) || (!is_automatic(spec.default_for(learner)) && !of_other_loss);
                EXPECT_TRUE(!decided || spec.is_set_in(all));
                EXPECT_TRUE(!spec.is_set_in(all) || all.*spec.field == shown.*spec.field);
            }
            const bool streams = learner == LearnerKind::onepass && asked.epochs != 2 && is_automatic(asked.scale);
            EXPECT_EQ(all.settle, !streams && model.loss != Loss::hinge);
            EXPECT_TRUE(learner != LearnerKind::onepass || (all.decay == 0.75 && all.decay_rate == 1e-5));
            EXPECT_TRUE(learner > LearnerKind::casgd || (is_automatic(all.lambda) && is_automatic(all.step_offset)));
        }
    }
}

TEST(Resume, AStateThatLeavesSettingsOpenIsRefused) {
    const auto rows = some_rows(7, 300, Loss::logistic);
    const Model model = model_of(LearnerKind::asgd, "", rows);
    EXPECT_EQ(error_of(model), "");
    EXPECT_EQ(error_of(with(model, "seed=42", "       ")), "invalid resume state of a model: it does not say seed");
    EXPECT_EQ(error_of(with(model, "average_power=2", "               ")),
              "invalid resume state of a model: it does not say average_power");
    EXPECT_EQ(error_of(with(model, "epochs=10", "         ")),
              "invalid resume state of a model: it does not say epochs");
    EXPECT_NE(error_of(with(model_of(LearnerKind::asgd, "seed=7", rows), "\x01\x04", "\x02\x04")), "");
}

TEST(Resume, LabelsAndDimensionsAreRemembered) {
    const auto rows = some_rows(7, 100, Loss::logistic);
    for (const char* offset : {"auto", "1"}) {
        const std::string options = streaming(Loss::logistic, std::string("lambda=0.01 step_offset=") + offset);
        const Model model = Part(LearnerKind::asgd, options).take(rows, 0, 50, {.dimension = 20}).finish();
        EXPECT_THROW(Part(model).take(rows, 50, 100, {.zero_one = true}), Error);
        EXPECT_THROW(Part(model).take(rows, 50, 100, {.dimension = 21}), Error);
        EXPECT_THROW(Part(model).take(rows, 50, 100, {.first = 10}), Error);
        EXPECT_EQ(Part(model).take(rows, 50).finish().dimension, 20);
    }
}

TEST(Resume, TheStateOfAnotherModelIsRefused) {
    const auto rows = some_rows(7, 2500, Loss::logistic), others = some_rows(8, 2500, Loss::logistic);
    for (const auto& [learner, more] : streaming_calls()) {
        const std::string options = streaming(Loss::logistic, more);
        SCOPED_TRACE(said(learner, options));
        for (const size_t count : {50, 2500}) {
            const Model model = model_of(learner, options, rows, 0, count);
            const auto refused = [&](auto&& edit) {
                Model edited = parts::through_bytes(model);
                edit(edited);
                EXPECT_THROW(Part{edited}, Error);
            };
            refused([](Model& its) { ++its.rows; });
            refused([](Model& its) { ++its.skipped; });
            refused([](Model& its) { ++its.steps; });
            refused([](Model& its) { its.dimension = 1000; });
            refused([](Model& its) { its.loss = Loss::hinge; });
            refused([](Model& its) { its.coding = Coding::boolean; });
            refused([](Model& its) {
                its.learner = its.learner == LearnerKind::sgd ? LearnerKind::asgd : LearnerKind::sgd;
            });
            if (count == 50) continue;
            refused([](Model& its) { its.bias[0] += 1; });
            refused([](Model& its) { its.lambda += 1; });
            refused([](Model& its) { its.weight.back() *= 2; });
            refused([](Model& its) { its.weight.pop_back(), its.index.pop_back(); });
            const Model other = model_of(learner, options, others, 0, count);
            refused([&](Model& its) { its.resume.assign(other.resume.begin(), other.resume.end()); });
        }
    }
}

namespace {

// Refuses to hand out more than `limit` bytes at a time.
class BoundedMemory : public std::pmr::memory_resource {
public:
    explicit BoundedMemory(size_t limit) : limit_(limit) {}

private:
    void* do_allocate(size_t size, size_t alignment) override {
        used_ += size;
        if (used_ > limit_) throw std::logic_error("much more memory than there are bytes");
        return std::pmr::new_delete_resource()->allocate(size, alignment);
    }
    void do_deallocate(void* place, size_t size, size_t alignment) override {
        used_ -= size;
        std::pmr::new_delete_resource()->deallocate(place, size, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    size_t limit_, used_ = 0;
};

std::vector<std::pair<LearnerKind, std::string>> damaged_calls() {
    return {{LearnerKind::sgd, streaming(Loss::logistic, "lambda=0.01")},
            {LearnerKind::asgd, streaming(Loss::logistic, "lambda=0.01 step_offset=1")},
            {LearnerKind::casgd, streaming(Loss::logistic, "lambda=0.01 center={1:0.5}")},
            {LearnerKind::casgd, "loss=hinge scale=std class_weight=balanced epochs=2"},
            {LearnerKind::onepass, streaming(Loss::squared)},
            {LearnerKind::onepass, streaming(Loss::squared, "gamma0=0.01")},
            {LearnerKind::truncated, streaming(Loss::logistic, "eta0=0.1")},
            {LearnerKind::elasticnet, streaming(Loss::logistic, "eta0=0.1")}};
}

// An Error, or a training that goes on: nothing else.
void resume_damaged(const Model& model, std::span<const char> state, const std::vector<dense::Row>& rows) {
    Model damaged = parts::through_bytes(model);
    damaged.resume.assign(state.begin(), state.end());
    try {
        BoundedMemory memory(64 * state.size() + 100'000);
        Reader reader(damaged.resume, "state");
        Training training(Training::read_kind_in_model(reader), &memory, StopSign());
        training.resume(reader, damaged, StopSign());
        Part(damaged).take(rows).finish();
    } catch (const Error&) {
    }
}

void load_damaged(LearnerKind learner, const std::string& options, const Part::Parcel& part,
                  std::span<const char> state, const std::vector<dense::Row>& rows) {
    Part::Parcel damaged = {{state.begin(), state.end()}, {}};
    try {
        Part(learner, options).combine(damaged).finish();
    } catch (const Error&) {
    }
    damaged.blocks = part.blocks;
    try {
        Part(learner, options).combine(part).combine(damaged).combine(damaged).finish();
        Part(learner, options).combine(damaged).take(rows).finish();
    } catch (const Error&) {
    }
}

// Each byte changed in some ways, each length, and several bytes at once.
template <typename Try>
void damage(std::span<const char> state, Try&& attempt) {
    std::vector<char> bytes(state.begin(), state.end());
    for (size_t i = 0; i < bytes.size(); ++i) {
        const char before = bytes[i];
        for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
            bytes[i] = static_cast<char>(before ^ mask);
            attempt(bytes);
        }
        bytes[i] = before;
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
        attempt(std::span<const char>(bytes).first(size));
        std::vector<char> none_follows(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        none_follows.push_back(0);
        attempt(none_follows);
    }
    generated::Random random(1);
    for (int round = 0; round < 500; ++round) {
        std::vector<char> some = bytes;
        for (uint64_t count = 1 + random.below(8); count > 0; --count)
            some[random.below(some.size())] = static_cast<char>(random.below(256));
        attempt(some);
    }
}

}  // namespace

TEST(Resume, DamagedStatesOfModelsAreErrors) {
    for (const auto& [learner, options] : damaged_calls()) {
        SCOPED_TRACE(said(learner, options));
        for (const size_t count : {12, 1400}) {
            const auto rows = some_rows(7, count, Loss::logistic, 6), more = some_rows(8, 8, Loss::logistic, 6);
            const Model model = model_of(learner, options, rows);
            damage(model.resume, [&](std::span<const char> state) { resume_damaged(model, state, more); });
        }
    }
}

TEST(Resume, DamagedStatesOfPartsAreErrors) {
    for (const auto& [learner, options] : damaged_calls()) {
        SCOPED_TRACE(said(learner, options));
        for (const size_t count : {12, 1400}) {
            const auto rows = some_rows(7, count, Loss::logistic, 6), more = some_rows(8, 8, Loss::logistic, 6);
            Part part(learner, options);
            const auto parcel = part.take(rows).save();
            if (count > 100 && !parcel.blocks.empty()) continue;
            damage(parcel.head, [&, kind = learner, &text = options](std::span<const char> state) {
                load_damaged(kind, text, parcel, state, more);
            });
        }
    }
}
