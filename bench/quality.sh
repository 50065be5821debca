#!/bin/bash
# quality.sh: accuracy and objective of untouched defaults beside LIBLINEAR's, on the data sets of the folder that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_quality /usr/bin/python3 quality.py "$SPARSELIN_DATA"
