#include "features/feature_sink.h"

#include <cmath>
#include <cstring>

extern "C" {
#include "mb/pg_wchar.h"
}

namespace sparselin {

FeatureSink::FeatureSink(int bits)
    : bits_(bits), convert_(GetDatabaseEncoding() != PG_UTF8 && GetDatabaseEncoding() != PG_SQL_ASCII) {}

static bool is_ascii_name(std::string_view name) {
    for (const char c : name)
        if (IS_HIGHBIT_SET(c)) return false;
    return true;
}

static uint64_t hash_of_converted(std::string_view name) {
    char* const utf8 = pg_server_to_any(name.data(), static_cast<int>(name.size()), PG_UTF8);
    const uint64_t hash = feature_hash({utf8, strlen(utf8)});
    if (utf8 != name.data()) pfree(utf8);
    return hash;
}

void FeatureSink::take(std::string_view name, float4 value) {
    CHECK_FOR_INTERRUPTS();
    if (value == 0) return;
    const uint64_t hash = convert_ && !is_ascii_name(name) ? hash_of_converted(name) : feature_hash(name);
    found(name, feature_of(hash, bits_), value);
}

static void refuse(std::string_view name, const char* what) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("the value of \"%s\" is %s", shown_name(name), what),
            errhint("Values must be finite numbers; a NULL may stand in its place."));
}

static void refuse_size(std::string_view name, bool small, const char* number) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("the value of \"%s\" is too %s for float4: %s", shown_name(name), small ? "small" : "large",
                   shown_name(number)),
            errhint("%s", float4_hint));
}

void FeatureSink::take_number(double value) {
    const Float4 rounded(value);
    if (!std::isfinite(value)) refuse(path_.view(), rounded.misfit());
    if (!rounded.fits()) refuse_size(path_.view(), rounded.is_too_small(), NumberText(value).c_str());
    take(path_.view(), rounded.value);
}

void FeatureSink::take_number(const char* text) {
    float4 value = 0;
    switch (read_number(text, value)) {
        case NumberError::none: break;
        case NumberError::malformed: refuse_non_finite(text); break;
        case NumberError::too_small: refuse_size(path_.view(), true, text); break;
        case NumberError::too_large: refuse_size(path_.view(), false, text); break;
    }
    take(path_.view(), value);
}

// A numeric that is no number is NaN, Infinity or -Infinity.
void FeatureSink::refuse_non_finite(std::string_view text) {
    const size_t first = text.starts_with('-') ? 1 : 0;
    if (text.substr(first, 1) == "N") refuse(path_.view(), "NaN");
    if (text.substr(first, 1) == "I") refuse(path_.view(), "infinite");
}

void FeatureSink::take_null() {
    const Size mark = path_.count;
    append(" is null");
    take(path_.view(), 1);
    cut(mark);
}

void FeatureSink::take_category(std::string_view category, float4 value) {
    const Size mark = path_.count;
    append("=");
    append(category);
    take(path_.view(), value);
    cut(mark);
}

void FeatureWords::found(std::string_view, int32 feature, float4 value) {
    words_.push(pack_feature(feature, value));
}

text* new_text(std::string_view name) {
    if (name.size() > max_value_size)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("a name of %zu bytes is too large", name.size()),
                errhint("PostgreSQL's values take up to 1 GB."));
    return cstring_to_text_with_len(name.data(), static_cast<int>(name.size()));
}

const char* shown_name(std::string_view name) {
    constexpr int longest = 100;
    if (name.size() <= longest) return pnstrdup(name.data(), name.size());
    return psprintf("%.*s...", pg_mbcliplen(name.data(), longest + MAX_MULTIBYTE_CHAR_LEN, longest), name.data());
}

}  // namespace sparselin
