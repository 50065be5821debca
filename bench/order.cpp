// order ROWS: what an epoch in random order costs beside one in sequential order, where the rows are more than a cache
// holds. Rows of 60 words; the numbers of those that are frequent lie together, so that the rows are what is fetched.
#include "rows.h"

#include "engine/training.h"

#include <algorithm>
#include <memory_resource>
#include <random>

namespace {

using namespace sparselin;

const Memory heap = std::pmr::new_delete_resource();
constexpr size_t words = 60, features = 47000;

void fill(Training& training, size_t rows) {
    std::mt19937_64 random(1);
    const std::vector<float> value(words, 1);
    std::vector<int32_t> index;
    for (size_t i = 0; i < rows; ++i) {
        index.clear();
        for (size_t k = 0; k < words; ++k) {
            const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
            index.push_back(1 + static_cast<int32_t>(features * uniform * uniform * uniform));
        }
        std::ranges::sort(index);
        index.erase(std::unique(index.begin(), index.end()), index.end());
        const SparseRow x = {index.data(), value.data(), static_cast<int32_t>(index.size()), 0};
        const Label label(static_cast<double>(random() & 1));
        while (training.accept(x, label, 1, StopSign()) == Training::Answer::no_room)
            training.store().add_block(training.store().next_block_size(x));
    }
    training.end_rows(~size_t{0});
}

double seconds(size_t rows, const char* sampling, int epochs) {
    const std::string options =
        "lambda=1e-6 step_offset=10 sampling=" + std::string(sampling) + " epochs=" + std::to_string(epochs);
    Training training({LearnerKind::asgd, options, LabelKind::boolean}, heap, StopSign());
    fill(training, rows);
    return seconds_of([&] { training.work(~size_t{0}, StopSign()); });
}

// Of an epoch after the first ones, which look at the rows as well.
double nanoseconds(size_t rows, const char* sampling) {
    const double epoch = (seconds(rows, sampling, 6) - seconds(rows, sampling, 2)) / 4;
    return epoch / static_cast<double>(rows * words) * 1e9;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) std::exit((std::fputs("usage: order ROWS\n", stderr), 2));
    const size_t rows = std::strtoul(arguments[1], nullptr, 10);
    const double sequential = nanoseconds(rows, "sequential"), random = nanoseconds(rows, "shuffle");
    std::printf("%zu rows: sequential %.2f ns a word, random %.2f, %.2f times\n", rows, sequential, random,
                random / sequential);
    return random <= 1.5 * sequential ? 0 : 1;
}
