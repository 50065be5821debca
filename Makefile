# sparselin: build with PGXS. `make help` lists what else there is.
EXTENSION = sparselin
MODULE_big = sparselin
DATA_built = sparselin--1.0.0.sql

# The SQL of the extension, each file after those that it needs.
INSTALL_SQL = $(patsubst %,install/%.sql,head types features training applying refining looking \
	keeping_profile keeping_tables keeping_query keeping_versions keeping_training keeping \
	report_parts charts report_rows report_model report_quality report)

OBJS = $(patsubst %.cpp,%.o,$(sort $(wildcard src/*/*/*.cpp)))

# Includes name the room, and across the wall the zone: "rows/sparse.h", "learn/rows/sparse.h".
PG_CPPFLAGS = -Isrc -Isrc/learn -Isrc/pg

# Bit-for-bit reproducible: no contraction, no fast-math, no -march.
PG_CXXFLAGS = -std=c++20 -Wall -Wextra -ffp-contract=off -fvisibility=hidden -MD -MP $(WARNINGS) $(SANITIZE)
SHLIB_LINK = -lstdc++ $(SANITIZE)

# 000_setup creates the extension; the others stand each for itself, so that a new file needs no list.
REGRESS := 000_setup $(filter-out 000_setup,$(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql))))
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test/isolation --load-extension=sparselin
EXTRA_CLEAN = build $(OBJS:.o=.d)

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
SERVER_HEADER := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)/postgres.h

# Debian's client package has the one, its -server-dev package the other.
ifeq ($(words $(wildcard $(PGXS) $(SERVER_HEADER))),2)
# LLVM bitcode cannot be made from these sources.
override with_llvm = no
include $(PGXS)

# Warnings are about these sources, not about the server's headers, which are C.
override CPPFLAGS := $(patsubst -I$(includedir_server),-isystem $(includedir_server),$(CPPFLAGS))

# Every row that comes in is checked, several numbers at a time: at -O2 the compiler makes few loops vectors.
src/learn/rows/sparse.o: override CXXFLAGS += -O3
# The loops over many runs too, and those over the numbers of a minimiser.
src/learn/base/wide_loops.o src/learn/options/losses.o src/learn/engine/lbfgs.o: override CXXFLAGS += -O3
# How fast a step is does not hang on where the linker happens to put its loops.
src/learn/learners/every_learner.o src/learn/base/wide_loops.o: override CXXFLAGS += -falign-functions=64 -falign-loops=32

$(DATA_built): $(INSTALL_SQL) Makefile
	awk 'FNR == 1 && NR > 1 { print "" } { print }' $(INSTALL_SQL) >$@

# PGXS tracks no headers; the compiler does.
-include $(OBJS:.o=.d)
else
# `make test` and `make demo` start from here on a machine without PostgreSQL, and install it.
all install installcheck uninstall clean:
	@echo "make $@ needs PostgreSQL's build files: those of '$(PG_CONFIG)' are not all there." >&2
	@echo "On Debian: apt-get install postgresql-server-dev-all. Elsewhere: make $@ PG_CONFIG=/path/to/pg_config" >&2
	@exit 1
endif

.PHONY: test test-long unit demo bench format help

test:       ## build, install, run every test, on a throw-away cluster
	@test/run
test-long:  ## the tests that take longer than all the others together
	@test/run --long
unit:       ## the unit tests of src/learn alone, plain and sanitized; need no PostgreSQL
	@test/run unit
demo:       ## train and apply a spam filter on real messages, on a throw-away cluster
	@demo/run
bench:      ## measure speed beside other ways to the same end, as one table; bench/run measures all there is
	@bench/run summary
format:     ## clang-format
	clang-format -i $(wildcard src/*/*/*.h src/*/*/*.cpp test/unit/*/*.h test/unit/*/*.cpp bench/*.h bench/*.cpp)
help:       ## this list
	@echo "make              build"
	@echo "make install      install into the PostgreSQL of PG_CONFIG ($(PG_CONFIG))"
	@echo "make installcheck run the SQL tests on a running server that has it installed"
	@awk -F ': *## ' '/^[a-z-]+: *## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
