#include "types/model_type.h"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace sparselin {

ContextMemory* lasting_memory(MemoryContext context) {
    return new (MemoryContextAlloc(context, sizeof(ContextMemory))) ContextMemory(context);
}

static const Model* decode_model(std::span<const char> bytes, MemoryContext context) {
    ContextMemory* const memory = lasting_memory(context);
    return guarded([=] { return keep(decode(bytes, memory, server_stop()), *memory); });
}

const Model* fetch_model(Datum datum, MemoryContext context) {
    return read_model_bytes(datum, [=](std::span<const char> bytes) { return decode_model(bytes, context); });
}

// Names that come from outside, in bytes or in escapes of JSON, become texts of this database. Inside the wall: the
// server's function is asked not to report an error.
static void check_encoding(std::string_view text, const char* what) {
    if (text.find('\0') == text.npos &&
        pg_verify_mbstr(GetDatabaseEncoding(), text.data(), static_cast<int>(text.size()), true))
        return;
    throw Error(Fault::bad_value, "%s \"%s\" of a model is no text of the database's encoding %s", what,
                Excerpt(text).c_str(), GetDatabaseEncodingName())
        .hint("Give it in another way, or take the value from its source again.");
}

static void check(const Model& model, size_t resume, Memory memory) {
    for (const auto& name : model.classes) check_encoding(name, "the class");
    check_encoding(model.options, "the text");
    check_size(model, resume, max_model_size, memory, server_stop());
}

static varlena* value_of(Vector<char> bytes) {
    SET_VARSIZE(bytes.data(), bytes.size());
    return reinterpret_cast<varlena*>(release(std::move(bytes)));
}

varlena* value_of(const Model& model, Encoding& encoding, Memory memory) {
    check(model, encoding.resume_size(), memory);
    return value_of(encoding.finish(model));
}

// Inside the wall.
static varlena* make_own(const Model& model) {
    ContextMemory memory(CurrentMemoryContext);
    check(model, model.resume.size(), &memory);
    return value_of(encode(model, VARHDRSZ, &memory, server_stop()));
}

Datum new_model(const Model& model) {
    return PointerGetDatum(guarded([&model] { return make_own(model); }));
}

// Inside the wall.
static varlena* model_from_text(std::string_view text) {
    ContextMemory memory(CurrentMemoryContext);
    const Model model = from_json(text, &memory, server_stop());
    return make_own(model);
}

static char* model_text(FunctionCallInfo fcinfo, bool with_resume) {
    const std::span<const char> bytes = bytes_view(PG_GETARG_VARLENA_PP(0));
    return guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        const Model model = decode(bytes, &memory, server_stop());
        return keep(to_json(model, with_resume, max_model_size, &memory, server_stop()), memory)->data();
    });
}

SPARSELIN_FUNCTION(sparselin_model_in) {
    const char* const text = PG_GETARG_CSTRING(0);
    PG_RETURN_POINTER(guarded_input(fcinfo, [text] { return model_from_text(text); }));
}

SPARSELIN_RETURNS(sparselin_model_out, CStringGetDatum(model_text(fcinfo, true)))

SPARSELIN_FUNCTION(sparselin_model_recv) {
    return new_model(*decode_model(rest_of_message(fcinfo), CurrentMemoryContext));
}

SPARSELIN_FUNCTION(sparselin_model_send) {
    const std::span<const char> bytes = bytes_view(PG_GETARG_VARLENA_PP(0));
    guarded([=] { check_intact(bytes, server_stop()); });
    bytea* const copy = new_bytes(bytes.size());
    memcpy(VARDATA(copy), bytes.data(), bytes.size());
    PG_RETURN_BYTEA_P(copy);
}

SPARSELIN_FUNCTION(sparselin_model_from_jsonb) {
    const char* const text = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(0)));
    PG_RETURN_POINTER(guarded([text] { return model_from_text(text); }));
}

SPARSELIN_FUNCTION(sparselin_model_to_jsonb) {
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(model_text(fcinfo, false)));
}

}  // namespace sparselin
