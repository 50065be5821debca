// The ground under src/learn: what every file there may use.
//
// This folder is plain C++20. It knows nothing of PostgreSQL, does no I/O, has no globals, and takes
// memory only from the std::pmr::memory_resource it is given.
#pragma once

#ifdef POSTGRES_H
static_assert(false, "headers of src/learn come before pg.h, and know nothing of PostgreSQL");
#endif

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparselin {

using Memory = std::pmr::memory_resource*;

template <typename T>
using Vector = std::pmr::vector<T>;

using String = std::pmr::string;

}  // namespace sparselin
