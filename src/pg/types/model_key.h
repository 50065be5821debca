// Which model a value is, told from its first bytes: without fetching what a toast pointer points to.
#pragma once

#include "learn/base/hash.h"
#include "learn/model/model.h"

#include <cstring>

#include "wall/pg.h"

extern "C" {
#include "access/detoast.h"
}

namespace sparselin {

// Where it is, and who asks: told at once. The same model in two places has two of them.
struct ModelKey {
    uint64 role_and_place;  // twice the role; and 1 where the words are a toast pointer, and no fingerprint
    uint64 words[2];

    bool on_disk() const { return (role_and_place & 1) != 0; }

    bool operator==(const ModelKey& other) const {
        return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1]) | (role_and_place ^ other.role_and_place)) ==
               0;
    }
};

// What it is: wherever it is stored, and in whatever way.
//
// Of a billion different models some two have the same fingerprint with a probability of 1.5e-21, n^2 / 2^129; they
// would have to be of the same size as well.
struct ModelIdentity {
    Hash128 fingerprint;
    Size size;  // not compressed

    bool operator==(const ModelIdentity&) const = default;
};

// Zeros for what is too short to be a model.
inline Hash128 fingerprint_of_prefix(const char* prefix, Size size) {
    return size < fingerprint_prefix ? Hash128() : fingerprint_of({prefix, fingerprint_prefix});
}

// Of a value that is stored apart from its row no more than its first bytes are fetched. C zone only.
inline Hash128 fingerprint_of_value(Datum model) {
    varlena* const prefix = PG_DETOAST_DATUM_SLICE(model, 0, fingerprint_prefix);
    const Hash128 fingerprint = fingerprint_of_prefix(VARDATA_ANY(prefix), VARSIZE_ANY_EXHDR(prefix));
    if (reinterpret_cast<Pointer>(prefix) != DatumGetPointer(model)) pfree(prefix);
    return fingerprint;
}

// C zone only.
inline ModelIdentity identity_of(Datum model) {
    return {fingerprint_of_value(model), toast_raw_datum_size(model)};
}

// C zone only.
inline ModelKey key_of(Datum model) {
    varlena* const value = reinterpret_cast<varlena*>(DatumGetPointer(model));
    const uint64 role = 2 * uint64{GetUserId()};
    if (VARATT_IS_EXTERNAL_ONDISK(value)) {
        ModelKey key{role + 1, {}};
        static_assert(sizeof(varatt_external) == sizeof key.words);
        memcpy(key.words, VARDATA_EXTERNAL(value), sizeof key.words);
        return key;
    }
    const bool at_hand = !VARATT_IS_EXTERNAL(value) && !VARATT_IS_COMPRESSED(value);
    const Hash128 fingerprint =
        at_hand ? fingerprint_of_prefix(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)) : fingerprint_of_value(model);
    return {role, {fingerprint.low, fingerprint.high}};
}

}  // namespace sparselin
