#!/bin/bash
# sparse_models.sh: how few weights truncated_train and elasticnet_train can do with, on data sets of the folder that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like).
set -euo pipefail
cd "$(dirname "$0")"

if [[ ! -f ${SPARSELIN_DATA:-}/README.md ]]; then
    echo "skipped: SPARSELIN_DATA names no folder of data sets"
    exit 0
fi
psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS sparselin_sparse_models' -c 'CREATE DATABASE sparselin_sparse_models'
PGDATABASE=sparselin_sparse_models psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_sparse_models /usr/bin/python3 sparse_models.py "$SPARSELIN_DATA"
psql -Xq -c 'DROP DATABASE sparselin_sparse_models'
