// Options: the table, the text form and its faults.
#include "options/options.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();

std::string canonical(std::string_view text) {
    return std::string(print_options(parse_options(text, heap), heap));
}

Error fault_of(std::string_view text) {
    try {
        parse_options(text, heap);
    } catch (const Error& error) {
        return error;
    }
    return Error(Fault::too_large, "no error from: %s", std::string(text).c_str());
}

void expect_fault(std::string_view text, Fault fault, const char* message, const char* hint) {
    const Error error = fault_of(text);
    EXPECT_STREQ(error.message(), message) << text;
    EXPECT_STREQ(error.hint(), hint) << text;
    EXPECT_EQ(error.fault(), fault) << text;
}

}  // namespace

TEST(Options, CanonicalText) {
    EXPECT_EQ(canonical(""), "");
    EXPECT_EQ(canonical(" \t\n "), "");
    EXPECT_EQ(canonical("lambda=0.0001 loss=hinge"), "loss=hinge lambda=1e-04");
    EXPECT_EQ(canonical("LOSS = Squared_Hinge\n epochs= 1e1"), "loss=squared_hinge epochs=10");
    EXPECT_EQ(canonical("epochs=1e6 seed=9007199254740992 step_offset=1e5"),
              "epochs=1000000 seed=9007199254740992 step_offset=100000");
    EXPECT_EQ(canonical("step_offset=-0 average_power=0.5 lambda=+.25"), "lambda=0.25 step_offset=0 average_power=0.5");
    EXPECT_FALSE(std::signbit(parse_options("step_offset=-0", heap).step_offset));
    EXPECT_EQ(canonical("intercept=off resumable=YES"), "intercept=false resumable=true");
    EXPECT_EQ(canonical("intercept=1 resumable=0"), "intercept=true resumable=false");
    EXPECT_EQ(canonical("center={3:2, 1:0.5}/4 loss=absolute"), "loss=absolute center={1:0.5,3:2}/4");
    EXPECT_EQ(canonical("center={}"), "center={}");
}

TEST(Options, AutoLeavesUnset) {
    for (const OptionSpec& spec : option_table()) EXPECT_EQ(canonical(std::string(spec.name) + "=auto"), "");
}

TEST(Options, PrintedTextReadsBackExactly) {
    const double values[] = {1e-100, 1.0 / 3, 0.1, 5e-5, 12345.678, 1e15, 1e16, 1e22, 1.7976931348623157e308};
    for (const double value : values) {
        Options options(heap);
        set_option(options, find_option("lambda"), value);
        const std::string text(print_options(options, heap));
        EXPECT_EQ(parse_options(text, heap).lambda, value) << text;
        EXPECT_EQ(canonical(text), text);
    }
}

TEST(Options, FaultsOfForm) {
    expect_fault("lamda=1", Fault::bad_value, "unknown option \"lamda\"", "Perhaps you meant \"lambda\".");
    expect_fault("average=1", Fault::bad_value, "unknown option \"average\"", "Perhaps you meant \"average_power\".");
    expect_fault("xyzzy=1", Fault::bad_value, "unknown option \"xyzzy\"",
                 "The options are loss, delta, quantile, search, lambda, l1, epochs, sampling, seed, step_offset, "
                 "average_power, implicit_above, gamma0, decay, "
                 "decay_rate, average_start, eta0, power, method, gravity, truncate_every, threshold, clip_min, "
                 "clip_max, scale, norm, class_weight, intercept, settle, center, resumable, classes.");
    expect_fault("l2=1", Fault::bad_value, "unknown option \"l2\"",
                 "The strength of the l2 regularisation is the option \"lambda\".");
    expect_fault("L3=1", Fault::bad_value, "unknown option \"L3\"", "Perhaps you meant \"l1\".");
    expect_fault("loss=hinge loss=hinge", Fault::bad_value, "option \"loss\" is given twice", "Give each option once.");
    expect_fault("loss=auto loss=hinge", Fault::bad_value, "option \"loss\" is given twice", "Give each option once.");
    const char* const form = "Write options as name=value, separated by spaces: loss=hinge lambda=1e-4.";
    expect_fault("hinge", Fault::bad_text, "no \"=\" after \"hinge\" in options", form);
    expect_fault("lambda 1e-4", Fault::bad_text, "no \"=\" after \"lambda\" in options", form);
    expect_fault("=3", Fault::bad_text, "no option name before \"=3\"", form);
    expect_fault("lambda=", Fault::bad_text, "no value for option \"lambda\"",
                 "Write lambda=value, or lambda=auto for the default.");
    expect_fault("lambda= epochs=5", Fault::bad_text, "no value for option \"lambda\"",
                 "Write lambda=value, or lambda=auto for the default.");
    const char* const comma = "Options are separated by spaces alone, and decimals are written with a point.";
    expect_fault("loss=hinge, lambda=1", Fault::bad_text,
                 "unexpected \",\" in the value of option \"loss\": \"hinge,\"", comma);
    expect_fault("lambda=1,epochs=2", Fault::bad_text,
                 "unexpected \",\" in the value of option \"lambda\": \"1,epochs=2\"", comma);
    expect_fault("center={1:2}, loss=hinge", Fault::bad_text,
                 "unexpected \",\" in the value of option \"center\": \"},\"", comma);
    const char* const array = "Write classes={a,\"b c\"}, as in an array of texts without a NULL.";
    for (const std::string names : {"a,b", "{{a},{b}}", "{a},b"})
        expect_fault("classes=" + names, Fault::bad_text,
                     ("option \"classes\" needs an array of texts, not \"" + names + "\"").c_str(), array);
    expect_fault("class={a,b}", Fault::bad_value, "unknown option \"class\"", "Perhaps you meant \"classes\".");
}

TEST(Options, FaultsOfValue) {
    expect_fault("loss=hinje", Fault::bad_value, "unknown loss \"hinje\"",
                 "Perhaps you meant \"hinge\". The choices for loss are logistic, hinge, squared_hinge, squared, "
                 "absolute, multinomial, huber, quantile.");
    expect_fault("sampling=x", Fault::bad_value, "unknown sampling \"x\"",
                 "The choices for sampling are shuffle, replacement, sequential.");
    expect_fault("lambda=small", Fault::bad_text, "option \"lambda\" needs a number, not \"small\"",
                 "lambda must be a number not below 0; \"auto\" leaves it to the learner.");
    expect_fault("lambda=nan", Fault::bad_text, "option \"lambda\" needs a number, not \"nan\"",
                 "lambda must be a number not below 0; \"auto\" leaves it to the learner.");
    for (const char* const value : {"-1", "-1e-320", "1e-400", "1e400"})
        expect_fault(std::string("lambda=") + value, Fault::bad_value,
                     (std::string("option \"lambda\" is out of range: ") + value).c_str(),
                     "lambda must be a number not below 0.");
    for (const char* const value : {"0", "-0", "-1", "1e-400"})
        expect_fault(std::string("eta0=") + value, Fault::bad_value,
                     (std::string("option \"eta0\" is out of range: ") + value).c_str(),
                     "eta0 must be a number greater than 0.");
    for (const char* const value : {"0", "1.5", "1000000001"})
        expect_fault(std::string("truncate_every=") + value, Fault::bad_value,
                     (std::string("option \"truncate_every\" is out of range: ") + value).c_str(),
                     "truncate_every must be a whole number from 1 to 1000000000.");
    for (const char* const value : {"-0.25", "1.0000001"})
        for (const char* const name : {"power", "decay"})
            expect_fault(std::string(name) + "=" + value, Fault::bad_value,
                         (std::string("option \"") + name + "\" is out of range: " + value).c_str(),
                         (std::string(name) + " must be a number from 0 to 1.").c_str());
    expect_fault("clip_min=-1e309", Fault::bad_value, "option \"clip_min\" is out of range: -1e309",
                 "clip_min must be a number.");
    for (const char* const value : {"0", "1000001", "2.5"})
        expect_fault(std::string("epochs=") + value, Fault::bad_value,
                     (std::string("option \"epochs\" is out of range: ") + value).c_str(),
                     "epochs must be a whole number from 1 to 1000000.");
    expect_fault("average_power=10.5", Fault::bad_value, "option \"average_power\" is out of range: 10.5",
                 "average_power must be a number from 0 to 10.");
    expect_fault("intercept=maybe", Fault::bad_text, "option \"intercept\" needs true or false, not \"maybe\"",
                 "Write intercept=true or intercept=false.");
    expect_fault("center=3", Fault::bad_text, "option \"center\" needs a sparsearray, not \"3\"",
                 "Write center={1:0.5,3:2} or, with a dimension, center={1:0.5,3:2}/4.");
    EXPECT_EQ(fault_of("center={1:2").fault(), Fault::bad_text);
    EXPECT_EQ(fault_of("center={0:2}").fault(), fault_of("center={-1:2}").fault());
}

// The one option that takes it prints it in one way.
TEST(Options, InfinityWhereItMeansNever) {
    for (const std::string text : {"infinity", "Infinity", "inf", "+INF", "+infinity"})
        EXPECT_EQ(canonical("implicit_above=" + text), "implicit_above=infinity");
    EXPECT_EQ(canonical("implicit_above=0.5"), "implicit_above=0.5");
    const char* const hint = "implicit_above must be a number greater than 0, or infinity.";
    for (const char* const value : {"0", "-3", "1e-400"})
        expect_fault(std::string("implicit_above=") + value, Fault::bad_value,
                     (std::string("option \"implicit_above\" is out of range: ") + value).c_str(), hint);
    for (const char* const value : {"nan", "-infinity", "never"})
        expect_fault(std::string("implicit_above=") + value, Fault::bad_text,
                     (std::string("option \"implicit_above\" needs a number, not \"") + value + "\"").c_str(),
                     "implicit_above must be a number greater than 0, or infinity; \"auto\" leaves it to the learner.");
    expect_fault("lambda=infinity", Fault::bad_text, "option \"lambda\" needs a number, not \"infinity\"",
                 "lambda must be a number not below 0; \"auto\" leaves it to the learner.");
}

TEST(Options, NumbersAreRangeChecked) {
    Options options(heap);
    for (const double value : {automatic, HUGE_VAL, -HUGE_VAL, -1.0, -5e-324})
        EXPECT_THROW(set_option(options, find_option("lambda"), value), Error) << value;
    EXPECT_TRUE(is_automatic(options.lambda));
    EXPECT_THROW(set_option(options, find_option("gamma0"), 0.0), Error);
    EXPECT_THROW(set_option(options, find_option("gamma0"), -0.0), Error);
    for (const double value : {automatic, HUGE_VAL, -HUGE_VAL})
        EXPECT_THROW(set_option(options, find_option("clip_max"), value), Error) << value;
    for (const double value : {automatic, -HUGE_VAL, 0.0, -1.0})
        EXPECT_THROW(set_option(options, find_option("implicit_above"), value), Error) << value;
    EXPECT_TRUE(is_automatic(options.implicit_above));
    for (const double value : {HUGE_VAL, 5e-324, 1e308}) {
        set_option(options, find_option("implicit_above"), value);
        EXPECT_EQ(options.implicit_above, value);
    }
    EXPECT_THROW(set_option(options, find_option("seed"), 9007199254740994.0), Error);
    EXPECT_THROW(set_option(options, find_option("loss"), 1.0), Error);
    set_option(options, find_option("seed"), 0.0);
    EXPECT_EQ(options.seed, 0);
}

TEST(Options, TableIsSound) {
    EXPECT_LE(option_table().size(), 64u);
    for (const OptionSpec& spec : option_table()) {
        EXPECT_EQ(&find_option(spec.name), &spec);
        EXPECT_EQ(spec.field == nullptr, spec.type == OptionType::sparse || spec.type == OptionType::names)
            << spec.name;
        EXPECT_NE(spec.learners, 0u) << spec.name;
        EXPECT_NE(is_automatic(spec.default_value), spec.default_text == nullptr) << spec.name;
        if (is_automatic(spec.default_value) || spec.type == OptionType::sparse) continue;
        const std::string text(value_text(spec, spec.default_value));
        EXPECT_EQ(canonical(std::string(spec.name) + "=" + text), std::string(spec.name) + "=" + text);
    }
}

TEST(Options, Markdown) {
    const std::string text(options_markdown(heap));
    EXPECT_NE(
        text.find(
            "| `lambda` | number | 1/rows, for absolute, huber and quantile in the label's unit; must be given when "
            "streaming; onepass, elasticnet: 1e-05 | "
            "a number not below 0 | sgd, asgd, casgd, onepass, elasticnet | "
            "strength of the l2 regularisation |\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("| `loss` | choice | logistic | logistic, hinge, squared_hinge, squared, absolute, "
                        "multinomial, huber, quantile |"),
              std::string::npos)
        << text;
}

TEST(Names, Nearest) {
    const auto nearest = [](std::string_view typed) {
        NearestName name(typed);
        for (const char* const right : {"loss", "lambda", "epochs", "sampling"}) name.offer(right);
        return std::string(name.found() == nullptr ? "" : name.found());
    };
    EXPECT_EQ(nearest("Labmda"), "lambda");
    EXPECT_EQ(nearest("epoch"), "epochs");
    EXPECT_EQ(nearest("samplin"), "sampling");
    EXPECT_EQ(nearest("los"), "loss");
    NearestName swapped("fomr");
    for (const char* const right : {"from", "form"}) swapped.offer(right);
    EXPECT_STREQ(swapped.found(), "form");
    EXPECT_EQ(nearest(""), "");
    EXPECT_EQ(nearest("x"), "");
    EXPECT_EQ(nearest("learning_rate"), "");
    EXPECT_EQ(nearest(std::string(5000, 'l')), "");
}

TEST(Names, Slips) {
    for (const char* const typed : {"label", "Label", "labels", "lable", "abel", "lbel", "labbel", "labex"})
        EXPECT_EQ(is_slip(typed, "label"), typed[0] != 'a') << typed;
    for (const char* const typed : {"", "l", "cable", "level", "label_id", "labelled", "kind"})
        EXPECT_FALSE(is_slip(typed, "label")) << typed;
    EXPECT_FALSE(is_slip("height", "weight"));
    EXPECT_FALSE(is_slip(std::string(5000, 'l'), "label"));
}

TEST(Names, ExcerptsAreCutBetweenCharacters) {
    const std::string letter = "\xc3\xa4";
    std::string letters;
    for (int i = 0; i < 20; ++i) letters += letter;
    EXPECT_EQ(Excerpt(letters).c_str(), letters);
    EXPECT_EQ(Excerpt(letters + letter).c_str(), letters + "...");
    EXPECT_EQ(Excerpt("x" + letters).c_str(), "x" + letters.substr(2) + "...");
    EXPECT_EQ(Excerpt(std::string(100, '\x80')).c_str(), std::string(40, '\x80') + "...");
    EXPECT_EQ(Excerpt("a\tb\x7f").c_str(), std::string("a?b?"));
    EXPECT_EQ(Excerpt("").c_str(), std::string());
}

TEST(Names, PhraseKeepsWithinBounds) {
    Phrase phrase;
    for (int i = 0; i < 200; ++i) phrase.comma().add("%d", i);
    EXPECT_LT(std::string_view(phrase).size(), 400u);
    EXPECT_EQ(std::string_view(phrase).size(), std::string(phrase.c_str()).size());
}
