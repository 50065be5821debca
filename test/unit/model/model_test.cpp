#include "support/model_bytes.h"
#include "base/hash.h"
#include "model/model.h"

#include <gtest/gtest.h>

#include <csignal>
#include <random>

namespace sparselin {
namespace {

const Memory memory = std::pmr::new_delete_resource();
const StopSign never;
constexpr size_t plenty = 1 << 30;

Model sparse_model() {
    Model model(memory);
    model.learner = LearnerKind::asgd;
    model.loss = Loss::hinge;
    model.coding = Coding::zero_one;
    model.options = "loss=hinge lambda=0.001";
    model.origins.set(find_option("lambda"), Origin::given);
    model.lambda = 0.001;
    model.bias[0] = -1.0 / 3;
    model.centred_bias[0] = 5e-324;
    model.progressive_loss = 0.25;
    model.rows = 1000;
    model.skipped = 3;
    model.steps = 10000;
    model.epochs = 10;
    model.dimension = 2147483647;
    model.index = {0, 6, 41, 2147483646};
    model.weight = {0.1, -2.2250738585072014e-308, 1e300, 3};
    model.history = {{1, 0.7}, {3, 0.5}, {10000, 1.0 / 7}};
    for (int i = 0; i < 100; ++i) model.resume.push_back(static_cast<char>(i * 7));
    return model;
}

Model dense_model(size_t places = 40) {
    Model model = sparse_model();
    model.dimension = 0;
    model.index.clear();
    model.weight.clear();
    for (size_t i = 0; i < places; ++i) {
        if (i % 5 == 3) continue;
        model.index.push_back(static_cast<int32_t>(i));
        model.weight.push_back(1.0 / static_cast<double>(i + 3));
    }
    return model;
}

Model empty_model() {
    return Model(memory);
}

std::vector<char> bytes_of(const Model& model) {
    const Vector<char> bytes = encode(model, 0, memory, never);
    return {bytes.begin(), bytes.end()};
}

std::string json_of(const Model& model) {
    return std::string(to_json(model, true, plenty, memory, never));
}

TEST(Model, BytesReadBackExactly) {
    for (const Model& model : {sparse_model(), dense_model(), dense_model(1), empty_model()}) {
        const std::vector<char> bytes = bytes_of(model);
        EXPECT_EQ(bytes.size(), encoded_size(model));
        const Model back = decode(bytes, memory, never);
        EXPECT_EQ(back.index, model.index);
        EXPECT_EQ(back.weight, model.weight);
        EXPECT_EQ(back.options, model.options);
        EXPECT_EQ(back.resume, model.resume);
        EXPECT_EQ(back.bias, model.bias);
        EXPECT_EQ(back.dimension, model.dimension);
        EXPECT_EQ(bytes_of(back), bytes);
    }
}

TEST(Model, ReserveComesFirst) {
    const Vector<char> bytes = encode(sparse_model(), 4, memory, never);
    EXPECT_EQ(std::vector<char>(bytes.begin(), bytes.begin() + 4), std::vector<char>(4, '\0'));
    EXPECT_EQ(std::vector<char>(bytes.begin() + 4, bytes.end()), bytes_of(sparse_model()));
}

TEST(Model, WeightsAreDenseWhereThatIsSmaller) {
    Model model = empty_model();
    const size_t base = encoded_size(model);
    model.index = {0, 1, 2};
    model.weight = {1, 2, 3};
    EXPECT_EQ(encoded_size(model), base + 24);
    model.index = {0, 1, 1000};
    EXPECT_EQ(encoded_size(model), base + 8 + 36);
    model.dimension = 1000000;
    EXPECT_EQ(bytes_of(model).size(), base + 8 + 36);
}

TEST(Model, EveryTruncationIsRefused) {
    for (const Model& model : {sparse_model(), dense_model(), empty_model()}) {
        const std::vector<char> bytes = bytes_of(model);
        for (size_t size = 0; size < bytes.size(); ++size) {
            std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
            EXPECT_THROW(decode(part, memory, never), Error) << size;
            if (size < fingerprint_prefix) continue;
            sign(part);
            EXPECT_THROW(decode(part, memory, never), Error) << size;
        }
        std::vector<char> more = bytes;
        more.push_back('\0');
        EXPECT_THROW(decode(more, memory, never), Error);
        sign(more);
        EXPECT_THROW(decode(more, memory, never), Error);
    }
}

TEST(Model, EveryFlippedBitIsRefused) {
    for (const Model& model : {sparse_model(), dense_model(), empty_model()}) {
        std::vector<char> bytes = bytes_of(model);
        for (size_t i = 0; i < bytes.size(); ++i) {
            for (int bit = 0; bit < 8; ++bit) {
                bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
                EXPECT_THROW(decode(bytes, memory, never), Error) << i << ' ' << bit;
                bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
            }
        }
        EXPECT_NO_THROW(decode(bytes, memory, never));
    }
}

// With the fingerprint set right again: an Error, or a model that is as good as any.
TEST(Model, MangledBytesNeverGetPast) {
    std::mt19937_64 random(1);
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<char> bytes = bytes_of(round % 2 == 0 ? sparse_model() : dense_model());
        const size_t at = 4 + random() % (bytes.size() - 4);
        bytes[at] = static_cast<char>(random());
        if (round % 3 == 0) bytes[4 + random() % 60] = static_cast<char>(random());
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

TEST(Model, TheFrontIsEnoughToApplyIt) {
    for (const Model& model : {sparse_model(), dense_model(), empty_model()}) {
        const std::vector<char> bytes = bytes_of(model);
        const size_t front = front_of(bytes);
        EXPECT_EQ(front + model.resume.size(), bytes.size());
        for (const size_t size : {front, (front + bytes.size()) / 2, bytes.size()}) {
            const Model found = decode_front(std::span(bytes).first(size), memory, never);
            EXPECT_TRUE(found.resume.empty());
            EXPECT_EQ(found.weight, model.weight);
            EXPECT_EQ(found.index, model.index);
            EXPECT_EQ(found.bias, model.bias);
            EXPECT_EQ(found.history.size(), model.history.size());
        }
        for (size_t i = 0; i < front; ++i) {
            std::vector<char> damaged(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(front));
            damaged[i] = static_cast<char>(damaged[i] ^ 1);
            EXPECT_THROW(decode_front(damaged, memory, never), Error) << i;
            EXPECT_THROW(decode_front(std::span(bytes).first(i), memory, never), Error) << i;
        }
    }
}

// However well it was known beforehand how large that is, and what comes before it.
TEST(Model, TheResumeStateIsWrittenWhereItBelongs) {
    constexpr size_t size = 3'500'000, piece = 100'000, large = size_t{1} << 20;
    Model model = dense_model();
    model.resume.clear();
    for (size_t i = 0; i < size; ++i) model.resume.push_back(static_cast<char>(i % 251));
    const std::vector<char> expected = bytes_of(model);
    const size_t front = front_of(expected);
    for (const size_t about : {size_t{0}, size_t{1}, size - 1, size, 2 * size})
        for (const size_t before :
             {size_t{0}, front - 1, front, front + 1, front + 4000, front + large, front + size, front + 2 * size}) {
            Encoding encoding(4, before, about, memory, never);
            for (size_t at = 0; at < size; at += piece)
                encoding.resume().elements_alone(std::span<const char>(model.resume).subspan(at, piece));
            EXPECT_EQ(encoding.resume_size(), size);
            const Vector<char> bytes = encoding.finish(dense_model());
            EXPECT_TRUE(std::equal(bytes.begin() + 4, bytes.end(), expected.begin(), expected.end()))
                << about << " " << before;
            EXPECT_LE(bytes.capacity(), bytes.size() * 17 / 16);
        }
}

// Exactly where features and places are, and never less.
TEST(Model, ItIsKnownBeforehandHowMuchComesBeforeTheResumeState) {
    for (Model model : {sparse_model(), dense_model()}) {
        model.resume.assign(10, 'r');
        const std::vector<char> bytes = bytes_of(model);
        const size_t features = model.index.size(), last = places(model);
        for (const size_t more : {0, 1, 10, 1000})
            for (const size_t beyond : {0, 1, 10, 100000}) {
                Model head(model);
                head.set_features(0);
                head.set_features(features + more);
                const size_t most = most_before_resume(head, last + beyond);
                const size_t sparse = 16 + 12 * (features + more), dense = 8 + 8 * (last + beyond);
                EXPECT_EQ(most - front_of(bytes), std::min(sparse, dense) - std::min(16 + 12 * features, 8 + 8 * last));
            }
    }
}

TEST(Model, FingerprintNeedsOnlyThePrefix) {
    const std::vector<char> a = bytes_of(sparse_model()), b = bytes_of(dense_model());
    EXPECT_EQ(fingerprint_of(std::span<const char>(a).first(fingerprint_prefix)), fingerprint_of(a));
    EXPECT_FALSE(fingerprint_of(a) == fingerprint_of(b));
    Model almost = sparse_model();
    almost.learner = LearnerKind::casgd;
    EXPECT_FALSE(fingerprint_of(a) == fingerprint_of(bytes_of(almost)));
}

TEST(Model, WhatIsNotAModelIsRefused) {
    const auto refused = [](auto spoil) {
        Model model = sparse_model();
        spoil(model);
        EXPECT_THROW(validate(model, memory, never), Error);
        EXPECT_THROW(encode(model, 0, memory, never), Error);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    refused([&](Model& m) { m.weight[1] = nan; });
    refused([&](Model& m) { m.weight[1] = -infinity; });
    refused([&](Model& m) { m.weight[1] = 0; });
    refused([&](Model& m) { m.index[1] = 0; });
    refused([&](Model& m) { m.index[0] = -1; });
    refused([&](Model& m) { m.index.pop_back(); });
    refused([&](Model& m) { m.dimension = 41; });
    refused([&](Model& m) { m.dimension = -1; });
    refused([&](Model& m) { m.bias[0] = nan; });
    refused([&](Model& m) { m.lambda = -1; });
    refused([&](Model& m) { m.progressive_loss = infinity; });
    refused([&](Model& m) { m.rows = -1; });
    refused([&](Model& m) { m.history[1].step = 1; });
    refused([&](Model& m) { m.history[1].loss = nan; });
    refused([&](Model& m) { m.history.resize(max_history + 1); });
    refused([&](Model& m) { m.coding = Coding::number; });
    refused([&](Model& m) { m.options = "no_such_option=1"; });
}

TEST(Model, TextReadsBackToTheSameBytes) {
    for (const Model& model : {sparse_model(), dense_model(), empty_model()}) {
        const Model back = from_json(json_of(model), memory, never);
        EXPECT_EQ(bytes_of(back), bytes_of(model)) << json_of(model);
        EXPECT_EQ(json_of(back), json_of(model));
    }
}

TEST(Model, RandomNumbersSurviveTheText) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 300; ++round) {
        Model model = sparse_model();
        model.dimension = 0;
        model.index.clear();
        model.weight.clear();
        int32_t index = -1;
        for (int i = 0; i < 100; ++i) {
            index += 1 + static_cast<int32_t>(random() % (round % 3 == 0 ? 2 : 100000));
            const double weight = std::bit_cast<double>(static_cast<uint64_t>(random()));
            if (weight - weight != 0 || weight == 0) continue;
            model.index.push_back(index);
            model.weight.push_back(weight);
        }
        model.resume.resize(random() % 200);
        for (char& byte : model.resume) byte = static_cast<char>(random());
        EXPECT_EQ(bytes_of(from_json(json_of(model), memory, never)), bytes_of(model));
    }
}

TEST(Model, TextSaysItAll) {
    Model model = empty_model();
    model.options = "lambda=1";
    model.origins.set(find_option("lambda"), Origin::given);
    model.lambda = 1;
    model.history = {{1, 0.5}};
    model.index = {0, 6};
    model.weight = {0.5, 2};
    model.resume = {'a', 'b', 'c', 'd'};
    EXPECT_EQ(
        json_of(model),
        R"({"sparselin_model":1,"learner":"casgd","loss":"logistic","labels":"plus_minus","options":"lambda=1",)"
        R"("given":["lambda"],"lambda":1,"bias":0,"centred_bias":0,"progressive_loss":0,"rows":0,"skipped":0,"steps":0,"epochs":0,)"
        R"("dimension":0,"history":[[1,0.5]],"weights":{"1":0.5,"7":2},"resume":"YWJjZA=="})");
    model.index = {0, 2};
    EXPECT_NE(json_of(model).find(R"("weights":[0.5,0,2])"), std::string::npos);
    EXPECT_EQ(to_json(model, false, plenty, memory, never).find("resume"), std::string::npos);
}

TEST(Model, TextFromElsewhere) {
    const Model model = from_json(
        " { \"weights\" : { \"10\" : 1e0, \"2\":-2.5, \"7\": 0.0 } ,\n\"loss\":\"squared\", \"learner\" : \"sgd\", "
        "\"bias\" : 3 }\n",
        memory, never);
    EXPECT_EQ(model.learner, LearnerKind::sgd);
    EXPECT_EQ(model.loss, Loss::squared);
    EXPECT_EQ(model.coding, Coding::number);
    EXPECT_EQ(model.index, (Vector<int32_t>{1, 9}));
    EXPECT_EQ(model.weight, (Vector<double>{-2.5, 1}));
    EXPECT_EQ(model.bias[0], 3);
    EXPECT_EQ(model.centred_bias[0], 3);
    const Model escaped = from_json(
        R"({"\u006cearner":"asg\u0064","loss":"hinge","weights":[0,0,1.5,0],"resume":"AA\/+"})", memory, never);
    EXPECT_EQ(escaped.learner, LearnerKind::asgd);
    EXPECT_EQ(escaped.coding, Coding::plus_minus);
    EXPECT_EQ(escaped.index, (Vector<int32_t>{2}));
    EXPECT_EQ(escaped.resume.size(), 3u);
}

// Each case: the text, and what its message or hint must hold.
TEST(Model, BadTextIsRefusedByName) {
    const std::pair<const char*, const char*> cases[] = {
        {R"()", "too early"},
        {R"([])", "object was expected"},
        {R"({"learner":"sgd","loss":"hinge"})", "\"weights\" is missing"},
        {R"({"learner":"sgd","weights":{}})", "\"loss\" is missing"},
        {R"({"loss":"hinge","weights":{}})", "\"learner\" is missing"},
        {R"({"learner":"sgd","learner":"sgd"})", "\"learner\" appears twice"},
        {R"({"learnr":"sgd"})", "unknown key \"learnr\""},
        {R"({"learner":"sdg"})", "\"sdg\""},
        {R"({"learner":1})", "\"learner\" holds a number"},
        {R"({"loss":null})", "\"loss\" holds null"},
        {R"({"labels":"Text"})", "unknown labels \"Text\""},
        {R"({"bias":"1"})", "\"bias\" holds a string"},
        {R"({"bias":NaN})", "key \"bias\""},
        {R"({"bias":nan})", "\"bias\" holds null"},
        {R"({"bias":1e999})", "too large in \"bias\""},
        {R"({"bias":1e-999})", "close to zero in \"bias\""},
        {R"({"bias":01})", "comma or }"},
        {R"({"bias":+1})", "key \"bias\""},
        {R"({"bias":1.})", "key \"bias\""},
        {R"({"bias":-})", "key \"bias\""},
        {R"({"rows":1.5})", "not a whole number in \"rows\""},
        {R"({"rows":-1})", "out of range in \"rows\""},
        {R"({"rows":99999999999999999999})", "out of range in \"rows\""},
        {R"({"dimension":2147483648})", "out of range in \"dimension\""},
        {R"({"sparselin_model":2})", "of format 2"},
        {R"({"history":[[1]]})", "a step and a loss"},
        {R"({"history":[[1,2,3]]})", "a step and a loss"},
        {R"({"history":[1]})", "\"history\" holds a number"},
        {R"({"weights":3})", "\"weights\" holds a number"},
        {R"({"weights":{"0":1}})", "feature \"0\""},
        {R"({"weights":{"01":1}})", "feature \"01\""},
        {R"({"weights":{"-1":1}})", "feature \"-1\""},
        {R"({"weights":{"2147483648":1}})", "feature \"2147483648\""},
        {R"({"weights":{"x":1}})", "feature \"x\""},
        {R"({"weights":{"":1}})", "feature \"\""},
        {R"({"weights":{"1":1,"1":2}})", "feature 1 appears twice"},
        {R"({"weights":{"5":0,"1":2,"5":0}})", "feature 5 appears twice"},
        {R"({"weights":{"1":"1"}})", "\"weights\" holds a string"},
        {R"({"weights":[1,,2]})", "key \"weights\""},
        {R"({"weights":[1,2)", "key \"weights\""},
        {R"({"weights":[1 2]})", "comma or ]"},
        {R"({"resume":"AAA"})", "base64"},
        {R"({"resume":"AAA*"})", "base64"},
        {R"({"resume":"AB=="})", "base64"},
        {R"({"resume":"AA==AAAA"})", "base64"},
        {"{\"options\":\"a\nb\"}", "control character"},
        {R"({"options":"\x"})", "unknown escape"},
        {R"({"options":"\ud800"})", "surrogate"},
        {R"({"options":"\u0000"})", "cannot be text"},
        {R"({"options":"\u00g0"})", "hexadecimal"},
        {R"({"options":"no_such=1","learner":"sgd","loss":"hinge","weights":{}})", "no_such"},
        {R"({"learner":"sgd","loss":"hinge","weights":{}} x)", "after the end"},
        {R"({"learner":"sgd","loss":"hinge","weights":{},})", "a string was expected"},
        {R"({"learner":"sgd","loss":"hinge","weights":{"7":1},"dimension":6})", "beyond the model's dimension 6"},
        {R"({"learner":"sgd","loss":"hinge","weights":{},"labels":"number"})", "labels number"},
    };
    for (const auto& [text, part] : cases) {
        try {
            from_json(text, memory, never);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const Error& error) {
            const std::string said = std::string(error.message()) + " / " + error.hint();
            EXPECT_NE(said.find(part), std::string::npos) << text << "\n" << said;
        }
    }
}

TEST(Model, EveryTruncatedTextIsRefused) {
    for (const Model& model : {sparse_model(), dense_model()}) {
        const std::string text = json_of(model);
        for (size_t size = 0; size < text.size(); ++size)
            EXPECT_THROW(from_json(std::string_view(text).substr(0, size), memory, never), Error) << size;
    }
}

TEST(Model, MangledTextNeverGetsPast) {
    std::mt19937_64 random(3);
    const std::string_view alphabet = "{}[]\",:\\eE+-.0123456789 un\x01\xc3";
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text = json_of(round % 2 == 0 ? sparse_model() : dense_model());
        for (uint64_t i = 0; i <= random() % 3; ++i) {
            const size_t at = random() % text.size();
            switch (random() % 3) {
                case 0: text[at] = alphabet[random() % alphabet.size()]; break;
                case 1: text.erase(at, 1 + random() % 3); break;
                default: text.insert(at, 1, alphabet[random() % alphabet.size()]);
            }
        }
        try {
            const Model model = from_json(text, memory, never);
            EXPECT_EQ(bytes_of(from_json(json_of(model), memory, never)), bytes_of(model));
            ++accepted;
        } catch (const Error&) {
        }
    }
    EXPECT_GT(accepted, 100);
}

TEST(Model, SizeIsCheckedExactly) {
    for (const Model& model : {sparse_model(), dense_model(), empty_model()}) {
        const size_t text = json_of(model).size(), need = std::max(text, encoded_size(model));
        EXPECT_NO_THROW(check_size(model, model.resume.size(), need, memory, never));
        EXPECT_THROW(check_size(model, model.resume.size(), need - 1, memory, never), Error);
        EXPECT_EQ(to_json(model, true, text, memory, never).size(), text);
        EXPECT_THROW(to_json(model, true, text - 1, memory, never), Error);
    }
}

TEST(Model, LongWorkIsInterrupted) {
    const volatile std::sig_atomic_t raised = 1;
    const StopSign now(&raised);
    const Model model = dense_model();
    EXPECT_THROW(encode(model, 0, memory, now), Interrupted);
    EXPECT_THROW(decode(bytes_of(model), memory, now), Interrupted);
    EXPECT_THROW(to_json(model, true, plenty, memory, now), Interrupted);
}

}  // namespace
}  // namespace sparselin
