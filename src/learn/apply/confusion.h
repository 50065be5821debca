// For which classes a model takes the rows of each: sums of weights by the class of a row and the one predicted.
//
// Classes are numbered: first those of the model, in byte order, then others as they come, which the model does not
// know. Memory: what cells are not 0, and the names.
#pragma once

#include "apply/verdict.h"
#include "base/codec.h"
#include "base/sum.h"

#include <unordered_map>

namespace sparselin {

class Confusion {
public:
    explicit Confusion(Memory memory) : known_(memory), others_(memory), other_names_(memory), cells_(memory) {}

    // Of this model.
    void expect(const Predictor& predictor);

    // The number of a class, or that of those that the model knows.
    size_t find(std::string_view name) const;
    size_t known() const { return known_.size(); }

    void add(std::string_view actual, size_t predicted, double weight);

    // What others have counted, by the same model.
    void add(const Confusion& part);

    // Cells that are not 0: by the name of the actual class in byte order, then by the predicted one.
    struct Cell {
        std::string_view actual, predicted;
        double weight;
    };
    Vector<Cell> cells(Memory memory) const;

    // What is right, and the means over the classes that rows have or are taken for: what is 0 by 0 counts as 0.
    struct Means {
        double right, precision, recall, f1;
    };
    Means means() const;

    void save(Writer& writer) const;
    void load(Reader& reader);

private:
    struct NameHash {
        using is_transparent = void;
        size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
    };
    using Key = uint64_t;  // the number of the actual class, and in the lower half that of the predicted one

    size_t actual_of(Key key) const { return key >> 32; }
    size_t predicted_of(Key key) const { return key & UINT32_MAX; }
    std::string_view name_of(size_t number) const {
        return number < known() ? std::string_view(known_[number]) : other_names_[number - known()];
    }
    size_t number_of(std::string_view name);
    Vector<Key> sorted_keys(Memory memory) const;
    Memory memory() const { return known_.get_allocator().resource(); }

    Vector<String> known_;
    std::pmr::unordered_map<String, size_t, NameHash, std::equal_to<>> others_;
    Vector<std::string_view> other_names_;  // where they lie in others_, which stay in place
    std::pmr::unordered_map<Key, Sum> cells_;
};

}  // namespace sparselin
