#!/bin/bash
# regression.sh: test errors on housing, in the folder of data sets that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_regression /usr/bin/python3 regression.py "$SPARSELIN_DATA"
