// One against the rest: the run of a class is, to the bit, the training of whether the label is that class.
#include "support/named_classes.h"
#include "support/stopping_memory.h"

#include <gtest/gtest.h>

using namespace sparselin;
using named::Names;
using named::Rows;
using named::Writing;
using parts::Part;

namespace {

struct Call {
    LearnerKind learner;
    Loss loss;
    std::string its_options;

    std::string options(const std::string& more) const {
        return named::same_options("loss=" + std::string(name_of(loss)) + " " + its_options + " " + more);
    }
    Part part(const Writing& writing, const std::string& more, size_t window = 0) const {
        return Part(learner, options(more), writing.kind(), window);
    }
};

// casgd as it is by itself, which finds its centre and lambda.
const std::string finds_centre = "average_power=2";

const std::string streaming = "epochs=1 sampling=sequential ";

std::vector<Call> calls() {
    std::vector<Call> all;
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
        const std::string lambda = "lambda=0.01 ";
        all.push_back({LearnerKind::sgd, loss, lambda});
        all.push_back({LearnerKind::asgd, loss, lambda + "average_power=0.5"});
        all.push_back({LearnerKind::casgd, loss, lambda + "center={1:0.5,3:-0.25,13:1}"});
        all.push_back({LearnerKind::casgd, loss, finds_centre});
        all.push_back({LearnerKind::onepass, loss, "lambda=0.001"});
        all.push_back({LearnerKind::truncated, loss, "eta0=0.1 gravity=0.01 threshold=0.5"});
        all.push_back({LearnerKind::elasticnet, loss, "eta0=0.1 lambda=0.001 l1=0.001"});
    }
    return all;
}

// How a model comes to be.
struct Way {
    const char* name;
    std::function<Model(const Call&, const Writing&, const Rows&)> train;
};

Model trained(const Call& call, const Writing& writing, const Rows& rows, const std::string& more, size_t window = 0) {
    Part part = call.part(writing, more, window);
    Model model = writing.take(part, rows).finish();
    EXPECT_EQ(part.blocks_written() > 2, window != 0);
    return model;
}

Model merged(std::initializer_list<const Model*> models) {
    ModelMerge merge(parts::heap());
    for (const Model* model : models) merge.add(*model, StopSign());
    Model model(parts::heap());
    merge.write(model, parts::heap(), StopSign());
    return model;
}

// Of the first rows, and then of all others.
Model continued(const Call& call, const Writing& writing, const Rows& rows, const std::string& more, size_t first) {
    Part part = call.part(writing, more);
    const Model before = writing.take(part, rows, 0, first).finish();
    Part next(first % 2 == 0 ? parts::through_bytes(before) : parts::through_text(before));
    return writing.take(next, rows, first).finish();
}

// In parts of a third each, of which the first `learned` have learned alone.
Model in_parts(const Call& call, const Writing& writing, const Rows& rows, const std::string& more, size_t learned) {
    Part all = call.part(writing, more);
    for (size_t i = 0; i < 3; ++i) {
        Part part = call.part(writing, more);
        writing.take(part, rows, rows.size() * i / 3, rows.size() * (i + 1) / 3);
        if (i < learned) part.learn_alone();
        all.combine(part);
    }
    return all.finish();
}

Model merged_from_two(const Call& call, const Writing& writing, const Rows& rows, const std::string& more) {
    Part first = call.part(writing, more), second = call.part(writing, more);
    const size_t half = rows.size() / 2;
    const Model x = writing.take(first, rows, 0, half).finish(), y = writing.take(second, rows, half).finish();
    return merged({&x, &y});
}

const Way streamed_ways[] = {
    {"streamed", [](auto& call, auto& writing, auto& rows) { return trained(call, writing, rows, streaming); }},
    {"streamed, classes known",
     [](auto& call, auto& writing, auto& rows) {
         return trained(call, writing, rows, streaming + named::all_classes(writing));
     }},
    {"streamed, no intercept",
     [](auto& call, auto& writing, auto& rows) { return trained(call, writing, rows, streaming + "intercept=false"); }},
    {"streamed in parts",
     [](auto& call, auto& writing, auto& rows) {
         return in_parts(call, writing, rows, streaming + named::all_classes(writing), 0);
     }},
    {"streamed in parts, classes from rows",
     [](auto& call, auto& writing, auto& rows) { return in_parts(call, writing, rows, streaming, 2); }},
    {"merged", [](auto& call, auto& writing, auto& rows) { return merged_from_two(call, writing, rows, streaming); }},
    {"merged, compact", [](auto& call, auto& writing,
                           auto& rows) { return merged_from_two(call, writing, rows, streaming + "resumable=false"); }},
    {"continued after 300",
     [](auto& call, auto& writing, auto& rows) { return continued(call, writing, rows, streaming, 300); }},
    {"continued after 1501",
     [](auto& call, auto& writing, auto& rows) { return continued(call, writing, rows, streaming, 1501); }},
};

const Way buffered_ways[] = {
    {"shuffled", [](auto& call, auto& writing, auto& rows) { return trained(call, writing, rows, "epochs=3"); }},
    {"drawn", [](auto& call, auto& writing,
                 auto& rows) { return trained(call, writing, rows, "epochs=2 sampling=replacement seed=7"); }},
    {"in order", [](auto& call, auto& writing,
                    auto& rows) { return trained(call, writing, rows, "epochs=2 sampling=sequential"); }},
    {"spilled", [](auto& call, auto& writing, auto& rows) { return trained(call, writing, rows, "epochs=2", 4000); }},
    {"scaled by std",
     [](auto& call, auto& writing, auto& rows) { return trained(call, writing, rows, "epochs=2 scale=std"); }},
    {"scaled by maxabs, no intercept",
     [](auto& call, auto& writing, auto& rows) {
         return trained(call, writing, rows, "epochs=2 scale=maxabs intercept=false");
     }},
    {"rows of parts",
     [](auto& call, auto& writing, auto& rows) { return in_parts(call, writing, rows, "epochs=2", 0); }},
    {"learned parts",
     [](auto& call, auto& writing, auto& rows) { return in_parts(call, writing, rows, "epochs=2 scale=std", 3); }},
    {"learned parts and rows",
     [](auto& call, auto& writing, auto& rows) { return in_parts(call, writing, rows, "epochs=2", 2); }},
    {"merged, of kept rows",
     [](auto& call, auto& writing, auto& rows) { return merged_from_two(call, writing, rows, "epochs=2"); }},
    {"continued",
     [](auto& call, auto& writing, auto& rows) { return continued(call, writing, rows, "epochs=2", 301); }},
};

// All but the classes themselves, and where onepass has begun to average, which is up to each run.
std::string options_beside_classes(const Model& model) {
    Options options = parse_options(model.options, parts::heap());
    options.classes.clear();
    options.average_start = automatic;
    return std::string(print_options(options, parts::heap()));
}

// A run of them all, beside a model of one.
void expect_same_run(const Model& all, size_t run, const Model& one) {
    std::vector<int32_t> features(all.index.begin(), all.index.end());
    features.insert(features.end(), one.index.begin(), one.index.end());
    EXPECT_EQ(named::weights_of_run(all, run, features), named::weights_of_run(one, 0, features));
    EXPECT_EQ(all.bias[run], one.bias[0]);
    EXPECT_EQ(all.centred_bias[run], one.centred_bias[0]);
    EXPECT_EQ(all.lambda, one.lambda);
    EXPECT_EQ(options_beside_classes(all), options_beside_classes(one));
    const auto counts = [](const Model& its) {
        return std::vector{its.rows, its.skipped, its.steps, its.epochs, int64_t{its.dimension}};
    };
    EXPECT_EQ(counts(all), counts(one));
}

void expect_one_against_the_rest(const Way& way, const Call& call, const Rows& rows, const Names& names) {
    const Model all = way.train(call, {names}, rows);
    ASSERT_EQ(Names(all.classes.begin(), all.classes.end()), named::sorted(names));
    ASSERT_EQ(all.coding, Coding::text);
    ASSERT_EQ(all.runs(), names.size() == 2 ? 1 : names.size());
    double loss = 0;
    for (size_t run = 0; run < all.runs(); ++run) {
        const String& name = all.runs() == 1 ? all.classes.back() : all.classes[run];
        SCOPED_TRACE("class " + std::string(name));
        const auto k = static_cast<size_t>(std::ranges::find(names, std::string(name)) - names.begin());
        const Model one = way.train(call, {names, k}, rows);
        expect_same_run(all, run, one);
        loss += one.progressive_loss;
    }
    EXPECT_DOUBLE_EQ(all.progressive_loss, loss / static_cast<double>(all.runs()));
}

void expect_one_against_the_rest(std::span<const Way> ways, size_t count, std::span<const size_t> of_classes) {
    for (const size_t classes : of_classes) {
        const Rows rows = named::rows(classes, count, classes);
        for (const Call& call : calls()) {
            if (classes > 5 && call.loss != Loss::logistic) continue;
            if (call.its_options == finds_centre && ways.data() != buffered_ways) continue;
            for (const Way& way : ways) {
                SCOPED_TRACE(std::string(name_of(call.learner)) + " " + call.options("") + ", " + way.name + ", " +
                             std::to_string(classes) + " classes");
                expect_one_against_the_rest(way, call, rows, named::names(classes));
                if (::testing::Test::HasFailure()) return;
            }
        }
    }
}

}  // namespace

// Two classes are one run, of the later one.
TEST(Classes, OfAStreamAreEachAgainstTheRest) {
    expect_one_against_the_rest(streamed_ways, 4200, std::array<size_t, 4>{2, 3, 5, 20});
}

TEST(Classes, OfAShortStreamAreEachAgainstTheRest) {
    for (const size_t count : {400, 1249, 1250, 1251})  // every fifth takes no step
        expect_one_against_the_rest(std::span(streamed_ways).first(3), count, std::array<size_t, 1>{3});
}

TEST(Classes, OfKeptRowsAreEachAgainstTheRest) {
    expect_one_against_the_rest(buffered_ways, 900, std::array<size_t, 4>{2, 3, 5, 20});
}
