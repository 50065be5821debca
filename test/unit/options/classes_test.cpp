// The option that names classes: as an array is written.
#include "options/options.h"

#include <gtest/gtest.h>

#include <random>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
using Names = std::vector<std::string>;

Names read(std::string_view text) {
    const Options options = parse_options(text, heap);
    return {options.classes.begin(), options.classes.end()};
}

// Names as an option, and the text of it.
std::string written(Names names) {
    Options options(heap);
    std::ranges::sort(names);
    for (const std::string& name : names) options.classes.emplace_back(name);
    return std::string(print_options(options, heap));
}

std::string message_of(std::string_view text) {
    try {
        parse_options(text, heap);
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.hint()), "") << text;
        return error.message();
    }
    return "no error";
}

}  // namespace

TEST(ClassesOption, IsReadAsAnArray) {
    EXPECT_EQ(read("classes={b,a,C}"), (Names{"C", "a", "b"}));
    EXPECT_EQ(read("classes = { b , \"a\" ,c d } epochs=2"), (Names{"a", "b", "c d"}));
    EXPECT_EQ(read("classes={\"\"}"), (Names{""}));
    EXPECT_EQ(read("classes={\"NULL\",nulls}"), (Names{"NULL", "nulls"}));
    EXPECT_EQ(read("classes={\"a,b\",\"{x}\",\"y=z\",\" \"}"), (Names{" ", "a,b", "y=z", "{x}"}));
    EXPECT_EQ(read("classes={\"say \\\"so\\\"\",\"back\\\\slash\",a\\,b,c\\}}"),
              (Names{"a,b", "back\\slash", "c}", "say \"so\""}));
    EXPECT_EQ(read("classes={a=b,epochs=1} epochs=7"), (Names{"a=b", "epochs=1"}));
    EXPECT_EQ(read("classes={\xc3\xa4,a\tb}\nepochs=7"), (Names{"a\tb", "\xc3\xa4"}));
    EXPECT_EQ(read("classes=auto"), Names{});
}

TEST(ClassesOption, IsPrintedAsItIsRead) {
    EXPECT_EQ(written({"b", "a_1", "C"}), "classes={C,a_1,b}");
    EXPECT_EQ(written({"", "NULL", "null", "a b", "\"", "\\", "{", "}", ",", "=", "a=b", "\n", "a ", "\xc3\xa4"}),
              "classes={\"\",\"\n\",\"\\\"\",\",\",\"=\",\"NULL\",\"\\\\\",\"a \",\"a b\",\"a=b\",\"null\",\"{\",\"}\","
              "\"\xc3\xa4\"}");
    const Names all = {"", "NULL", "a b", "\"", "\\", "{", "}", ",", "=", "\n", "a ", "\\\"", "\xc3\xa4"};
    Names expected = all;
    std::ranges::sort(expected);
    EXPECT_EQ(read(written(all)), expected);
    EXPECT_EQ(read(written(all) + " epochs=3"), expected);
    const std::string large(1 << 20, '\\');
    EXPECT_EQ(read(written({large, "a"})), (Names{large, "a"}));
}

// Of letters that mean something, in any order.
TEST(ClassesOption, AnyNamesReadBack) {
    std::mt19937 random(1);
    const std::string letters = "\"\\{},= a\tN";
    const auto text = [&] {
        std::string its;
        for (size_t left = random() % 6; left > 0; --left) its += letters[random() % letters.size()];
        return its;
    };
    for (int round = 0; round < 5000; ++round) {
        Names names = {text()};
        while (random() % 3 != 0) names.push_back(text());
        std::ranges::sort(names);
        names.erase(std::unique(names.begin(), names.end()), names.end());
        EXPECT_EQ(read("lambda=2 " + written(names) + " epochs=2"), names) << written(names);
        // And any text at all is read, or refused.
        std::string any = "classes={" + text() + text() + text();
        try {
            const Names found = read(any);
            EXPECT_EQ(read(written(found)), found) << any;
        } catch (const Error& error) {
            EXPECT_STRNE(error.hint(), "") << any;
        }
    }
}

TEST(ClassesOption, FaultsAreNamed) {
    for (const char* text : {"{", "{a", "{a,", "{a,}", "{,a}", "{a,,b}", "{\"a", "{\"a\\", "{\"a\"b}", "{a\"b\"}",
                             "{a{b}}", "{a\\", "{NULL}", "{a,null}", "a", "a,b", "[a]", "{a}}", "{a}x"}) {
        const std::string message = message_of(std::string("classes=") + text);
        EXPECT_TRUE(message.starts_with("option \"classes\" needs an array of texts, not \"") ||
                    message.starts_with("unexpected \",\" in the value of option \"classes\""))
            << text << ": " << message;
    }
    EXPECT_EQ(message_of("classes={}"), "option \"classes\" has no names");
    EXPECT_EQ(message_of("classes={ }"), "option \"classes\" has no names");
    EXPECT_EQ(message_of("classes={a,b,\"a\"}"), "option \"classes\" has \"a\" twice");
    EXPECT_EQ(message_of("classes={a} classes={b}"), "option \"classes\" is given twice");
    EXPECT_EQ(message_of("classes="), "no value for option \"classes\"");
    EXPECT_EQ(message_of("classes={a} b}"), "no \"=\" after \"b}\" in options");
}
