#!/bin/bash
# sparse_models.sh: how few weights truncated_train and elasticnet_train can do with, on data sets of the folder that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like).
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_sparse_models /usr/bin/python3 sparse_models.py "$SPARSELIN_DATA"
