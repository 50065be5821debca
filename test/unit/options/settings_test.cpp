// Settings: which options a learner takes, which go together, and the defaults of each learner.
#include "options/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();

Settings settings_of(std::string_view text, LearnerKind learner) {
    return settings_for(parse_options(text, heap), learner);
}

std::string lambda_is(const char* lambda) {
    return std::string("lambda=") + lambda;
}

bool takes(const Options& options, LearnerKind learner) {
    try {
        settings_for(options, learner);
    } catch (const Error&) {
        return false;
    }
    return true;
}

// Everything in them; what is automatic as -1, so that it equals itself.
std::vector<double> numbers_of(const Settings& s) {
    std::vector<double> numbers = {
        double(s.learner),   double(s.loss),           double(s.sampling),  double(s.method),    double(s.scale),
        double(s.normalize), double(s.class_weight),   double(s.intercept), double(s.resumable), double(s.epochs),
        double(s.seed),      double(s.truncate_every), double(s.settle)};
    for (const double number :
         {s.lambda, s.step_offset, s.average_power, s.implicit_above, s.gamma0, s.decay, s.decay_rate, s.average_start,
          s.eta0, s.power, s.gravity, s.threshold, s.clip_min, s.clip_max, s.l1, s.loss_parameter, s.per_unit})
        numbers.push_back(is_automatic(number) ? -1 : number);
    return numbers;
}

void expect_refusal(std::string_view text, LearnerKind learner, const std::string& message, const char* hint) {
    try {
        settings_of(text, learner);
        ADD_FAILURE() << name_of(learner) << " takes " << text;
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), message) << text;
        EXPECT_STREQ(error.hint(), hint) << text;
    }
}

}  // namespace

TEST(Settings, LearnersTakeTheirOwn) {
    for (const OptionSpec& spec : option_table()) {
        Options options(heap);
        spec.field != nullptr ? options.*spec.field = 1 : (options.has_center = true);
        for (const LearnerKind learner : every_learner) {
            std::string message;
            try {
                settings_for(options, learner);
            } catch (const Error& error) {
                message = error.message();
            }
            const std::string refusal = std::string(name_of(learner)) + "_train has no option \"" + spec.name + "\"";
            EXPECT_EQ(message == refusal, !spec.is_taken_by(learner)) << message << " beside " << refusal;
        }
    }
    expect_refusal("center={1:1}", LearnerKind::asgd, "asgd_train has no option \"center\"",
                   "center is an option of casgd_train.");
    expect_refusal("lambda=1", LearnerKind::truncated, "truncated_train has no option \"lambda\"",
                   "lambda is an option of sgd_train, asgd_train, casgd_train, onepass_train, elasticnet_train.");
}

TEST(Settings, DekelsLearnersNeedLambda) {
    for (const LearnerKind learner : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd}) {
        for (const char* const lambda : {"0", "1e-101", "5e-324"})
            EXPECT_THROW(settings_of(lambda_is(lambda), learner), Error);
        for (const char* const lambda : {"1e-100", "1e300", "auto"})
            EXPECT_NO_THROW(settings_of(lambda_is(lambda), learner));
    }
    for (const LearnerKind learner : {LearnerKind::onepass, LearnerKind::elasticnet})
        for (const char* const lambda : {"0", "5e-324", "1", "auto"})
            EXPECT_NO_THROW(settings_of(lambda_is(lambda), learner));
    expect_refusal("lambda=0", LearnerKind::asgd, "option \"lambda\" is out of range for asgd_train: 0",
                   "lambda must not be below 1e-100 there, since steps are 1/(lambda t); onepass_train and "
                   "elasticnet_train take 0.");
}

TEST(Settings, MethodsBelongToTheirLearners) {
    for (const char* const method : {"method=truncate", "method=round threshold=0.1", "method=auto"})
        EXPECT_NO_THROW(settings_of(method, LearnerKind::truncated)) << method;
    for (const char* const method : {"method=sgd", "method=fobos", "method=auto"})
        EXPECT_NO_THROW(settings_of(method, LearnerKind::elasticnet)) << method;
    for (const char* const method : {"sgd", "fobos"})
        expect_refusal(std::string("method=") + method, LearnerKind::truncated,
                       std::string("truncated_train has no method \"") + method + "\"",
                       "The methods of truncated_train are truncate and round.");
    for (const char* const method : {"truncate", "round"})
        expect_refusal(std::string("method=") + method, LearnerKind::elasticnet,
                       std::string("elasticnet_train has no method \"") + method + "\"",
                       "The methods of elasticnet_train are sgd and fobos.");
    expect_refusal("method=round", LearnerKind::truncated, "method \"round\" needs a threshold",
                   "Give the threshold up to which weights are rounded to 0, for example threshold => 0.01.");
    expect_refusal("method=round threshold=0.1 gravity=0", LearnerKind::truncated, "method \"round\" has no gravity",
                   "Rounding sets every weight up to the threshold to 0; gravity belongs to method \"truncate\".");
}

TEST(Settings, StepsThatWouldTurnSigns) {
    const char* const net =
        "A step shrinks weights by 1 - eta * lambda, which would turn their signs: give a smaller "
        "eta0 or lambda, or method => 'fobos', which takes any.";
    expect_refusal("eta0=0.5 lambda=2", LearnerKind::elasticnet,
                   "eta0 * lambda is 1, but must be below 1 with method \"sgd\"", net);
    expect_refusal("lambda=1e300 eta0=1e300", LearnerKind::elasticnet,
                   "eta0 * lambda is inf, but must be below 1 with method \"sgd\"", net);
    EXPECT_NO_THROW(settings_of("eta0=0.5 lambda=1.99", LearnerKind::elasticnet));
    EXPECT_NO_THROW(settings_of("eta0=0.5 lambda=2 method=fobos", LearnerKind::elasticnet));
    expect_refusal("lambda=4 gamma0=0.25", LearnerKind::onepass, "lambda * gamma0 is 1, but must be below 1",
                   "A step shrinks weights by 1 - lambda * gamma: give a smaller gamma0 or lambda, or leave gamma0 "
                   "automatic.");
    EXPECT_NO_THROW(settings_of("lambda=4 gamma0=0.24", LearnerKind::onepass));
    EXPECT_NO_THROW(settings_of("lambda=4", LearnerKind::onepass));
}

TEST(Settings, ThatDoNotGoTogether) {
    expect_refusal("clip_min=1 clip_max=-1", LearnerKind::truncated, "clip_min 1 is above clip_max -1",
                   "Predictions are clipped to what lies between the two.");
    for (const char* const clipping : {"clip_min=1", "clip_max=-1", "clip_min=0.5 clip_max=0.5"})
        EXPECT_NO_THROW(settings_of(clipping, LearnerKind::truncated)) << clipping;
    for (const LearnerKind learner : every_learner) {
        expect_refusal("class_weight=balanced loss=squared", learner,
                       "class_weight is for classification, not for loss \"squared\"",
                       "Choose loss logistic, hinge, squared_hinge or multinomial, or leave class_weight out.");
        EXPECT_NO_THROW(settings_of("class_weight=balanced loss=hinge", learner));
        EXPECT_NO_THROW(settings_of("class_weight=none loss=absolute", learner));
    }
}

TEST(Settings, WhatCanBeSettledIs) {
    const char* const losses =
        "Choose loss logistic, squared_hinge, squared, absolute, huber or quantile, or leave settle out.";
    for (const LearnerKind learner : every_learner) {
        for (const char* const loss : {"logistic", "squared_hinge", "squared", "absolute", "huber", "quantile"}) {
            const std::string text = std::string("loss=") + loss;
            EXPECT_TRUE(settings_of(text, learner).settle) << loss;
            EXPECT_TRUE(settings_of(text + " settle=true", learner).settle) << loss;
            EXPECT_FALSE(settings_of(text + " settle=false", learner).settle) << loss;
        }
        EXPECT_FALSE(settings_of("loss=hinge", learner).settle);
        expect_refusal("loss=hinge settle=true", learner, "a model of loss \"hinge\" cannot be settled", losses);
        EXPECT_TRUE(settings_of("loss=squared intercept=false", learner).settle);
        EXPECT_FALSE(settings_of("loss=quantile intercept=false", learner).settle);
        expect_refusal("loss=absolute intercept=false settle=true", learner,
                       "loss \"absolute\" without an intercept leaves nothing to settle",
                       "With that loss a model is settled over its bias alone: learn one, or leave settle out.");
    }
    EXPECT_FALSE(settings_of("loss=multinomial", LearnerKind::casgd).settle);
    expect_refusal("loss=multinomial settle=true", LearnerKind::casgd,
                   "a model of loss \"multinomial\" cannot be settled", losses);
    EXPECT_FALSE(settings_of("method=round threshold=0.1", LearnerKind::truncated).settle);
    expect_refusal("method=round threshold=0.1 settle=true", LearnerKind::truncated,
                   "a model of method \"round\" cannot be settled",
                   "Rounding puts no price on a weight, so that no scale of them is best: choose method truncate, or "
                   "leave settle out.");
    const auto needs = [](const std::string& text, LearnerKind learner, const char* penalties) {
        EXPECT_FALSE(settings_of(text, learner).settle) << text;
        const std::string hint = std::string("The scale of its weights may have no best value: give ") + penalties +
                                 " above 0, or leave settle out.";
        expect_refusal(text + " settle=true", learner, "a model without regularisation cannot be settled",
                       hint.c_str());
    };
    needs("gravity=0", LearnerKind::truncated, "gravity");
    needs("l1=0 lambda=0", LearnerKind::elasticnet, "l1 or lambda");
    needs("lambda=0", LearnerKind::onepass, "lambda");
    EXPECT_TRUE(settings_of("l1=0", LearnerKind::elasticnet).settle);
    EXPECT_TRUE(settings_of("lambda=0", LearnerKind::elasticnet).settle);
}

// Rows that are learned from as they arrive are gone when the last one has come.
TEST(Settings, StreamsDoNotSettle) {
    const auto settles = [](LearnerKind learner, const char* options) {
        return Request({learner, options, LabelKind::number}, heap, StopSign()).settings.settle;
    };
    EXPECT_FALSE(settles(LearnerKind::asgd, "lambda=0.1 epochs=1 sampling=sequential"));
    EXPECT_TRUE(settles(LearnerKind::asgd, "lambda=0.1 epochs=1"));
    EXPECT_TRUE(settles(LearnerKind::asgd, "lambda=0.1 sampling=sequential settle=true"));
    EXPECT_FALSE(settles(LearnerKind::onepass, ""));
    EXPECT_TRUE(settles(LearnerKind::onepass, "epochs=2"));
    EXPECT_TRUE(settles(LearnerKind::onepass, "scale=std settle=true"));
    EXPECT_TRUE(settles(LearnerKind::casgd, "lambda=0.1 epochs=1 sampling=sequential"));
    try {
        settles(LearnerKind::onepass, "settle=true");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.message(), "a model of rows that are learned from as they arrive cannot be settled");
    }
}

TEST(Settings, ParametersOfLosses) {
    for (const LearnerKind learner : every_learner) {
        EXPECT_EQ(settings_of("loss=huber", learner).loss_parameter, 1);
        EXPECT_EQ(settings_of("loss=huber delta=2.5", learner).loss_parameter, 2.5);
        EXPECT_EQ(settings_of("loss=quantile", learner).loss_parameter, 0.5);
        EXPECT_EQ(settings_of("loss=quantile quantile=0.9", learner).loss_parameter, 0.9);
        EXPECT_EQ(settings_of("loss=absolute", learner).loss_parameter, 0);
        expect_refusal("delta=2", learner, "loss \"logistic\" has no option \"delta\"",
                       "delta is an option of loss huber.");
        expect_refusal("loss=huber quantile=0.1", learner, "loss \"huber\" has no option \"quantile\"",
                       "quantile is an option of loss quantile.");
    }
    for (const char* const bad : {"delta=0", "delta=-1", "delta=-1e-300"})
        expect_refusal(std::string("loss=huber ") + bad, LearnerKind::asgd,
                       "option \"delta\" is out of range: " + std::string(bad + 6),
                       "delta must be a number greater than 0.");
    for (const char* const bad : {"quantile=0", "quantile=1", "quantile=-1", "quantile=1.5"})
        expect_refusal(std::string("loss=quantile ") + bad, LearnerKind::asgd,
                       "option \"quantile\" is out of range: " + std::string(bad + 9),
                       "quantile must be a number above 0 and below 1.");
}

TEST(Settings, Defaults) {
    for (const LearnerKind learner : every_learner) {
        const Settings settings = settings_of("", learner);
        const bool onepass = learner == LearnerKind::onepass;
        EXPECT_EQ(settings.learner, learner);
        EXPECT_EQ(settings.loss, Loss::logistic);
        EXPECT_EQ(settings.sampling, onepass ? Sampling::sequential : Sampling::shuffle);
        EXPECT_EQ(settings.epochs, onepass ? 1 : 10);
        EXPECT_EQ(settings.seed, 42u);
        EXPECT_EQ(settings.scale, Scaling::none);
        EXPECT_EQ(settings.class_weight, ClassWeight::none);
        EXPECT_TRUE(settings.intercept);
        EXPECT_TRUE(settings.resumable);
    }
    const Settings casgd = settings_of("", LearnerKind::casgd);
    EXPECT_EQ(casgd.average_power, 2);
    EXPECT_TRUE(is_automatic(casgd.lambda));
    EXPECT_TRUE(is_automatic(casgd.step_offset));

    EXPECT_EQ(casgd.implicit_above, 8);

    const Settings given = settings_of("loss=absolute lambda=2 step_offset=7", LearnerKind::sgd);
    EXPECT_EQ(given.loss, Loss::absolute);
    EXPECT_EQ(given.lambda, 2);
    EXPECT_EQ(given.step_offset, 7);
}

TEST(Settings, DefaultsOfTheOthers) {
    const Settings onepass = settings_of("", LearnerKind::onepass);
    EXPECT_EQ(onepass.lambda, 1e-5);
    EXPECT_EQ(onepass.decay_rate, 1e-5);
    EXPECT_EQ(onepass.decay, 0.75);
    EXPECT_EQ(settings_of("loss=squared", LearnerKind::onepass).decay, 2.0 / 3);
    EXPECT_EQ(settings_of("lambda=0.25", LearnerKind::onepass).decay_rate, 0.25);
    EXPECT_EQ(settings_of("lambda=0 decay_rate=0.01", LearnerKind::onepass).decay_rate, 0.01);
    EXPECT_TRUE(is_automatic(onepass.gamma0));
    EXPECT_TRUE(is_automatic(onepass.average_start));
    EXPECT_EQ(onepass.implicit_above, 8);

    const Settings truncated = settings_of("", LearnerKind::truncated);
    EXPECT_EQ(truncated.lambda, 0);
    EXPECT_EQ(truncated.method, Method::truncate);
    EXPECT_EQ(truncated.gravity, 1e-4);
    EXPECT_EQ(truncated.truncate_every, 10);
    EXPECT_EQ(truncated.threshold, HUGE_VAL);
    EXPECT_EQ(truncated.clip_min, -HUGE_VAL);
    EXPECT_EQ(truncated.clip_max, HUGE_VAL);

    const Settings net = settings_of("", LearnerKind::elasticnet);
    EXPECT_EQ(net.lambda, 1e-5);
    EXPECT_EQ(net.l1, 1e-6);
    EXPECT_EQ(net.method, Method::sgd);
    for (const Settings& settings : {truncated, net}) {
        EXPECT_EQ(settings.eta0, 0.5);
        EXPECT_EQ(settings.power, 0.5);
    }
}

// c/L: squared slopes grow with the step, and leave no c above 1; huber's grow as far as delta; a label's unit takes
// the place of 1/L where slopes jump.
TEST(Settings, ReachIsAsFarAsTheLossAllows) {
    const auto reach = [](std::string_view text, double per_unit = 1, LearnerKind learner = LearnerKind::casgd) {
        Settings settings = settings_of(text, learner);
        settings.per_unit = per_unit;
        return settings.reach();
    };
    EXPECT_EQ(reach(""), 32);
    EXPECT_EQ(reach("implicit_above=2"), 8);
    EXPECT_EQ(reach("loss=multinomial"), 16);
    EXPECT_EQ(reach("loss=hinge"), 8);
    for (const std::string loss : {"squared", "squared_hinge"}) {
        EXPECT_EQ(reach("loss=" + loss), 1);
        EXPECT_EQ(reach("implicit_above=0.5 loss=" + loss), 0.5);
    }
    EXPECT_EQ(reach("loss=huber", 0.01), 2);
    EXPECT_EQ(reach("loss=huber implicit_above=0.25", 0.01), 0.25);
    for (const std::string loss : {"absolute", "quantile quantile=0.1"}) EXPECT_EQ(reach("loss=" + loss, 0.25), 32);
    for (const LossTraits& loss : loss_table) {
        const std::string name = std::string("loss=") + loss.name;
        EXPECT_EQ(reach(name + " implicit_above=inf", 0.5), HUGE_VAL);
        EXPECT_EQ(reach(loss.joint ? "" : name, 0.5, LearnerKind::truncated), HUGE_VAL);
    }
}

// What a model says of its options, given again, gives the same settings, and the same text.
TEST(Settings, WhatIsNotedIsWhatWasUsed) {
    for (const LearnerKind learner : every_learner) {
        for (const char* const text :
             {"", "loss=squared seed=7", "intercept=false lambda=0.5", "implicit_above=inf", "implicit_above=1e-9",
              "method=fobos l1=3", "method=round threshold=0.5", "gravity=0 clip_min=-1 clip_max=2 threshold=0"}) {
            Options noted = parse_options(text, heap);
            if (!takes(noted, learner)) continue;
            const Settings settings = settings_for(noted, learner);
            note_settings(settings, noted);
            const std::string printed(print_options(noted, heap));
            Options again = parse_options(printed, heap);
            const Settings same = settings_for(again, learner);
            EXPECT_EQ(numbers_of(same), numbers_of(settings)) << printed;
            note_settings(same, again);
            EXPECT_EQ(std::string(print_options(again, heap)), printed);
        }
    }
    Options noted = parse_options("method=round threshold=0.5", heap);
    note_settings(settings_for(noted, LearnerKind::truncated), noted);
    EXPECT_TRUE(is_automatic(noted.gravity));
}
