// Where a walk of a source brings its features: their names and values, one after another.
//
// The base class knows the name under way, checks values and hashes names; what happens to a feature is the derived
// class's matter. C zone only: it may ereport, and has no destructor. Its memory is the current context's.
#pragma once

#include "learn/rows/feature_hash.h"
#include "learn/rows/hashed_row.h"
#include "learn/rows/sparse.h"
#include "wall/guard.h"

namespace sparselin {

// Elements that are added one after another; huge arrays allowed.
template <typename Element>
struct GrowingArray {
    Element* data = nullptr;
    Size count = 0, room = 0;

    void make_room(Size more) {
        if (more <= room - count) return;
        room = Max(Max(room * 2, count + more), Size{64});
        const Size bytes = room * sizeof(Element);
        data = static_cast<Element*>(data == nullptr ? MemoryContextAllocHuge(CurrentMemoryContext, bytes)
                                                     : repalloc_huge(data, bytes));
    }

    void push(const Element& element) {
        make_room(1);
        data[count++] = element;
    }
};

// Bytes that grow; a plain one, since StringInfo ends at 1 GB.
struct ByteBuffer : GrowingArray<char> {
    void append(std::string_view bytes) {
        if (bytes.empty()) return;
        make_room(bytes.size());
        memcpy(data + count, bytes.data(), bytes.size());
        count += bytes.size();
    }
    std::string_view view() const { return {data, count}; }
};

class FeatureSink {
public:
    explicit FeatureSink(int bits);

    // A feature by its name. A value of 0 is none.
    void take(std::string_view name, float4 value);

    // The name under way.
    Size path_size() const { return path_.count; }
    std::string_view path() const { return path_.view(); }
    void append(std::string_view bytes) { path_.append(bytes); }
    void cut(Size size) { path_.count = size; }

    // Features of the name under way: a number, as such or as it is written; whether it holds; that it has no value,
    // which is "name is null"; one of its categories, which is "name=category" and counts `value` times.
    void take_number(double value);
    void take_number(const char* text);
    void take_truth(bool holds) {
        if (holds) take(path_.view(), 1);
    }
    void take_null();
    void take_category(std::string_view category, float4 value = 1);

    // For numbers as categories: an error for what is not finite.
    void refuse_non_finite(std::string_view text);

    int bits() const { return bits_; }

private:
    virtual void found(std::string_view name, int32 feature, float4 value) = 0;

    int bits_;
    bool convert_;  // names are hashed as UTF-8, whatever the database has
    ByteBuffer path_;
};

// Keeps the features packed.
class FeatureWords : public FeatureSink {
public:
    using FeatureSink::FeatureSink;

    std::span<uint64_t> words() const { return {words_.data, words_.count}; }

protected:
    void found(std::string_view, int32 feature, float4 value) override;

private:
    GrowingArray<uint64_t> words_;
};

// An error where a name is longer than a value of text may be.
text* new_text(std::string_view name);

// A name as a message shows it: not too long, cut between characters.
const char* shown_name(std::string_view name);

}  // namespace sparselin
