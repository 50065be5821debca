// Options of a test that looks at what a learner has learned: nothing comes after the last epoch, unless it says so.
#pragma once

#include <string>

inline std::string unsettled(std::string options) {
    if (options.find("settle") != std::string::npos) return options;
    return options + (options.empty() ? "" : " ") + "settle=false";
}
