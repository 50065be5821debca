#include "base/words.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace sparselin {

// Longer than any name there is.
static constexpr size_t longest_name = 40;

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

int find_name(std::string_view typed, std::span<const char* const> names) {
    for (size_t i = 0; i < names.size(); ++i)
        if (same_name(typed, names[i])) return static_cast<int>(i);
    return -1;
}

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
static size_t edit_distance(std::string_view a, std::string_view b) {
    size_t rows[3][longest_name + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        size_t* oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b.size()];
}

bool is_slip(std::string_view typed, std::string_view right) {
    if (typed.empty() || right.empty() || typed.size() > longest_name || right.size() > longest_name) return false;
    return lower(typed[0]) == lower(right[0]) && edit_distance(typed, right) <= 1;
}

void NearestName::offer(const char* name) {
    const std::string_view right(name);
    if (typed_.empty() || typed_.size() > longest_name || right.size() > longest_name) return;
    size_t distance = edit_distance(typed_, right);
    // The beginning of a name means that name: "average" is average_power; of several the shortest.
    if (typed_.size() >= 3 && same_name(typed_, right.substr(0, typed_.size()))) distance = 1;
    if (distance > 1 + typed_.size() / 3 || distance >= right.size()) return;
    const bool as_near = found_ != nullptr && distance == distance_ && right.size() < std::string_view(found_).size();
    if (found_ == nullptr || distance < distance_ || as_near) {
        found_ = name;
        distance_ = distance;
    }
}

Phrase& Phrase::add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text_ + size_, sizeof text_ - size_, format, arguments);
    va_end(arguments);
    size_ = std::min(size_ + static_cast<size_t>(length), sizeof text_ - 1);
    return *this;
}

}  // namespace sparselin
