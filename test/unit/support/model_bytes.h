// A model's bytes with fingerprints that are right again after they were mangled, so that what lies behind them is
// tested too.
#pragma once

#include "base/hash.h"
#include "model/model.h"

#include <algorithm>
#include <vector>

inline void sign(std::vector<char>& bytes) {
    using namespace sparselin;
    const auto store = [&bytes](size_t at, Hasher128& hasher) {
        store_little(bytes.data() + at, hasher.result().low);
        store_little(bytes.data() + at + 8, hasher.result().high);
    };
    const std::span<const char> all(bytes);
    const size_t front = std::min<size_t>(front_of(bytes), bytes.size());
    if ((bytes[9] & 4) != 0 && front >= 56) {
        Hasher128 of_resume;
        of_resume.add(all.subspan(front));
        store(front - 16, of_resume);
    }
    Hasher128 hasher;
    hasher.add(all.first(16));
    if (front > 32) hasher.add(all.subspan(32, front - 32));
    store(16, hasher);
}
