// The step size eta_t = eta0 t^-power, with power from 0 (constant) to 1.
#pragma once

#include "settings.h"

#include <cmath>

namespace sparselin {

struct PowerSchedule {
    explicit PowerSchedule(const Settings& settings) : eta0(settings.eta0), power(settings.power) {}

    double eta0, power;
    int64_t t = 0;
    double eta = 0;  // eta_t

    void advance() {
        ++t;
        eta = power == 0 ? eta0 : eta0 * std::pow(static_cast<double>(t), -power);
    }
};

}  // namespace sparselin
