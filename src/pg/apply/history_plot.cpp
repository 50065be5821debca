// The history of a model as a picture.
#include "learn/apply/history_plot.h"

#include "types/model_type.h"
#include "apply/named_model.h"

using namespace sparselin;

static Datum history_plot(FunctionCallInfo fcinfo, ModelGiven given) {
    const Model* const model = fetch_model(model_of_call(fcinfo, given), CurrentMemoryContext);
    PG_RETURN_POINTER(guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return make_varlena(plot_history(*model, &memory), memory);
    }));
}

SPARSELIN_FUNCTION(sparselin_history_plot) {
    return history_plot(fcinfo, ModelGiven::itself);
}
SPARSELIN_FUNCTION(sparselin_history_plot_named) {
    return history_plot(fcinfo, ModelGiven::by_name);
}
