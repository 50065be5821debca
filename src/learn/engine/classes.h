// The classes that labels which are texts name, and how many rows of each there are.
//
// In rows a class is a number, which is made of the bytes of its name alone: so rows of different parts can be put
// together as they are, and nothing hangs on their order.
#pragma once

#include "base/codec.h"
#include "model/model.h"

#include <map>

namespace sparselin {

class Classes {
public:
    // A score of each is worked out for every row.
    static constexpr size_t most = 65536;

    explicit Classes(Memory memory) : memory_(memory), classes_(memory) {}

    static double number_of(std::string_view name, StopSign stop);

    // The number; an Error for a class that cannot come. `row` counts from 1.
    double read(std::string_view name, int64_t row, StopSign stop) const;

    // A row of a class that has been read, of that number.
    void note(std::string_view name, double number) { ++at(name, number).rows; }

    // These are known beforehand, and no others can come.
    void expect(std::span<const String> names, StopSign stop);

    // From here on no other classes can come.
    void close() { closed_ = true; }

    bool has(double number) const { return find(number) != nullptr; }
    bool has_all_of(const Classes& other) const;
    size_t count() const { return classes_.size(); }
    bool one_class_only() const;

    // What another has seen counts as well.
    void check_fits(const Classes& other) const;
    void add(const Classes& other);

    // In byte order.
    void write_names(Vector<String>& names) const;

    // The class of each run, which is 1 to it while all others are -1.
    Vector<double> positive(Loss loss, Memory memory) const;

    // Calls visit(number, weight) so that all classes that have rows weigh the same: rows / (classes * rows of the
    // class).
    template <typename Visit>
    void balance(Visit&& visit) const {
        double rows = 0, present = 0;
        for (const auto& [number, its] : classes_) {
            rows += static_cast<double>(its.rows);
            present += its.rows > 0 ? 1 : 0;
        }
        for (const auto& [number, its] : classes_)
            visit(number, its.rows > 0 ? rows / (present * static_cast<double>(its.rows)) : 1);
    }

    // Whether it is closed, u8; how many there are, u64; then of each the name and its rows, by ascending number.
    void save(Writer& writer) const;
    void load(Reader& reader, StopSign stop);

private:
    struct Class {
        String name;
        int64_t rows;
    };
    using Numbered = std::pmr::map<double, Class>;

    const Class* find(double number) const;
    Class& at(std::string_view name, double number);
    Vector<const Numbered::value_type*> in_byte_order() const;

    Memory memory_;
    Numbered classes_;
    bool closed_ = false;
};

// Of two that cannot go together.
[[noreturn]] void refuse_other_classes();

}  // namespace sparselin
