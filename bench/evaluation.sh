#!/bin/bash
# evaluation.sh: sparselin_evaluate beside scikit-learn's metrics, on the data sets of the folder that SPARSELIN_DATA
# names (docs/benchmarks.md says what it looks like). Fails where a number differs.
set -euo pipefail
cd "$(dirname "$0")"

if [[ ! -f ${SPARSELIN_DATA:-}/README.md ]]; then
    echo "skipped: SPARSELIN_DATA names no folder of data sets"
    exit 0
fi
psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS sparselin_evaluation' -c 'CREATE DATABASE sparselin_evaluation'
PGDATABASE=sparselin_evaluation psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_evaluation /usr/bin/python3 evaluation.py "$SPARSELIN_DATA"
psql -Xq -c 'DROP DATABASE sparselin_evaluation'
