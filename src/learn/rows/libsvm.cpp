#include "rows/libsvm.h"

#include "base/words.h"
#include "rows/sparse_builder.h"

#include <algorithm>

namespace sparselin {

static constexpr std::string_view spaces = " \t\n\v\f\r";

// Takes the next word off the front; empty at the end.
static std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(spaces));
    line.remove_prefix(word.size());
    return word;
}

static double read_label(std::string_view word) {
    double label = 0;
    switch (read_number(word, label)) {
        case NumberError::none: return label;
        case NumberError::malformed:
            throw Error(Fault::bad_text, "invalid label: \"%s\"", Excerpt(word).c_str())
                .hint("A line begins with its label, a finite number: +1 3:0.5 7:2.");
        default:
            throw Error(Fault::out_of_range, "label %s is out of the range of float8", Excerpt(word).c_str())
                .hint("A label must be a number that fits in float8.");
    }
}

LibsvmLine parse_libsvm(std::string_view line, Memory memory, StopSign stop) {
    LibsvmLine result(memory);
    line = line.substr(0, line.find('#'));
    std::string_view word = next_word(line);
    if (word.empty()) return result;
    result.blank = false;
    result.label = read_label(word);

    SparseBuilder builder(memory);
    for (size_t pair = 0; !(word = next_word(line)).empty(); ++pair) {
        if ((pair & 0xfff) == 0) stop.poll();
        const size_t colon = word.find(':');
        if (colon == std::string_view::npos)
            throw Error(Fault::bad_text, "invalid pair: \"%s\"", Excerpt(word).c_str())
                .hint("Features are written index:value, separated by spaces.");
        if (word.substr(0, colon) == "qid")
            throw Error(Fault::not_supported, "ranking group \"%s\" is not supported", Excerpt(word).c_str())
                .hint("To learn without groups take it out: regexp_replace(line, 'qid:\\S+', '').");
        builder.add(word.substr(0, colon), word.substr(colon + 1));
    }
    result.features = builder.finish(0, stop);
    return result;
}

}  // namespace sparselin
