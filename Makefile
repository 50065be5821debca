# sparselin: build with PGXS. `make help` lists what else there is.
EXTENSION = sparselin
MODULE_big = sparselin
DATA = sparselin--1.0.0.sql

LEARN_SOURCES = $(sort $(wildcard src/learn/*.cpp))
PG_SOURCES = $(sort $(wildcard src/pg/*.cpp))
OBJS = $(LEARN_SOURCES:.cpp=.o) $(PG_SOURCES:.cpp=.o)

# Bit-for-bit reproducible: no contraction, no fast-math, no -march.
PG_CXXFLAGS = -std=c++20 -Wall -Wextra -ffp-contract=off -fvisibility=hidden -MMD -MP $(WARNINGS)
SHLIB_LINK = -lstdc++

PG_CONFIG ?= pg_config
# LLVM bitcode cannot be made from these sources.
override with_llvm = no
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# PGXS tracks no headers; the compiler does.
-include $(OBJS:.o=.d)
