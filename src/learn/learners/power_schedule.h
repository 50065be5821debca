// The step size eta_t = eta0 t^-power, with power from 0 (constant) to 1.
#pragma once

#include "options/settings.h"

#include <cmath>

namespace sparselin {

struct PowerSchedule {
    explicit PowerSchedule(const Settings& settings) : eta0(settings.eta0), power(settings.power) {}

    double eta0, power;
    int64_t t = 0;
    double eta = 0;  // eta_t

    // eta too, as the elastic net looks at it before its step.
    void resume(int64_t step) {
        t = step;
        eta = t > 0 ? eta_of(static_cast<double>(t)) : 0;
    }

    void advance() {
        ++t;
        eta = eta_of(static_cast<double>(t));
    }

private:
    // A power takes longer than the rest of a short row's step; the usual ones do not need it.
    double eta_of(double step) const {
        if (power == 0) return eta0;
        if (power == 0.5) return eta0 / std::sqrt(step);
        return power == 1 ? eta0 / step : eta0 * std::pow(step, -power);
    }
};

}  // namespace sparselin
