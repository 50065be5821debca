// many_runs: what a step of many runs costs beside one of a lone run, as runs that learn together share the search for
// a row's features and the way through memory. Rows of 20 Newsgroups' shape: 11,314 rows, 160 words of 130,000, where
// words lie says nothing about how frequent they are. Prints, for each learner, the time a non-zero and its ratio to
// that of one run, the best of several passes.
#include "rows.h"

#include "engine/bank.h"

#include <algorithm>
#include <memory_resource>
#include <numeric>
#include <random>

namespace {

using namespace sparselin;

const Memory heap = std::pmr::new_delete_resource();
constexpr int32_t features = 130000;
constexpr size_t rows = 11314, nonzeros = 160, classes = 20;
constexpr int passes = 4;

struct Messages {
    std::vector<int32_t> index;
    std::vector<float> value = std::vector<float>(nonzeros, 1);
    std::vector<double> label;

    Messages() {
        std::mt19937_64 random(1);
        std::vector<int32_t> number_of(features);
        std::iota(number_of.begin(), number_of.end(), 0);
        std::shuffle(number_of.begin(), number_of.end(), random);
        std::vector<int32_t> words;
        for (size_t i = 0; i < rows; ++i) {
            words.clear();
            while (words.size() < nonzeros) {
                const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
                const auto rank = static_cast<int32_t>(10 * (std::pow((features + 10) / 10.0, uniform) - 1));
                const int32_t word = number_of[static_cast<size_t>(std::min(rank, features - 1))];
                if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
            }
            std::sort(words.begin(), words.end());
            index.insert(index.end(), words.begin(), words.end());
            label.push_back(static_cast<double>(random() % classes));
        }
    }

    Example row(size_t i) const {
        return {{&index[i * nonzeros], value.data(), static_cast<int32_t>(nonzeros), 0}, label[i], 1};
    }
};

double nanoseconds(const Messages& messages, LearnerKind kind, size_t runs) {
    const Settings settings = settings_for(parse_options("lambda=0.0001 step_offset=100000 loss=logistic", heap), kind);
    std::vector<double> positive;
    for (size_t run = 0; run < runs; ++run) positive.push_back(static_cast<double>(run % classes));
    Bank bank(std::vector<Settings>(runs, settings), positive, heap);
    for (int32_t j = 0; kind == LearnerKind::casgd && j < features; ++j) {
        bank.frame().make_centre().index.push_back(j);
        bank.frame().make_centre().mu.push_back(1e-4);
    }
    bank.begin(StopSign());
    std::vector<Example> examples;
    for (size_t i = 0; i < rows; ++i) examples.push_back(messages.row(i));
    double best = HUGE_VAL;
    for (int pass = 0; pass < passes; ++pass) {
        best = std::min(best, seconds_of([&] {
                            for (size_t i = 0; i < rows; i += Batch::most) {
                                const size_t known = std::min(Batch::most + Batch::most_ahead, rows - i);
                                bank.learn(Batch(&examples[i], std::min(Batch::most, known), known), StopSign());
                            }
                        }));
    }
    return best * 1e9 / static_cast<double>(rows * nonzeros);
}

}  // namespace

int main() {
    const Messages messages;
    std::printf("%-8s %5s %6s %8s\n", "learner", "runs", "ns", "of one");
    for (const LearnerKind kind : {LearnerKind::sgd, LearnerKind::asgd, LearnerKind::casgd}) {
        const double one = nanoseconds(messages, kind, 1);
        for (const size_t runs : {1, 2, 4, 9, 20, 100}) {
            const double many = runs == 1 ? one : nanoseconds(messages, kind, runs);
            std::printf("%-8s %5zu %6.1f %8.1f\n", name_of(kind), runs, many, many / one);
        }
    }
}
