// A merged learner has cells for the features that one of the two has seen, and for no others: it is saved in as many
// bytes as they take, and knows which features only the other part has measured.
#include "base/codec.h"
#include "learners/learners.h"

#include <gtest/gtest.h>

#include <set>

using namespace sparselin;

namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

// A learner with the frame it stands in.
struct Standing {
    explicit Standing(LearnerKind kind, const char* options)
        : settings(settings_for(parse_options(options, heap), kind)), frame(heap) {
        if (kind == LearnerKind::casgd) frame.make_centre().index.push_back(9), frame.make_centre().mu.push_back(0.5);
        if (kind == LearnerKind::casgd) seen.insert(9);
        learners = make_learners(std::span(&settings, 1), frame, heap, go);
    }

    // Rows of two features, from `first` on in steps of `stride`.
    void learn(int32_t first, int32_t stride, int rows, double y) {
        for (int i = 0; i < rows; ++i) {
            const int32_t index[] = {first + stride * i, first + stride * (i + 1)};
            const float value[] = {1, i % 2 == 0 ? 2.0f : -0.5f};
            const double label = i % 3 == 0 ? y : -y;
            Seen seen_now;
            const Example row{{index, value, 2, 0}, label, 1};
            learners->learn(Batch(row), &label, &seen_now, go);
            seen.insert({index[0], index[1]});
        }
    }

    size_t bytes() const {
        Vector<char> bytes(heap);
        Writer writer(bytes);
        learners->save(writer, nullptr, go);
        return bytes.size();
    }

    Settings settings;
    Frame frame;
    Box<Learners> learners;
    std::set<int32_t> seen;
};

}  // namespace

TEST(MergeCells, AreTheFeaturesThatWereSeen) {
    for (const LearnerKind kind : every_learner) {
        const char* const options = kind == LearnerKind::onepass  ? "gamma0=0.01"
                                    : kind > LearnerKind::onepass ? "eta0=0.01 power=0"
                                                                  : "lambda=0.1 step_offset=100";
        for (const double y : {1.0, -1.0}) {
            // A dense range, which lies in an array, with holes; and scattered ones.
            for (const int32_t stride : {2, 3, 1000003}) {
                SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(stride));
                Standing nothing(kind, options), something(kind, options), x(kind, options), z(kind, options);
                something.learn(1, stride, 10, y);
                const size_t cells = something.seen.size() - nothing.seen.size();
                ASSERT_EQ((something.bytes() - nothing.bytes()) % cells, 0u);
                const size_t cell = (something.bytes() - nothing.bytes()) / cells;

                x.learn(0, stride, 40, y);
                z.learn(30 * stride, stride, 50, y);
                x.learners->merge(*z.learners, &x.settings.lambda, heap, go);
                x.seen.insert(z.seen.begin(), z.seen.end());
                EXPECT_EQ(x.bytes(), nothing.bytes() + (x.seen.size() - nothing.seen.size()) * cell);
            }
        }
    }
}
