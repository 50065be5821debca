#include "predict_cache.h"

#include "model_key.h"

namespace sparselin {

namespace {

struct Slot {
    MemoryContext context;  // of the predictor; to delete it is to evict
    const Predictor* predictor;
    uint64 last_used;
    Size bytes;
};

struct PredictCache {
    static constexpr int always = 8, most = 256;
    static constexpr Size enough = Size{64} << 20;

    int count, latest;
    uint64 clock;
    Size bytes;
    ModelKey keys[most];
    Slot slots[most];
};

const Predictor* make_predictor(Datum model, MemoryContext context) {
    varlena* const stored = reinterpret_cast<varlena*>(DatumGetPointer(model));
    varlena* const value = pg_detoast_datum_packed(stored);
    const std::span<const char> bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    ContextMemory* const memory = lasting_memory(context);
    const Predictor* const predictor = guarded([=] {
        ContextMemory temporary(CurrentMemoryContext);
        const Model decoded = decode(bytes, &temporary, server_stop());
        return keep(Predictor(decoded, memory, server_stop()), *memory);
    });
    if (value != stored) pfree(value);
    return predictor;
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

PredictCache* cache_at(void** place, MemoryContext lasting) {
    if (*place == nullptr) {
        auto* const cache = static_cast<PredictCache*>(MemoryContextAlloc(lasting, sizeof(PredictCache)));
        cache->count = cache->latest = 0;
        cache->clock = 0;
        cache->bytes = 0;
        *place = cache;
    }
    return static_cast<PredictCache*>(*place);
}

// The new predictor's context hangs below the current one until all has gone well.
const Predictor* add(PredictCache* cache, MemoryContext lasting, const ModelKey& key, Datum model) {
    const MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sparselin model", ALLOCSET_SMALL_SIZES);
    const Predictor* const predictor = make_predictor(model, context);
    const Size bytes = MemoryContextMemAllocated(context, true);
    const Size allowed = Max(PredictCache::enough, static_cast<Size>(work_mem) * 1024);
    while (cache->count == PredictCache::most ||
           (cache->count >= PredictCache::always && cache->bytes + bytes > allowed))
        evict_oldest(cache);
    MemoryContextSetParent(context, lasting);
    cache->latest = cache->count++;
    cache->bytes += bytes;
    cache->keys[cache->latest] = key;
    cache->slots[cache->latest] = {context, predictor, ++cache->clock, bytes};
    return predictor;
}

}  // namespace

const Predictor* cached_predictor(FunctionCallInfo fcinfo, Datum model) {
    FmgrInfo* const function = fcinfo->flinfo;
    if (function == nullptr) return make_predictor(model, CurrentMemoryContext);
    return cached_predictor(&function->fn_extra, function->fn_mcxt, model);
}

const Predictor* cached_predictor(void** place, MemoryContext lasting, Datum model) {
    PredictCache* const cache = cache_at(place, lasting);
    const ModelKey key = key_of(model);
    if (cache->count > 0 && cache->keys[cache->latest] == key) return cache->slots[cache->latest].predictor;
    for (int i = 0; i < cache->count; ++i) {
        if (!(cache->keys[i] == key)) continue;
        cache->slots[i].last_used = ++cache->clock;
        cache->latest = i;
        return cache->slots[i].predictor;
    }
    return add(cache, lasting, key, model);
}

}  // namespace sparselin
