// A double as the float4 that values are stored as, and what to say where it does not fit.
#pragma once

#include "base/error.h"
#include "base/numbers.h"

#include <cmath>

namespace sparselin {

inline constexpr char float4_hint[] =
    "Values are stored as float4, which goes from about 1e-45 to 3.4e38; scale them first.";

struct Float4 {
    explicit Float4(double number) : exact(number), value(static_cast<float>(number)) {}

    // Also where the double is not finite.
    bool is_too_large() const { return !std::isfinite(value); }
    bool is_too_small() const { return value == 0 && exact != 0; }
    bool fits() const { return !is_too_large() && !is_too_small(); }

    // What it is instead.
    const char* misfit() const {
        if (std::isnan(exact)) return "NaN";
        if (std::isinf(exact)) return "infinite";
        return value == 0 ? "too small for float4" : "too large for float4";
    }

    // "the value of index 7 is too large for float4: 1e60"; the index counts from 1.
    Error error_at(int64_t index) const {
        const auto where = static_cast<long long>(index);
        if (!std::isfinite(exact))
            return Error(Fault::out_of_range, "the value of index %lld is %s", where, misfit())
                .hint("Values must be finite numbers.");
        return Error(Fault::out_of_range, "the value of index %lld is %s: %s", where, misfit(),
                     NumberText(exact).c_str())
            .hint("%s", float4_hint);
    }

    double exact;
    float value;
};

}  // namespace sparselin
