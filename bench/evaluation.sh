#!/bin/bash
# evaluation.sh: sparselin_evaluate beside scikit-learn's metrics, on the data sets of the folder that SPARSELIN_DATA
# names (docs/benchmarks.md says what it looks like). Fails where a number differs.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_evaluation /usr/bin/python3 evaluation.py "$SPARSELIN_DATA"
