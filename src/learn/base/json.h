// JSON (RFC 8259), pulled piece by piece, and written piece by piece. No tree is built.
//
// The reader is told what comes next and faults, with the position, where something else does:
//     reader.open_object(); while (reader.next_key(key)) { ... one value each ... } reader.finish();
// Numbers come as their text; strings as a slice of the text wherever they hold no escape. Control characters
// and \u0000 are refused, bytes above 127 taken as they are.
#pragma once

#include "base/words.h"
#include "base/error.h"

namespace sparselin {

enum class JsonKind { object, array, string, number, boolean, null };

const char* name_of(JsonKind kind);

class JsonReader {
public:
    // `what` names the object in errors: "sparselin_model".
    JsonReader(std::string_view text, const char* what, StopSign stop = StopSign())
        : text_(text), what_(what), stop_(stop) {}

    // What kind of value comes next, told by its first character.
    JsonKind peek();

    void open_object() { open('{'); }
    void open_array() { open('['); }

    // The next key, up to its colon; false: the object has ended. `key` may point into `scratch`.
    bool next_key(std::string_view& key, String& scratch);
    // Is there another element? false: the array has ended.
    bool next_element() { return next(']'); }

    std::string_view string(String& scratch);
    std::string_view number();

    // To be called last: nothing but white space may be left.
    void finish() {
        skip_space();
        if (position_ != text_.size()) fail("text after the end of the value");
    }

    [[noreturn]] void fail(const char* why) const {
        throw Error(Fault::bad_text, "invalid %s at byte %zu: %s", what_, position_ + 1, why);
    }

private:
    static constexpr int max_depth = 16;

    void open(char bracket);
    bool next(char closing);
    void skip_space();
    char look() const { return position_ < text_.size() ? text_[position_] : '\0'; }
    bool take(char c) {
        if (look() != c || position_ >= text_.size()) return false;
        ++position_;
        return true;
    }
    void expect(char c, const char* why) {
        if (!take(c)) fail(why);
    }
    void digits();
    void escape(String& out);
    uint32_t hex4();

    std::string_view text_;
    const char* what_;
    StopSign stop_;
    size_t position_ = 0;
    int depth_ = 0;
    bool first_ = true;  // no element of the innermost container was read yet
};

// Writes to a string, or only counts how long it would be.
class JsonWriter {
public:
    explicit JsonWriter(String* out, StopSign stop = StopSign()) : out_(out), stop_(stop) {}

    void open_object() { open('{'); }
    void close_object() { close('}'); }
    void open_array() { open('['); }
    void close_array() { close(']'); }

    void key(std::string_view name) {
        string(name);
        raw(":");
        comma_ = false;
    }
    void string(std::string_view text) {
        separate();
        quote(text);
    }
    template <typename Number>
    void number(Number value) {
        separate();
        raw(NumberText(value));
    }

    // A string that comes in pieces which need no escapes.
    void open_string() {
        separate();
        raw("\"");
    }
    void piece(std::string_view text) { raw(text); }
    void close_string() { raw("\""); }

    size_t size() const { return size_; }

private:
    void open(char bracket) {
        separate();
        raw({&bracket, 1});
        comma_ = false;
    }
    void close(char bracket) {
        raw({&bracket, 1});
        comma_ = true;
    }
    void quote(std::string_view text);
    void separate() {
        if (comma_) raw(",");
        comma_ = true;
    }
    void raw(std::string_view text) {
        size_ += text.size();
        if (out_ != nullptr) out_->append(text);
    }

    String* out_;
    StopSign stop_;
    size_t size_ = 0;
    bool comma_ = false;
};

}  // namespace sparselin
