// Bytes in blocks. A block is in memory, or in a file that somebody else reads and writes: here a file is no more than
// a position. What the bytes are is the matter of those who keep them: rows, or scores.
#pragma once

#include "base/error.h"

#include <utility>

namespace sparselin {

struct Block {
    char* data = nullptr;   // nullptr: not in memory
    int64_t position = -1;  // in the file; -1: never written
    uint32_t used = 0;      // bytes
    uint32_t room = 0;      // bytes allocated, where in memory

    bool in_memory() const { return data != nullptr; }
    bool written() const { return position >= 0; }
};

// `KindOfBlock` is a Block with what else there is to know of one.
template <typename KindOfBlock>
class BlockStore {
public:
    static constexpr size_t smallest_spilled = 1024;

    explicit BlockStore(Memory memory) : memory_(memory), blocks_(memory) {}
    BlockStore(const BlockStore&) = delete;
    ~BlockStore() { clear(); }

    const Vector<KindOfBlock>& blocks() const { return blocks_; }

    // Whether some blocks lie in a file.
    bool spilled() const { return spilled_; }

    // The block's memory goes; its bytes are in the file, or not needed any more.
    void unload(size_t number) { free(blocks_[number]); }

protected:
    void allocate(KindOfBlock& block, size_t room) {
        block.data = static_cast<char*>(memory_->allocate(room, 8));
        block.room = static_cast<uint32_t>(room);
    }

    void free(KindOfBlock& block) {
        if (block.in_memory()) memory_->deallocate(std::exchange(block.data, nullptr), block.room, 8);
    }

    // The block lies in the file now.
    void note_written(size_t number, int64_t position) {
        blocks_[number].position = position;
        spilled_ = true;
    }

    // Forgets all blocks and frees their memory.
    void clear() {
        for (KindOfBlock& block : blocks_) free(block);
        blocks_.clear();
        blocks_.shrink_to_fit();
        spilled_ = false;
    }

    Memory memory_;
    Vector<KindOfBlock> blocks_;

private:
    bool spilled_ = false;
};

}  // namespace sparselin
