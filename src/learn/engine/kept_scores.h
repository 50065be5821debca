// Rows with their scores, kept for the rounds of settling that come: as they are, in 24 bytes a row; or, where there is
// no room for that, in 9, as long as all rows weigh 1 and have one of two labels; or not at all.
#pragma once

#include "base/memory.h"
#include "engine/settling.h"

namespace sparselin {

class KeptScores {
public:
    KeptScores(int64_t rows, bool have_classes, size_t room, Memory memory, StopSign stop);

    // In the order of their numbers.
    void keep(size_t number, const ScoredRows& rows);

    // None, or all of them.
    size_t chunks() const { return whole_.size() + small_.size(); }
    bool has_all() const { return chunks() > 0; }

    // One of them; `room` is for it, where it has to be written out.
    const ScoredRows& chunk(size_t number, ScoredRows& room) const;

private:
    struct Small {
        double s[ScoredRows::size];
        bool positive[ScoredRows::size];
    };

    size_t rows_in(size_t number) const { return std::min(rows_ - number * ScoredRows::size, ScoredRows::size); }
    static bool are_small(const ScoredRows& rows, size_t count);

    Memory memory_;
    const size_t rows_;
    Slab<ScoredRows> whole_;
    Slab<Small> small_;
};

}  // namespace sparselin
