// Rows as they are kept: what is written is what is read, in the bytes that it is to take.
#include "rows/packed_row.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign go;

struct Row {
    std::vector<int32_t> index;
    std::vector<float> value;
    Example example(double y, double omega) const {
        return {{index.data(), value.data(), static_cast<int32_t>(index.size()), 0}, y, omega, 7.5f};
    }
};

Row row_of(std::vector<int32_t> index) {
    Row row{std::move(index), {}};
    for (size_t i = 0; i < row.index.size(); ++i) row.value.push_back(static_cast<float>(i) - 2.5f);
    return row;
}

// A place that has just the room that is asked for, and holds no zeros: the sanitizers see what goes beyond it.
struct Place {
    explicit Place(int32_t nnz) : bytes((PackedRow::size_of(nnz) + 7) / 8, ~uint64_t{0}) {}
    PackedRow& write(const Row& row, Layout layout, double y = -1, double omega = 1, bool held_out = false) {
        return PackedRow::write(reinterpret_cast<char*>(bytes.data()), row.example(y, omega), layout, held_out, go);
    }
    std::vector<uint64_t> bytes;
};

void expect_row(const PackedRow& packed, const Row& row) {
    // Room for as many indices as are asked for and no more.
    std::vector<int32_t> room(packed.room_for_indices());
    room.shrink_to_fit();
    const SparseRow x = packed.example(room.data()).x;
    ASSERT_EQ(x.nnz, static_cast<int32_t>(row.index.size()));
    for (int32_t i = 0; i < x.nnz; ++i) {
        const auto place = static_cast<size_t>(i);
        ASSERT_EQ(x.index[i], row.index[place]) << i << " of " << x.nnz;
        ASSERT_EQ(x.value[i], row.value[place]) << i << " of " << x.nnz;
    }
}

TEST(PackedRow, IsWhatWasWritten) {
    std::mt19937_64 random(1);
    for (const int32_t most_gap : {1, 3, 1000, 65535, 65536, 1000000})
        for (size_t count = 0; count < 40; ++count)
            for (const Layout layout : {Layout::plain, Layout::small}) {
                std::vector<int32_t> index;
                for (size_t i = 0, at = random() % 60000; i < count; ++i) {
                    index.push_back(static_cast<int32_t>(at));
                    at += 1 + random() % static_cast<size_t>(most_gap);
                }
                const Row row = row_of(index);
                Place place(static_cast<int32_t>(count));
                PackedRow& packed = place.write(row, layout, 0.25, 3, count % 3 == 0);
                expect_row(packed, row);
                const bool is_small = layout == Layout::small && most_gap <= 65535;
                if (is_small) {
                    EXPECT_EQ(packed.size(), 24 + (count * 6 + 7) / 8 * 8);
                } else if (layout == Layout::plain) {
                    EXPECT_EQ(packed.size(), 24 + count * 8);
                }
                IndexRoom room(heap);
                const Example example = room.unpack(packed);
                EXPECT_EQ(example.y, 0.25);
                EXPECT_EQ(example.omega, 3);
                EXPECT_EQ(example.most_length, 7.5f);
                EXPECT_EQ(packed.held_out(), count % 3 == 0);
                packed.set_most_length(9);
                EXPECT_EQ(room.unpack(packed).most_length, 9.0f);
                EXPECT_EQ(packed.held_out(), count % 3 == 0);
            }
}

// The first index, and each gap, up to 65535.
TEST(PackedRow, TakesFewBytesWhereAllGapsFit) {
    struct Case {
        std::vector<int32_t> index;
        bool fits;
    };
    const int32_t last = static_cast<int32_t>(max_index) - 1;
    for (const Case& its : {Case{{65535}, true}, Case{{65536}, false}, Case{{0, 65535}, true}, Case{{0, 65536}, false},
                            Case{{65535, 131070, 196605}, true}, Case{{1, 2, 3, last}, false},
                            Case{{last - 1, last}, false}, Case{{5, 65540, 65541, 131077}, false}, Case{{}, true}}) {
        const Row row = row_of(its.index);
        Place place(static_cast<int32_t>(row.index.size()));
        const PackedRow& packed = place.write(row, Layout::small);
        const size_t count = row.index.size();
        EXPECT_EQ(packed.size(), 24 + (its.fits ? (count * 6 + 7) / 8 * 8 : count * 8));
        expect_row(packed, row);
    }
}

TEST(PackedRow, IsLittleEndianWhereItTravels) {
    Place place(3);
    PackedRow& packed = place.write(row_of({258, 259, 1000}), Layout::small, 1, 1, true);
    std::vector<char> before(reinterpret_cast<char*>(&packed), reinterpret_cast<char*>(&packed) + packed.size());
    packed.to_little_endian();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&packed);
    const std::vector<unsigned char> gaps(bytes + 24, bytes + 36);
    EXPECT_EQ(gaps, (std::vector<unsigned char>{2, 1, 1, 0, 0xe5, 2, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(PackedRow::size_of_first({reinterpret_cast<const char*>(bytes), before.size()}), before.size());
    EXPECT_EQ(PackedRow::size_of_first({reinterpret_cast<const char*>(bytes), before.size() - 1}), 0u);
    packed.from_little_endian();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), reinterpret_cast<char*>(&packed)));
}

TEST(PackedRow, IndicesGiveWayToNumbers) {
    for (const Layout layout : {Layout::plain, Layout::small})
        for (size_t count = 0; count < 20; ++count) {
            std::vector<int32_t> index, number;
            for (size_t i = 0; i < count; ++i) {
                index.push_back(static_cast<int32_t>(60000 * i + 17));
                number.push_back(static_cast<int32_t>(i * (i % 2 == 0 ? 20000 : 19999)));
            }
            Place place(static_cast<int32_t>(count));
            PackedRow& packed = place.write(row_of(index), layout);
            std::vector<int32_t> room(packed.room_for_indices());
            packed.change_indices(room.data(), go, [&](std::span<int32_t> its) {
                EXPECT_TRUE(std::ranges::equal(its, index));
                std::ranges::copy(number, its.begin());
            });
            expect_row(packed, row_of(number));
        }
}

// Damaged gaps add up to anything, but go nowhere else.
TEST(PackedRow, GapsThatAreDamagedAreNotInOrder) {
    Place place(8);
    PackedRow& packed = place.write(row_of({1, 2, 3, 4, 5, 6, 7, 8}), Layout::small);
    auto* const gaps = reinterpret_cast<uint16_t*>(&packed + 1);
    gaps[3] = 0;
    IndexRoom room(heap);
    EXPECT_THROW(validate(room.unpack(packed).x, go), Error);
}

}  // namespace
}  // namespace sparselin
