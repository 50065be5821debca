// Where a test's blocks go when they are "in a file".
#pragma once

#include "rows/row_store.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

class BlockFile {
public:
    // Writes out all blocks that are in memory.
    void write_out(sparselin::RowStore& store) {
        const size_t count = store.blocks().size();
        for (size_t number = 0; number < count; ++number) {
            const sparselin::Block& block = store.blocks()[number];
            if (!block.in_memory() || block.used == 0) continue;
            const auto position = static_cast<int64_t>(blocks_.size());
            blocks_[position] = std::string(block.data, block.used);
            store.written(number, position);
        }
    }

    void bring_in(sparselin::RowStore& store, const sparselin::Vector<size_t>& missing) {
        for (const size_t number : missing) {
            const std::string& bytes = blocks_.at(store.blocks()[number].position);
            memcpy(store.make_room(number), bytes.data(), bytes.size());
        }
    }

    const std::string& read(int64_t position) const { return blocks_.at(position); }

    size_t written() const { return blocks_.size(); }

private:
    std::map<int64_t, std::string> blocks_;
};
