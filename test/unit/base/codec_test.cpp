// The codec, the hashes, base64 and JSON: what the model's forms are made of.
#include "base/base64.h"
#include "base/hash.h"
#include "base/json.h"

#include <gtest/gtest.h>

#include <random>

namespace sparselin {
namespace {

const Memory memory = std::pmr::new_delete_resource();

std::span<const char> chars(std::string_view text) {
    return {text.data(), text.size()};
}

TEST(Codec, IsLittleEndian) {
    Vector<char> out(memory);
    Writer writer(out);
    writer.u8(255);
    writer.u32(0x01020304);
    writer.i32(-2);
    writer.string("ab");
    writer.f64(1);
    const unsigned char expected[] = {255, 4, 3, 2,   1,   254, 255, 255, 255, 2, 0, 0,    0,   0,
                                      0,   0, 0, 'a', 'b', 0,   0,   0,   0,   0, 0, 0xf0, 0x3f};
    ASSERT_EQ(out.size(), sizeof expected);
    EXPECT_EQ(memcmp(out.data(), expected, sizeof expected), 0);
}

TEST(Codec, ReadsWhatItWrote) {
    Vector<char> out(memory);
    Writer writer(out);
    Vector<double> numbers(100000, 0.5, memory);
    writer.array(std::span<const double>(numbers));
    writer.u64(~uint64_t{0});
    writer.i64(INT64_MIN);
    writer.array(std::span<const int32_t>());
    Reader reader(out, "thing");
    Vector<double> back(memory);
    reader.array(back);
    EXPECT_EQ(back, numbers);
    EXPECT_EQ(reader.u64(), ~uint64_t{0});
    EXPECT_EQ(reader.i64(), INT64_MIN);
    EXPECT_THROW(reader.finish(), Error);
    Vector<int32_t> none(memory);
    reader.array(none);
    EXPECT_TRUE(none.empty());
    reader.finish();
    EXPECT_THROW(reader.u8(), Error);
}

// What is there stays there, and what goes beyond it is appended.
TEST(Codec, WritesOverWhatIsThere) {
    Vector<char> out(memory);
    Writer(out).elements_alone(chars("0123456789"));
    Writer over(out, 2, StopSign());
    over.u8('a');
    over.u32(0x64646464);
    EXPECT_EQ(std::string_view(out.data(), out.size()), "01adddd789");
    EXPECT_EQ(over.size(), 7u);
    const std::span<char> written = over.written_since(2);
    EXPECT_EQ(std::string_view(written.data(), written.size()), "adddd");
    memcpy(over.place_for(4), "wxyz", 4);
    EXPECT_EQ(std::string_view(out.data(), out.size()), "01addddwxyz");
    over.elements_alone(chars("!"));
    EXPECT_EQ(std::string_view(out.data(), out.size()), "01addddwxyz!");
}

// Whole numbers lie together, and runs of them that are longer than what goes at one go.
TEST(Codec, SmallNumbersComeInTheirOrder) {
    Vector<char> out(memory), expected(memory);
    Writer writer(out), other(expected);
    SmallNumbers numbers(writer);
    std::vector<double> values(5000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 0.5;
    for (const size_t count : {0, 1, 2, 3, 100, 1023, 1024, 1025, 5000}) {
        for (int32_t repeat = 0; repeat < 30; ++repeat) {
            numbers.add(repeat);
            numbers.add_all(values.data(), count);
            other.i32(repeat);
            other.elements_alone(std::span<const double>(values).first(count));
        }
    }
    numbers.end();
    EXPECT_EQ(out, expected);
}

// A length is believed only as far as there are bytes; memory that cannot be had would show.
TEST(Codec, LengthsAreCheckedBeforeAllocation) {
    for (const uint64_t count : {uint64_t{2}, uint64_t{1} << 61, ~uint64_t{0}}) {
        Vector<char> out(memory);
        Writer writer(out);
        writer.u64(count);
        writer.u64(0);
        Reader reader(out, "thing");
        Vector<double> back(std::pmr::null_memory_resource());
        EXPECT_THROW(reader.array(back), Error);
    }
}

TEST(Hash, NeverChanges) {
    const auto hash = [](std::string_view text) {
        Hasher128 hasher;
        hasher.add(chars(text));
        return hasher.result();
    };
    EXPECT_EQ(mix64(1), 0xe27cef2eada899e9);
    EXPECT_EQ(hash(""), (Hash128{0x49089f1dcd467ddd, 0xcf6fb281ca598874}));
    EXPECT_EQ(hash("abc"), (Hash128{0xbbf3dc1a699eb3fd, 0x3aaa21198b0fe80b}));
    EXPECT_EQ(hash("The same bytes give the same 128 bits on every machine."),
              (Hash128{0xde52dd36ca97161f, 0x01fc564a9f787766}));
}

TEST(Hash, PiecesDoNotMatter) {
    std::mt19937_64 random(4);
    std::vector<char> bytes(1000);
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
        const std::span<const char> all = std::span<const char>(bytes).first(size);
        Hasher128 whole, pieces;
        whole.add(all);
        for (size_t from = 0; from < size;) {
            const size_t piece = std::min<size_t>(size - from, random() % 70);
            pieces.add(all.subspan(from, piece));
            from += piece;
        }
        EXPECT_EQ(whole.result(), pieces.result()) << size;
    }
}

TEST(Hash, LengthAndOrderMatter) {
    std::vector<Hash128> seen;
    for (const std::string& text :
         {std::string(), std::string(1, '\0'), std::string(7, '\0'), std::string(8, '\0'), std::string(32, '\0'),
          std::string("a\0", 2), std::string("\0a", 2), std::string(8, 'a') + std::string(8, 'b'),
          std::string(8, 'b') + std::string(8, 'a')}) {
        Hasher128 hasher;
        hasher.add(chars(text));
        for (const Hash128& other : seen) {
            EXPECT_NE(other.low, hasher.result().low);
            EXPECT_NE(other.high, hasher.result().high);
        }
        seen.push_back(hasher.result());
    }
}

// Each bit of the input flips each bit of the output half of the time.
TEST(Hash, MixesWell) {
    std::mt19937_64 random(5);
    constexpr int rounds = 20000;
    for (int in = 0; in < 64; ++in) {
        int flips[64] = {};
        for (int round = 0; round < rounds; ++round) {
            const uint64_t x = random(), difference = mix64(x) ^ mix64(x ^ uint64_t{1} << in);
            for (int out = 0; out < 64; ++out) flips[out] += static_cast<int>(difference >> out & 1);
        }
        for (const int count : flips) EXPECT_NEAR(count / double{rounds}, 0.5, 0.03) << in;
    }
}

TEST(Base64, FollowsTheStandard) {
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"},
                                                           {"\xff\xef\xbe", "/+++"}};
    for (const auto& [plain, coded] : vectors) {
        String text(memory);
        append_base64(chars(plain), text);
        EXPECT_EQ(text, coded);
        EXPECT_EQ(text.size(), base64_length(strlen(plain)));
        Vector<char> back(memory);
        EXPECT_TRUE(append_unbase64(coded, true, back));
        EXPECT_EQ(std::string(back.begin(), back.end()), plain);
    }
    Vector<char> back(memory);
    for (const char* bad :
         {"Z", "Zg=", "Zg", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9 ", "Zm9\n", "Zm9-", "=m9v"})
        EXPECT_FALSE(append_unbase64(bad, true, back)) << bad;
    EXPECT_FALSE(append_unbase64("Zg==", false, back));
}

TEST(Json, StringsLoseTheirEscapes) {
    String scratch(memory);
    const auto read = [&](std::string_view text) {
        JsonReader reader(text, "thing");
        const std::string value(reader.string(scratch));
        reader.finish();
        return value;
    };
    EXPECT_EQ(read(R"("plain")"), "plain");
    EXPECT_EQ(read(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
    EXPECT_EQ(read(R"("\u0041\u00e9\u20ac\ud83d\ude00")"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(read(" \"\" "), "");
    EXPECT_THROW(read(R"("\ud83d")"), Error);
    EXPECT_THROW(read(R"("\ude00")"), Error);
    EXPECT_THROW(read(R"("\ud83d\u0041")"), Error);
    EXPECT_THROW(read(R"("open)"), Error);
    EXPECT_THROW(read("\"a\tb\""), Error);
}

TEST(Json, NumbersAreJsonsOwn) {
    for (const char* good : {"0", "-0", "10", "-1.5", "1e5", "1E-5", "0.1e+10"}) {
        JsonReader reader(good, "thing");
        EXPECT_EQ(reader.number(), good);
        reader.finish();
    }
    for (const char* bad : {"01", "+1", ".5", "1.", "1e", "1e+", "--1", "0x1", "NaN", "Infinity", "", "-"}) {
        EXPECT_THROW(
            {
                JsonReader reader(bad, "thing");
                reader.number();
                reader.finish();
            },
            Error)
            << bad;
    }
}

TEST(Json, DepthIsBounded) {
    const std::string deep(100000, '[');
    EXPECT_THROW(
        {
            JsonReader reader(deep, "thing");
            for (;;) {
                reader.open_array();
                reader.next_element();
            }
        },
        Error);
}

TEST(Json, WriterAndReaderAgree) {
    for (int pass = 0; pass < 2; ++pass) {
        String text(memory);
        JsonWriter writer(pass == 0 ? &text : nullptr);
        writer.open_object();
        writer.key("a\"\\\x01");
        writer.open_array();
        writer.number(1);
        writer.open_array();
        writer.close_array();
        writer.open_object();
        writer.close_object();
        writer.number(0.1);
        writer.close_array();
        writer.key("b");
        writer.string("x\ny");
        writer.close_object();
        const std::string_view expected = R"({"a\"\\\u0001":[1,[],{},0.1],"b":"x\u000ay"})";
        EXPECT_EQ(writer.size(), expected.size());
        EXPECT_EQ(text, pass == 0 ? expected : "");
    }
}

}  // namespace
}  // namespace sparselin
