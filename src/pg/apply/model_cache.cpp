#include "apply/model_cache.h"

#include "learn/apply/objective.h"
#include "types/model_type.h"
#include "wall/aggregate.h"

extern "C" {
#include "lib/ilist.h"
}

namespace sparselin {

namespace {

// A model of the session. It lies in its context, which goes with it.
struct KeptModel : dlist_node {
    KeptModel(ReadyModel&& model, bool has_penalty) : dlist_node(), ready(std::move(model)), is_judged(has_penalty) {}

    ReadyModel ready;
    bool is_judged;          // has its penalty
    bool too_large = false;  // to stay when nobody holds it
    int holders = 0;
    KeptModel* next = nullptr;  // in its bucket
    ModelIdentity identity{};
    Oid role = InvalidOid;
    MemoryContext context = nullptr;
    Size bytes = 0;
};

struct Session {
    static constexpr Size buckets_count = 1024;

    MemoryContext context;
    KeptModel* buckets[buckets_count];
    dlist_head by_use;  // the last one first
    Size bytes;         // of those that may stay
    int places;         // that use models
};

Session session;

KeptModel** bucket_of(const ModelIdentity& identity) {
    return &session.buckets[identity.fingerprint.low % Session::buckets_count];
}

KeptModel* find(const ModelIdentity& identity, Oid role) {
    KeptModel* model = *bucket_of(identity);
    while (model != nullptr && !(model->identity == identity && model->role == role)) model = model->next;
    return model;
}

void drop(KeptModel* model) {
    KeptModel** link = bucket_of(model->identity);
    while (*link != model) link = &(*link)->next;
    *link = model->next;
    dlist_delete(model);
    if (!model->too_large) session.bytes -= model->bytes;
    MemoryContextDelete(model->context);
}

Size allowed_bytes() {
    const Size lasting = static_cast<Size>(cache_size) * 1024;
    return session.places > 0 ? Max(lasting, work_memory()) : lasting;
}

void drop_oldest() {
    const Size allowed = allowed_bytes();
    dlist_node* const end = &session.by_use.head;
    for (dlist_node* node = end->prev; session.bytes > allowed && node != end;) {
        KeptModel* const model = static_cast<KeptModel*>(node);
        node = node->prev;
        if (model->holders == 0) drop(model);
    }
}

void let_go(KeptModel* model) {
    if (--model->holders > 0) return;
    if (model->too_large) return drop(model);
    dlist_move_head(&session.by_use, model);
}

double penalty_of_value(Datum model) {
    return read_model_front(model, [=](std::span<const char> bytes) {
        return guarded([=] {
            ContextMemory memory(CurrentMemoryContext);
            return penalty_of(decode_front(bytes, &memory, server_stop()), &memory, server_stop());
        });
    });
}

KeptModel* read_kept_model(Datum model, bool judges, MemoryContext context) {
    ContextMemory* const memory = lasting_memory(context);
    return read_model_front(model, [=](std::span<const char> bytes) {
        return guarded([=] {
            ContextMemory temporary(CurrentMemoryContext);
            const Model decoded = decode_front(bytes, &temporary, server_stop());
            const double penalty = judges ? penalty_of(decoded, &temporary, server_stop()) : 0;
            ReadyModel ready{Predictor(decoded, memory, server_stop()), penalty};
            return keep(KeptModel(std::move(ready), judges), *memory);
        });
    });
}

// The new model's context hangs below the current one until all has gone well; from then on nothing can fail.
KeptModel* add(const ModelIdentity& identity, Oid role, Datum value, bool judges) {
    if (session.context == nullptr) {
        session.context = AllocSetContextCreate(TopMemoryContext, "sparselin models", ALLOCSET_SMALL_SIZES);
        dlist_init(&session.by_use);
    }
    const MemoryContext context = new_model_context();
    KeptModel* const model = read_kept_model(value, judges, context);
    model->identity = identity;
    model->role = role;
    model->context = context;
    model->bytes = MemoryContextMemAllocated(context, true);
    model->too_large = model->bytes > allowed_bytes();
    MemoryContextSetParent(context, session.context);
    KeptModel** const bucket = bucket_of(identity);
    model->next = *bucket;
    *bucket = model;
    dlist_push_head(&session.by_use, model);
    if (!model->too_large) session.bytes += model->bytes;
    return model;
}

}  // namespace

struct HeldModels {
    struct Hold {
        ModelKey key;
        KeptModel* model;
        uint64 last_used;
    };
    struct Known {
        ModelKey key;
        ModelIdentity identity;
    };

    static constexpr int most = 8;
    static constexpr Size most_known = 256;

    MemoryContext lasting;
    bool judges;
    int count;
    uint64 clock;
    Hold* latest;
    Hold holds[most];
    Known* known;  // what toast pointers point to, each at a place of its own; where there are more than are held
};

namespace {

void release(void* gone) {
    auto* const held = static_cast<HeldModels*>(gone);
    for (int i = 0; i < held->count; ++i) let_go(held->holds[i].model);
    --session.places;
    drop_oldest();
}

void begin_to_hold(HeldModels* held, MemoryContext lasting) {
    at_reset(lasting, release, held);
    held->lasting = lasting;
    ++session.places;
}

ModelIdentity known_identity(HeldModels* held, const ModelKey& key, Datum model) {
    if (held->count < HeldModels::most || !key.on_disk()) return identity_of(model);
    if (held->known == nullptr)
        held->known = static_cast<HeldModels::Known*>(
            MemoryContextAllocZero(held->lasting, sizeof(HeldModels::Known) * HeldModels::most_known));
    HeldModels::Known& known = held->known[mix64(key.words[0] ^ mix64(key.words[1])) % HeldModels::most_known];
    if (!(known.key == key)) known = {key, identity_of(model)};
    return known.identity;
}

KeptModel* kept_model(HeldModels* held, const ModelKey& key, Datum value) {
    const ModelIdentity identity = known_identity(held, key, value);
    const Oid role = GetUserId();
    KeptModel* model = find(identity, role);
    if (model == nullptr) return add(identity, role, value, held->judges);
    if (held->judges && !model->is_judged) {
        model->ready.penalty = penalty_of_value(value);
        model->is_judged = true;
    }
    return model;
}

HeldModels::Hold* place_for_one_more(HeldModels* held) {
    if (held->count < HeldModels::most) return &held->holds[held->count++];
    HeldModels::Hold* oldest = held->holds;
    for (HeldModels::Hold& hold : held->holds)
        if (hold.last_used < oldest->last_used) oldest = &hold;
    let_go(oldest->model);
    return oldest;
}

HeldModels::Hold* hold(HeldModels* held, const ModelKey& key, Datum value) {
    for (int i = 0; i < held->count; ++i)
        if (held->holds[i].key == key) return &held->holds[i];
    KeptModel* const model = kept_model(held, key, value);
    ++model->holders;
    HeldModels::Hold* const place = place_for_one_more(held);
    *place = {key, model, 0};
    drop_oldest();
    return place;
}

}  // namespace

HeldModels* hold_models(MemoryContext lasting) {
    auto* const held = zeroed<HeldModels>(lasting);
    begin_to_hold(held, lasting);
    return held;
}

HeldModels* judged_models_of_query(FunctionCallInfo fcinfo) {
    const MemoryContext query = query_context(fcinfo);
    bool made;
    auto* const held = kept_with<HeldModels>(query, made);
    if (held->lasting == nullptr) {
        held->judges = true;
        begin_to_hold(held, query);
    }
    return held;
}

const ReadyModel* ready_model(HeldModels* held, const ModelKey& key, Datum model) {
    if (held->latest == nullptr || !(held->latest->key == key)) {
        held->latest = hold(held, key, model);
        held->latest->last_used = ++held->clock;
    }
    return &held->latest->model->ready;
}

}  // namespace sparselin
