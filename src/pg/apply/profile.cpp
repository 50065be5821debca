// What a profile of rows is made of (install/keeping_profile.sql): which features they have, how many of those a model
// has no weight for, and what it says.
#include "learn/apply/verdict.h"

#include <algorithm>

#include "learn/rows/sparse_math.h"
#include "types/sparsearray.h"
#include "apply/given_model.h"

using namespace sparselin;

// 1 for each feature.
SPARSELIN_FUNCTION(sparselin_presence) {
    const SparseRow x = PG_GETARG_SPARSEARRAY(0)->row();
    PG_RETURN_POINTER(compute_sparsearray([&](Memory memory, StopSign stop) { return presence(x, memory, stop); }));
}

// How many features the model has not seen, or all weights of which are 0.
SPARSELIN_FUNCTION(sparselin_unweighted) {
    const Predictor* const predictor = predictor_of_call(fcinfo, ModelGiven::itself);
    const SparseRow x = PG_GETARG_SPARSEARRAY(1)->row();
    PG_RETURN_INT32(guarded([&] {
        const StopSign stop = server_stop();
        int32_t count = 0;
        for (int32_t i = 0; i < x.nnz; ++i) {
            stop.poll_every_so_often(static_cast<size_t>(i));
            const double* const weights = predictor->weights(x.index[i]);
            count += weights == nullptr ||
                     std::all_of(weights, weights + predictor->runs(), [](double w) { return w == 0; });
        }
        return count;
    }));
}

// The score, or of several the highest.
SPARSELIN_FUNCTION(sparselin_top_score) {
    const Predictor* const predictor = predictor_of_call(fcinfo, ModelGiven::itself);
    const SparseRow x = PG_GETARG_SPARSEARRAY(1)->row();
    PG_RETURN_FLOAT8(guarded([&] {
        if (predictor->runs() == 1) return predictor->score(x, server_stop());
        ContextMemory memory(CurrentMemoryContext);
        return std::ranges::max(class_scores(*predictor, x, &memory, server_stop()));
    }));
}
