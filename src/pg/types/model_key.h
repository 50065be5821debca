// Which model a value is, told from its first bytes: without fetching what a toast pointer points to.
#pragma once

#include "learn/base/hash.h"
#include "learn/model/model.h"

#include <cstring>

#include "wall/pg.h"

namespace sparselin {

struct ModelKey {
    uint64 on_disk;  // what the words are: a toast pointer, or a fingerprint
    uint64 words[2];

    bool operator==(const ModelKey& other) const {
        return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1]) | (on_disk ^ other.on_disk)) == 0;
    }
};

inline ModelKey key_of_prefix(const char* prefix, Size size) {
    ModelKey key{};
    if (size < fingerprint_prefix) return key;
    const Hash128 fingerprint = fingerprint_of({prefix, fingerprint_prefix});
    key.words[0] = fingerprint.low;
    key.words[1] = fingerprint.high;
    return key;
}

// The same model has the same fingerprint wherever it is stored. C zone only.
inline ModelKey fingerprint_key_of(Datum model) {
    varlena* const prefix = PG_DETOAST_DATUM_SLICE(model, 0, fingerprint_prefix);
    const ModelKey key = key_of_prefix(VARDATA_ANY(prefix), VARSIZE_ANY_EXHDR(prefix));
    if (reinterpret_cast<Pointer>(prefix) != DatumGetPointer(model)) pfree(prefix);
    return key;
}

// C zone only.
inline ModelKey key_of(Datum model) {
    varlena* const value = reinterpret_cast<varlena*>(DatumGetPointer(model));
    if (VARATT_IS_EXTERNAL_ONDISK(value)) {
        ModelKey key{1, {}};
        static_assert(sizeof(varatt_external) == sizeof key.words);
        memcpy(key.words, VARDATA_EXTERNAL(value), sizeof key.words);
        return key;
    }
    if (!VARATT_IS_EXTERNAL(value) && !VARATT_IS_COMPRESSED(value))
        return key_of_prefix(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    return fingerprint_key_of(model);
}

}  // namespace sparselin
