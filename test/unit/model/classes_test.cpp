// Models whose classes have names: a run for each, as bytes and as text.
#include "support/model_bytes.h"
#include "base/hash.h"
#include "model/model.h"

#include <gtest/gtest.h>

#include <random>

namespace sparselin {
namespace {

const Memory memory = std::pmr::new_delete_resource();
const StopSign never;
constexpr size_t plenty = 1 << 30;
using Names = std::vector<std::string>;

// A run has a number in most features, and no feature has none but zeros.
Model model_of(const Names& classes, Loss loss, std::vector<int32_t> index) {
    Model model(memory);
    model.learner = LearnerKind::asgd;
    model.loss = loss;
    model.coding = Coding::text;
    model.options = std::string("lambda=0.5 loss=") + name_of(loss);
    model.lambda = 0.5;
    for (const std::string& name : classes) model.classes.emplace_back(name);
    model.set_runs(runs_for(loss, classes.size()));
    model.index.assign(index.begin(), index.end());
    for (size_t run = 0; run < model.runs(); ++run) {
        model.bias[run] = 1.0 / (3.0 + static_cast<double>(run));
        model.centred_bias[run] = -5.0 * static_cast<double>(run);
    }
    for (size_t i = 0; i < index.size() * model.runs(); ++i)
        model.weight.push_back(i % 5 == 3 && model.runs() > 1 ? 0 : 1 / (static_cast<double>(i) - 2.5));
    model.steps = 7;
    model.history = {{1, 0.5}, {7, 0.25}};
    for (int i = 0; i < 50; ++i) model.resume.push_back(static_cast<char>(i * 11));
    return model;
}

// Dense, sparse, and without features.
std::vector<Model> models() {
    std::vector<Model> all;
    const Names odd = {"",     std::string("\x01"),    " ",       "\"\\", "B", "a", "a ",
                       "null", std::string(5000, 'z'), "\xc3\xa4"};
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::multinomial})
        for (const Names& classes : {Names{"a"}, Names{"a", "b"}, Names{"a", "b", "c"}, odd}) {
            all.push_back(model_of(classes, loss, {0, 1, 2, 4, 5}));
            all.push_back(model_of(classes, loss, {3, 70000, 2147483646}));
            all.push_back(model_of(classes, loss, {}));
        }
    return all;
}

std::vector<char> bytes_of(const Model& model) {
    const Vector<char> bytes = encode(model, 0, memory, never);
    return {bytes.begin(), bytes.end()};
}

std::string json_of(const Model& model) {
    return std::string(to_json(model, true, plenty, memory, never));
}

std::string error_of(auto&& work) {
    try {
        work();
    } catch (const Error& error) {
        return std::string(error.message()) + " / " + error.hint();
    }
    return "";
}

TEST(ModelClasses, ReadBackFromBytesAndText) {
    for (const Model& model : models()) {
        const std::vector<char> bytes = bytes_of(model);
        EXPECT_EQ(bytes.size(), encoded_size(model));
        for (const Model& back : {decode(bytes, memory, never), from_json(json_of(model), memory, never)}) {
            EXPECT_EQ(back.classes, model.classes);
            EXPECT_EQ(back.bias, model.bias);
            EXPECT_EQ(back.centred_bias, model.centred_bias);
            EXPECT_EQ(back.index, model.index);
            EXPECT_EQ(back.weight, model.weight);
            EXPECT_EQ(bytes_of(back), bytes);
        }
        EXPECT_NO_THROW(check_size(model, model.resume.size(), json_of(model).size(), memory, never));
        EXPECT_THROW(
            check_size(model, model.resume.size(), std::max(bytes.size(), json_of(model).size()) - 1, memory, never),
            Error);
    }
}

// As text has one zero alone, so have the bytes.
TEST(ModelClasses, HaveNoNegativeZeros) {
    for (const Model& model : models()) {
        Model negative(model);
        for (double& weight : negative.weight)
            if (weight == 0) weight = -0.0;
        EXPECT_EQ(bytes_of(negative), bytes_of(model));
    }
}

// Of one run there is a number; of several an array, in the order of the classes.
TEST(ModelClasses, HaveArraysInTheTextWhereThereAreSeveralRuns) {
    Model model = model_of({"a", "b"}, Loss::logistic, {3});
    EXPECT_NE(json_of(model).find(R"("classes":["a","b"])"), std::string::npos) << json_of(model);
    EXPECT_NE(json_of(model).find(R"("weights":{"4":-0.4})"), std::string::npos) << json_of(model);
    model = model_of({"a", "b"}, Loss::multinomial, {3});
    EXPECT_NE(json_of(model).find(R"("weights":{"4":[-0.4,-0.6666666666666666]})"), std::string::npos)
        << json_of(model);
    model = model_of({"a", "b", "c"}, Loss::logistic, {0, 1, 3});
    EXPECT_NE(json_of(model).find(R"(,[],[)"), std::string::npos) << json_of(model);
}

TEST(ModelClasses, ComeInWrittenByHand) {
    const Model plain = from_json(R"({"learner":"sgd","loss":"logistic","classes":["a","b","c"],"bias":[1,2,3],)"
                                  R"("weights":{"2":[0,0,1],"7":[1,-2,3.5]}})",
                                  memory, never);
    EXPECT_EQ(plain.coding, Coding::text);
    EXPECT_EQ(plain.runs(), 3u);
    EXPECT_EQ(plain.bias, (Vector<double>{{1, 2, 3}, memory}));
    EXPECT_EQ(plain.centred_bias, plain.bias);
    EXPECT_EQ(plain.index, (Vector<int32_t>{{1, 6}, memory}));
    EXPECT_EQ(plain.weight, (Vector<double>{{0, 0, 1, 1, -2, 3.5}, memory}));
    for (
        const char* other : {
            // Features in any order; nothing, and zeros, for those that are not there.
            R"({"learner":"sgd","loss":"logistic","classes":["a","b","c"],"bias":[1,2,3],)"
            R"("weights":{"7":[1,-2,3.5],"9":[],"2":[0,0,1],"3":[0,0,0]}})",
            // Keys in any order.
            R"({"weights":{"7":[1,-2,3.5],"2":[0,0,1]},"bias":[1,2,3],"classes":["a","b","c"],"loss":"logistic","learner":"sgd"})",
            R"({"weights":[[],[0,0,1],[],[0,0,0],[],[],[1,-2,3.5]],"labels":"text","classes":["a","b","c"],)"
            R"("centred_bias":[1,2,3],"bias":[1,2,3],"learner":"sgd","loss":"logistic"})",
        }) {
        EXPECT_EQ(bytes_of(from_json(other, memory, never)), bytes_of(plain)) << other;
    }
    const Model without_bias =
        from_json(R"({"learner":"sgd","loss":"multinomial","classes":["a","b"],"weights":{"1":[1,2]}})", memory, never);
    EXPECT_EQ(without_bias.bias, (Vector<double>{{0, 0}, memory}));
    const Model two =
        from_json(R"({"learner":"sgd","loss":"hinge","classes":["a","b"],"bias":7,"weights":{"1":1}})", memory, never);
    EXPECT_EQ(two.bias, (Vector<double>{{7}, memory}));
}

TEST(ModelClasses, WrittenWrongAreErrors) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("loss":"logistic","classes":["a","b","c"],"bias":[1,2],"weights":{})",
         "2 numbers in \"bias\" where 3 belong"},
        {R"("loss":"logistic","classes":["a","b","c"],"bias":1,"weights":{})", "1 numbers in \"bias\" where 3 belong"},
        {R"("loss":"logistic","classes":["a","b"],"bias":[1,2],"weights":{})", "2 numbers in \"bias\" where 1 belong"},
        {R"("loss":"logistic","bias":[1,2,3],"weights":{})", "3 numbers in \"bias\" where 1 belong"},
        {R"("loss":"logistic","bias":[],"weights":{})", "0 numbers in \"bias\" where 1 belong"},
        {R"("loss":"logistic","classes":["a","b","c"],"centred_bias":[1,2],"weights":{})",
         "2 numbers in \"centred_bias\""},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":[1,2]})",
         "2 numbers in \"weights\" where 3 belong"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":1})", "1 numbers in \"weights\" where 3 belong"},
        {R"("loss":"logistic","classes":["a","b"],"weights":{"1":[1,2]})", "2 numbers in \"weights\" where 1 belong"},
        {R"("loss":"multinomial","classes":["a","b"],"weights":{"1":1})", "1 numbers in \"weights\" where 2 belong"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":[1,2,3],"2":[1,2]})",
         "feature 2 has 2 weights, others 3"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":[[1,2,3],[1,2,3,4]])",
         "feature 2 has 4 weights, others 3"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"2":[1,2,3],"1":[1,2,3],"2":[1,2,3]})",
         "feature 2 appears twice"},
        {R"("loss":"logistic","classes":["a","c","b"],"weights":{})", "do not ascend at \"b\""},
        {R"("loss":"logistic","classes":["a","a"],"weights":{})", "do not ascend at \"a\""},
        {R"("loss":"logistic","classes":[],"weights":{})", "no classes"},
        {R"("loss":"logistic","classes":["a",1],"weights":{})", "\"classes\" holds a number"},
        {R"("loss":"logistic","classes":"a","weights":{})", "\"classes\" holds a string"},
        {R"("loss":"logistic","classes":["a",null],"weights":{})", "\"classes\" holds null"},
        {R"("loss":"logistic","labels":"text","weights":{})", "labels text has 0 classes"},
        {R"("loss":"logistic","labels":"boolean","classes":["a","b"],"weights":{})", "labels boolean has 2 classes"},
        {R"("loss":"squared","classes":["a","b"],"weights":{})", "loss squared cannot have classes"},
        {R"("loss":"multinomial","weights":{})", "loss multinomial needs classes"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":[1,"2",3]})", "\"weights\" holds a string"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":[1,[2],3]})", "\"weights\" holds an array"},
        {R"("loss":"logistic","classes":["a","b","c"],"weights":{"1":[1,2,3})", "comma or ]"},
        {R"("loss":"logistic","classes":["a","b","c"],"classes":["a","b","c"],"weights":{})",
         "\"classes\" appears twice"},
    };
    for (const auto& [text, part] : cases) {
        const std::string said =
            error_of([&] { from_json(std::string("{\"learner\":\"sgd\",") + text + "}", memory, never); });
        EXPECT_NE(said.find(part), std::string::npos) << text << "\n" << said;
        EXPECT_FALSE(said.ends_with(" / ")) << said;
    }
}

TEST(ModelClasses, ThatDoNotGoTogetherAreRefused) {
    const auto refused = [](auto spoil) {
        Model model = model_of({"a", "b", "c"}, Loss::logistic, {0, 1, 3});
        spoil(model);
        EXPECT_NE(error_of([&] { encode(model, 0, memory, never); }), "");
    };
    refused([](Model& m) { m.bias.pop_back(); });
    refused([](Model& m) { m.centred_bias.pop_back(); });
    refused([](Model& m) { m.centred_bias[2] = automatic; });
    refused([](Model& m) { m.weight.pop_back(); });
    refused([](Model& m) { m.weight[4] = automatic; });
    refused([](Model& m) { std::fill_n(m.weight.begin() + 3, 3, 0.0); });
    refused([](Model& m) { m.classes.pop_back(); });
    refused([](Model& m) { m.classes.clear(); });
    refused([](Model& m) { m.classes[2] = "b"; });
    refused([](Model& m) { m.classes[0] = "d"; });
    refused([](Model& m) { m.coding = Coding::boolean; });
    refused([](Model& m) { m.loss = Loss::squared; });
    refused([](Model& m) {
        m.loss = Loss::multinomial;
        m.learner = LearnerKind::onepass;
    });
}

TEST(ModelClasses, EveryTruncationAndFlippedBitIsRefused) {
    for (const Model& model : models()) {
        if (model.classes.size() > 3) continue;
        std::vector<char> bytes = bytes_of(model);
        for (size_t i = 0; i < bytes.size(); ++i) {
            std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(i));
            EXPECT_THROW(decode(part, memory, never), Error) << i;
            if (i >= fingerprint_prefix) {
                sign(part);
                EXPECT_THROW(decode(part, memory, never), Error) << i;
            }
            const int bit = static_cast<int>(i % 8);
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
            EXPECT_THROW(decode(bytes, memory, never), Error) << i;
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
        }
    }
}

// With the fingerprint set right again: an Error, or a model that is as good as any.
TEST(ModelClasses, MangledBytesNeverGetPast) {
    std::mt19937_64 random(1);
    const std::vector<Model> all = models();
    int accepted = 0;
    for (int round = 0; round < 40000; ++round) {
        std::vector<char> bytes = bytes_of(all[static_cast<size_t>(round) % all.size()]);
        const size_t at = 4 + random() % (std::min<size_t>(bytes.size(), 400) - 4);
        bytes[at] = static_cast<char>(random());
        if (round % 3 == 0) bytes[4 + random() % 60] = static_cast<char>(random());
        if (round % 5 == 0) bytes[9] = static_cast<char>(random() % 4);
        if (round % 7 == 0) bytes.resize(32 + random() % (bytes.size() - 32));
        sign(bytes);
        try {
            const Model model = decode(bytes, memory, never);
            EXPECT_NO_THROW(decode(bytes_of(model), memory, never));
            ++accepted;
        } catch (const Error&) {
        }
    }
    EXPECT_GT(accepted, 100);
}

TEST(ModelClasses, MangledTextNeverGetsPast) {
    std::mt19937_64 random(2);
    const std::vector<Model> all = models();
    const std::string letters = "[]{},:\"0123456789.-e abc\\";
    for (int round = 0; round < 20000; ++round) {
        const Model& model = all[static_cast<size_t>(round) % all.size()];
        if (model.classes.size() > 3) continue;
        std::string text = json_of(model);
        for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
            const size_t at = random() % text.size();
            if (random() % 2 == 0)
                text[at] = letters[random() % letters.size()];
            else
                text.erase(at, 1 + random() % 5);
        }
        try {
            const Model back = from_json(text, memory, never);
            EXPECT_NO_THROW(decode(bytes_of(back), memory, never));
        } catch (const Error& error) {
            EXPECT_STRNE(error.hint(), "") << text << "\n" << error.message();
        }
    }
}

}  // namespace
}  // namespace sparselin
