// Rows that travel from one store to another.
#include "rows/row_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using sparselin::Example;
using sparselin::PackedRow;
using sparselin::RowStore;
using sparselin::SparseRow;

const int32_t numbers[] = {1, 4, 9, 16, 25, 36, 49, 64};
const float values[] = {1, -2, 3, -4, 5, -6, 7, -8};

Example example_of(int32_t nnz) {
    return {SparseRow{numbers, values, nnz, 0}, nnz % 2 == 0 ? 1.0 : -1.0, 0.5 + nnz};
}

// Rows of 0, 1, ..., 7, 0, 1, ... non-zeros.
std::string some_rows(int count) {
    RowStore store(std::pmr::new_delete_resource());
    store.add_block(1 << 20);
    for (int i = 0; i < count; ++i) store.append(example_of(i % 8));
    return {store.blocks()[0].data, store.blocks()[0].used};
}

bool any(const sparselin::PackedRow&) {
    return true;
}

TEST(RowStore, AdoptsRowsInPiecesOfABoundedSize) {
    const std::string rows = some_rows(200);
    for (const size_t largest : {size_t{1}, size_t{64}, size_t{100}, size_t{1000}, rows.size(), SIZE_MAX}) {
        RowStore store(std::pmr::new_delete_resource());
        for (size_t at = 0; at < rows.size();) {
            const size_t taken = store.adopt(std::span(rows).subspan(at), largest, sparselin::StopSign(), any);
            ASSERT_GT(taken, 0u);
            EXPECT_LE(taken, std::max(largest, PackedRow::size_of(7)));
            at += taken;
        }
        EXPECT_EQ(store.rows(), 200);
        EXPECT_EQ(store.bytes(), rows.size());
        std::string again;
        int64_t counted = 0;
        for (const sparselin::RowBlock& block : store.blocks()) {
            again.append(block.data, block.used);
            counted += block.rows;
        }
        EXPECT_EQ(again, rows) << largest;
        EXPECT_EQ(counted, 200);
    }
}

TEST(RowStore, RefusesRowsThatAreCutShortOrNotGood) {
    const std::string rows = some_rows(8);
    for (size_t size = 1; size < rows.size(); ++size) {
        RowStore store(std::pmr::new_delete_resource());
        size_t at = 0, taken = 1;
        while (at < size && taken > 0) {
            taken = store.adopt(std::span(rows).first(size).subspan(at), 1, sparselin::StopSign(), any);
            at += taken;
        }
        bool whole = false;
        for (size_t end = 0, nnz = 0; nnz < 8; ++nnz)
            whole |= size == (end += PackedRow::size_of(static_cast<int>(nnz)));
        EXPECT_EQ(taken > 0, whole) << size;
    }
    std::string longest = rows;
    const uint32_t shape = ~uint32_t{0};
    memcpy(longest.data() + offsetof(PackedRow, shape), &shape, sizeof shape);
    RowStore store(std::pmr::new_delete_resource());
    EXPECT_EQ(store.adopt(longest, SIZE_MAX, sparselin::StopSign(), any), 0u);
    EXPECT_EQ(store.adopt(rows, SIZE_MAX, sparselin::StopSign(),
                          [](const sparselin::PackedRow& row) { return row.nnz() < 7; }),
              0u);
}

// Large blocks grow with what there is, so that a store is never much larger than its rows.
TEST(RowStore, BlocksLeaveLittleEmpty) {
    RowStore store(std::pmr::new_delete_resource());
    size_t room = 0;
    for (int i = 0; i < 300000; ++i) {
        const Example example = example_of(7);
        if (!store.has_room_for(example.x)) {
            const size_t size = store.next_block_size(example.x);
            store.add_block(size);
            room += size;
            EXPECT_LE(size, RowStore::largest_block);
            EXPECT_LE(room, std::max(store.bytes() + store.bytes() / 6, size_t{1} << 20));
        }
        store.append(example);
    }
}

}  // namespace
