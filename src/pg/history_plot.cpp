// The history of a model as a picture.
#include "../learn/history_plot.h"

#include "model_type.h"

using namespace sparselin;

SPARSELIN_FUNCTION(sparselin_history_plot) {
    const Model* const model = PG_GETARG_MODEL(0);
    PG_RETURN_POINTER(guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return make_varlena(plot_history(*model, &memory), memory);
    }));
}
