#include "wall/guard.h"

#include <cstring>
#include <exception>

extern "C" {
#include "mb/pg_wchar.h"
}

namespace sparselin {

bool OnlyCancels::there_is_one = false;

// A text for the server, which must get none but in the encoding of the database: an error may show a part of what was
// not in it, or be cut within a character.
template <size_t size>
static void copy_text(char (&to)[size], const char* text) noexcept {
    strlcpy(to, text, size);
    if (pg_verify_mbstr(GetDatabaseEncoding(), to, static_cast<int>(strlen(to)), true)) return;
    for (char& c : to)
        if (IS_HIGHBIT_SET(c)) c = '?';
}

void describe_exception(Outcome& outcome) noexcept {
    try {
        throw;
    } catch (const Interrupted&) {
        outcome.kind = Outcome::interrupted;
    } catch (const GivenUp&) {
        outcome.kind = Outcome::given_up;
    } catch (const Error& error) {
        outcome.kind = Outcome::failed;
        outcome.fault = error.fault();
        static_assert(sizeof outcome.message == 400 && sizeof outcome.hint == 400);
        copy_text(outcome.message, error.message());
        copy_text(outcome.hint, error.hint());
    } catch (const std::bad_alloc&) {
        outcome.kind = Outcome::out_of_memory;
    } catch (const std::exception& exception) {
        outcome.kind = Outcome::unexpected;
        copy_text(outcome.message, exception.what());
    } catch (...) {
        outcome.kind = Outcome::unexpected;
        copy_text(outcome.message, "unknown exception");
    }
}

static int sqlstate_of(Fault fault) {
    switch (fault) {
        case Fault::bad_text: return ERRCODE_INVALID_TEXT_REPRESENTATION;
        case Fault::bad_binary: return ERRCODE_INVALID_BINARY_REPRESENTATION;
        case Fault::bad_value: return ERRCODE_INVALID_PARAMETER_VALUE;
        case Fault::out_of_range: return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
        case Fault::mismatch: return ERRCODE_DATA_EXCEPTION;
        case Fault::not_supported: return ERRCODE_FEATURE_NOT_SUPPORTED;
        case Fault::diverged: return ERRCODE_DATA_EXCEPTION;
        case Fault::too_large: return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    }
    return ERRCODE_INTERNAL_ERROR;
}

void save(const Outcome& outcome, Node* context) {
    errsave(context, (errcode(sqlstate_of(outcome.fault)), errmsg("%s", outcome.message),
                      outcome.hint[0] != '\0' ? errhint("%s", outcome.hint) : 0));
}

void raise(const Outcome& outcome) {
    switch (outcome.kind) {
        case Outcome::failed: save(outcome, nullptr); break;
        case Outcome::given_up:
            ereport(ERROR, errcode(ERRCODE_QUERY_CANCELED), errmsg("canceling statement due to user request"));
            break;
        case Outcome::out_of_memory:
            ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
                    errdetail("Failed while training or reading a sparselin object."));
            break;
        default:
            ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
                    errmsg("unexpected failure in sparselin: %s", outcome.message));
    }
    pg_unreachable();
}

}  // namespace sparselin
