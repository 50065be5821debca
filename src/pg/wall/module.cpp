// The shared library's magic block, and its settings, which are defined when it is loaded.
#include "wall/aggregate.h"

namespace sparselin {

int max_shipped_state = 256 * 1024;
int cache_size = 64 * 1024;
int progress_interval = 0;

}  // namespace sparselin

SPARSELIN_VISIBLE_BEGIN
#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "sparselin", .version = "1.0.0");
#else
PG_MODULE_MAGIC;
#endif
void _PG_init(void);
SPARSELIN_VISIBLE_END

void _PG_init(void) {
    DefineCustomIntVariable("sparselin.max_shipped_state",
                            "The most memory that a parallel worker's rows may take to be shipped to the leader.",
                            "A worker with more rows learns from them alone, and the models are averaged.",
                            &sparselin::max_shipped_state, 256 * 1024, 0, 1000 * 1024, PGC_USERSET, GUC_UNIT_KB,
                            nullptr, nullptr, nullptr);
    DefineCustomIntVariable("sparselin.cache_size",
                            "The most memory of models that the session keeps ready to be applied.",
                            "While statements use models, work_mem where that is more.", &sparselin::cache_size,
                            64 * 1024, 0, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, nullptr, nullptr, nullptr);
    DefineCustomIntVariable("sparselin.progress_interval", "How often a NOTICE tells how training gets on.",
                            "0, the default, for never. Parallel workers say nothing.", &sparselin::progress_interval,
                            0, 0, INT_MAX, PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
    sparselin::reserve_parameters("sparselin");
}
