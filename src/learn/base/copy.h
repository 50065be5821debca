// What may be large, gone through in pieces: between two of them the work can be given up.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace sparselin {

inline void copy_bytes(char* target, const char* source, size_t size, StopSign stop) {
    constexpr size_t piece = size_t{1} << 20;
    for (; size > piece; target += piece, source += piece, size -= piece) {
        memcpy(target, source, piece);
        stop.give_up();
    }
    if (size > 0) memcpy(target, source, size);
}

// Calls visit(piece) for each piece of a run of values.
template <typename Value, typename Visit>
void in_pieces(std::span<const Value> values, StopSign stop, Visit&& visit) {
    constexpr size_t piece = size_t{1} << 17;
    for (; values.size() > piece; values = values.subspan(piece)) {
        visit(values.first(piece));
        stop.give_up();
    }
    visit(values);
}

template <typename Value>
void append_all(Vector<Value>& target, std::span<const Value> values, StopSign stop) {
    in_pieces(values, stop, [&](auto piece) { target.insert(target.end(), piece.begin(), piece.end()); });
}

template <typename Value>
bool all_equal(const Vector<Value>& a, const Vector<Value>& b, StopSign stop) {
    if (a.size() != b.size()) return false;
    const Value* other = b.data();
    bool equal = true;
    in_pieces(std::span<const Value>(a), stop, [&](auto piece) {
        equal = equal && std::equal(piece.begin(), piece.end(), other);
        other += piece.size();
    });
    return equal;
}

}  // namespace sparselin
