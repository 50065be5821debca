// elastic: Lipton and Elkan's headline. Rows of their shape (260,941 features, 88.5 non-zeros a row on average) are
// learned from by elasticnet_train's own steps, and by the definition: the same loss step, then a loop over all
// weights. Both are compiled with the flags of the extension. Prints the time a row, best of several runs in turns, and
// fails where the lazy one is not 2000 times as fast or does not learn the same weights. Last, how the streaming
// learners compare on these rows.
#include "rows.h"

#include "learners/asgd.h"
#include "learners/elasticnet.h"
#include "options/losses.h"
#include "learners/truncated.h"
#include "support/learner_alone.h"

#include <algorithm>

#include <memory_resource>
#include <random>

namespace {

using namespace sparselin;

constexpr int32_t features = 260941;
constexpr int64_t all_rows = 20000, dense_rows = 60;
constexpr int rounds = 9;
constexpr double nonzeros = 88.5;

// Words of abstracts: feature j in proportion to 1/(j + 10), each at most once a row, with a count; labels by a rule of
// their own, one in ten against it. Where a word's number lies says nothing about how frequent it is.
struct Abstracts {
    std::vector<int32_t> index;
    std::vector<float> value;
    std::vector<int64_t> start{0};
    std::vector<double> label;

    explicit Abstracts(int64_t rows) {
        std::mt19937_64 random(11);
        std::vector<int32_t> number_of(features);
        for (int32_t j = 0; j < features; ++j) number_of[static_cast<size_t>(j)] = j;
        std::shuffle(number_of.begin(), number_of.end(), random);
        const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        for (int64_t i = 0; i < rows; ++i) {
            const auto length = static_cast<size_t>(nonzeros / 2 + nonzeros * uniform() + 0.5);
            std::vector<int32_t> words;
            while (words.size() < length) {
                const double rank = 10 * (std::pow((features + 10) / 10.0, uniform()) - 1);
                const int32_t word = number_of[std::min<size_t>(static_cast<size_t>(rank), features - 1)];
                if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
            }
            std::sort(words.begin(), words.end());
            double score = 0;
            for (const int32_t word : words) {
                index.push_back(word);
                value.push_back(static_cast<float>(1 + random() % 8 / 4));
                score += word % 7 < 3 ? 1.3 : -1;
            }
            start.push_back(static_cast<int64_t>(index.size()));
            label.push_back((score > 0) == (uniform() > 0.1) ? 1 : -1);
        }
    }

    Example row(int64_t i) const {
        const size_t begin = static_cast<size_t>(start[static_cast<size_t>(i)]);
        const auto count = static_cast<int32_t>(start[static_cast<size_t>(i) + 1] - start[static_cast<size_t>(i)]);
        return {{index.data() + begin, value.data() + begin, count, 0}, label[static_cast<size_t>(i)], 1};
    }
};

// The definition.
class DenseElasticNet {
public:
    explicit DenseElasticNet(const Settings& settings)
        : eta0(settings.eta0),
          l1(settings.l1),
          l2(settings.lambda),
          fobos(settings.method == Method::fobos),
          w(features) {}

    void step(const Example& example) {
        const SparseRow& x = example.x;
        double p = b;
        for (int32_t i = 0; i < x.nnz; ++i) p += w[static_cast<size_t>(x.index[i])] * double{x.value[i]};
        const double g = LogisticLoss{}.slope(p, example.y);
        const double eta = eta0 / std::sqrt(static_cast<double>(++t));
        for (int32_t i = 0; i < x.nnz; ++i) w[static_cast<size_t>(x.index[i])] -= eta * g * double{x.value[i]};
        b -= eta * g;
        if (!branchless) {
            shrink(eta);
        } else {
            shrink_without_branches(eta);
        }
    }

    void shrink(double eta) {
        if (fobos) {
            for (double& weight : w)
                weight = std::copysign(std::max(std::fabs(weight) - eta * l1, 0.0) / (1 + eta * l2), weight);
        } else {
            for (double& weight : w)
                weight = std::copysign(std::max((1 - eta * l2) * std::fabs(weight) - eta * l1, 0.0), weight);
        }
    }

    // The fastest that we know: what the compiler makes of max() above is a jump that the weights decide.
    void shrink_without_branches(double eta) {
        const double pull = eta * l1, factor = 1 - eta * l2, divisor = 1 + eta * l2;
        const auto pulled = [pull](double weight) { return weight - std::min(std::max(weight, -pull), pull); };
        if (fobos) {
            for (double& weight : w) weight = pulled(weight) / divisor;
        } else {
            for (double& weight : w) weight = pulled(factor * weight);
        }
    }

    bool branchless = false;
    double eta0, l1, l2;
    bool fobos;
    std::vector<double> w;
    double b = 0;
    int64_t t = 0;
};

Settings settings_for(Method method) {
    Settings settings{};
    settings.learner = LearnerKind::elasticnet;
    settings.loss = Loss::logistic;
    settings.method = method;
    settings.intercept = true;
    settings.lambda = 1e-5;
    settings.l1 = 1e-6;
    settings.eta0 = 0.5;
    settings.power = 0.5;
    settings.gravity = 1e-4;
    settings.truncate_every = 10;
    settings.threshold = settings.clip_max = HUGE_VAL;
    settings.clip_min = -HUGE_VAL;
    settings.step_offset = 100;
    settings.average_power = 2;
    return settings;
}

template <typename L>
struct Streaming : LearnerAlone<L> {
    using LearnerAlone<L>::LearnerAlone;
    void step(const Example& example) { LearnerAlone<L>::step(LogisticLoss{}, example); }
};

template <typename Any>
double seconds_a_row(Any& learner, const Abstracts& abstracts, int64_t from, int64_t to) {
    const double seconds = seconds_of([&] {
        for (int64_t i = from; i < to; ++i) learner.step(abstracts.row(i));
    });
    return seconds / static_cast<double>(to - from);
}

// How far apart the two are after the same rows, beside the largest weight.
double difference(const Settings& settings, const Abstracts& abstracts) {
    Streaming<ElasticNet> lazy(settings);
    DenseElasticNet dense(settings);
    seconds_a_row(lazy, abstracts, 0, dense_rows);
    seconds_a_row(dense, abstracts, 0, dense_rows);
    double apart = 0, largest = 0;
    for (int32_t j = 0; j < features; ++j) {
        const double w = lazy.weight(j);
        apart = std::max(apart, std::fabs(w - dense.w[static_cast<size_t>(j)]));
        largest = std::max(largest, std::fabs(w));
    }
    return apart / largest;
}

// The second half of the rows is timed: then the table has taken its shape.
template <typename Algorithm>
double lazy_seconds(const Settings& settings, const Abstracts& abstracts) {
    Streaming<Algorithm> lazy(settings);
    seconds_a_row(lazy, abstracts, 0, all_rows / 2);
    return seconds_a_row(lazy, abstracts, all_rows / 2, all_rows);
}

// What all rows have taught.
DenseElasticNet trained(const Settings& settings, const Abstracts& abstracts) {
    Streaming<ElasticNet> lazy(settings);
    seconds_a_row(lazy, abstracts, 0, all_rows);
    DenseElasticNet dense(settings);
    lazy.features.walk(StopSign(), [&](int32_t j, const ElasticNet::Cell& cell) {
        dense.w[static_cast<size_t>(j)] = lazy.learner.weight(cell);
    });
    dense.b = lazy.learner.bias();
    dense.t = all_rows;
    return dense;
}

bool judge(const char* name, Method method, const Abstracts& abstracts) {
    constexpr double goal = 2000, nearness = 1e-12;
    const Settings settings = settings_for(method);
    const DenseElasticNet taught = trained(settings, abstracts);
    double lazy = HUGE_VAL, dense = HUGE_VAL, branchless = HUGE_VAL;
    for (int round = 0; round < rounds; ++round) {
        lazy = std::min(lazy, lazy_seconds<ElasticNet>(settings, abstracts));
        DenseElasticNet learner = taught;
        dense = std::min(dense, seconds_a_row(learner, abstracts, 0, dense_rows));
        learner = taught;
        learner.branchless = true;
        branchless = std::min(branchless, seconds_a_row(learner, abstracts, 0, dense_rows));
    }
    const double apart = difference(settings, abstracts);
    const bool good = dense / lazy >= goal && apart <= nearness;
    std::printf("%-6s %7.0f ns  %11.0f ns  %6.0f   (at least %.0f; weights apart by %.0e)   %s\n", name, 1e9 * lazy,
                1e9 * dense, dense / lazy, goal, apart, good ? "pass" : "FAIL");
    std::printf("%-6s %10s  %11.0f ns  %6.0f   without branches\n", "", "", 1e9 * branchless, branchless / lazy);
    return good;
}

void compare_learners(const Abstracts& abstracts) {
    double asgd = HUGE_VAL, truncated = HUGE_VAL, elasticnet = HUGE_VAL;
    for (int round = 0; round < rounds; ++round) {
        asgd = std::min(asgd, lazy_seconds<Asgd>(settings_for(Method::sgd), abstracts));
        truncated = std::min(truncated, lazy_seconds<Truncated>(settings_for(Method::truncate), abstracts));
        elasticnet = std::min(elasticnet, lazy_seconds<ElasticNet>(settings_for(Method::sgd), abstracts));
    }
    const double ns = 1e9 * static_cast<double>(all_rows) / static_cast<double>(abstracts.index.size());
    std::printf("ns a non-zero, streaming: asgd %.2f, truncated %.2f, elasticnet %.2f\n", asgd * ns, truncated * ns,
                elasticnet * ns);
}

}  // namespace

int main() {
    const Abstracts abstracts(all_rows);
    std::printf("%lld rows, %d features, %.1f non-zeros a row: the ideal ratio is %.0f\n",
                static_cast<long long>(all_rows), features,
                static_cast<double>(abstracts.index.size()) / static_cast<double>(all_rows), features / nonzeros);
    std::printf("%-6s %10s  %14s  %6s\n", "", "lazy, a row", "dense", "ratio");
    bool good = judge("sgd", Method::sgd, abstracts);
    good &= judge("fobos", Method::fobos, abstracts);
    compare_learners(abstracts);
    return good ? 0 : 1;
}
