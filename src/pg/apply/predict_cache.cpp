#include "apply/predict_cache.h"

#include "learn/apply/objective.h"
#include "wall/aggregate.h"

namespace sparselin {

namespace {

struct Slot {
    MemoryContext context;  // of the predictor; to delete it is to evict
    const ReadyModel* model;
    uint64 last_used;
    Size bytes;
};

}  // namespace

struct PredictCache {
    static constexpr int always = 8, most = 256;
    static constexpr Size enough = Size{64} << 20;

    MemoryContext lasting;
    int count, latest;
    uint64 clock;
    Size bytes;
    ModelKey keys[most];
    Slot slots[most];
};

namespace {

const ReadyModel* make_ready(Datum model, MemoryContext context) {
    ContextMemory* const memory = lasting_memory(context);
    return read_model_bytes(model, [=](std::span<const char> bytes) -> const ReadyModel* {
        return guarded([=] {
            ContextMemory temporary(CurrentMemoryContext);
            const Model decoded = decode(bytes, &temporary, server_stop());
            const double penalty = penalty_of(decoded, &temporary, server_stop());
            return keep(ReadyModel{Predictor(decoded, memory, server_stop()), decoded.coding, penalty}, *memory);
        });
    });
}

void evict_oldest(PredictCache* cache) {
    int oldest = 0;
    for (int i = 1; i < cache->count; ++i)
        if (cache->slots[i].last_used < cache->slots[oldest].last_used) oldest = i;
    cache->bytes -= cache->slots[oldest].bytes;
    MemoryContextDelete(cache->slots[oldest].context);
    --cache->count;
    cache->keys[oldest] = cache->keys[cache->count];
    cache->slots[oldest] = cache->slots[cache->count];
}

// The new model's context hangs below the current one until all has gone well.
const ReadyModel* add(PredictCache* cache, const ModelKey& key, Datum model) {
    const MemoryContext context = new_model_context();
    const ReadyModel* const ready = make_ready(model, context);
    const Size bytes = MemoryContextMemAllocated(context, true);
    const Size allowed = Max(PredictCache::enough, work_memory());
    while (cache->count == PredictCache::most ||
           (cache->count >= PredictCache::always && cache->bytes + bytes > allowed))
        evict_oldest(cache);
    MemoryContextSetParent(context, cache->lasting);
    cache->latest = cache->count++;
    cache->bytes += bytes;
    cache->keys[cache->latest] = key;
    cache->slots[cache->latest] = {context, ready, ++cache->clock, bytes};
    return ready;
}

}  // namespace

PredictCache* new_cache(MemoryContext lasting) {
    auto* const cache = static_cast<PredictCache*>(MemoryContextAllocZero(lasting, sizeof(PredictCache)));
    cache->lasting = lasting;
    return cache;
}

const ReadyModel* ready_model(PredictCache* cache, const ModelKey& key, Datum model) {
    if (cache->count > 0 && cache->keys[cache->latest] == key) return cache->slots[cache->latest].model;
    for (int i = 0; i < cache->count; ++i) {
        if (!(cache->keys[i] == key)) continue;
        cache->slots[i].last_used = ++cache->clock;
        cache->latest = i;
        return cache->slots[i].model;
    }
    return add(cache, key, model);
}

PredictCache* cache_of_query(FunctionCallInfo fcinfo) {
    const MemoryContext query = query_context(fcinfo);
    bool made;
    auto* const cache = kept_with<PredictCache>(query, made);
    cache->lasting = query;
    return cache;
}

}  // namespace sparselin
