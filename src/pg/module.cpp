// The shared library's magic block.
#include "pg.h"

SPARSELIN_VISIBLE_BEGIN
#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "sparselin", .version = "1.0.0");
#else
PG_MODULE_MAGIC;
#endif
SPARSELIN_VISIBLE_END
