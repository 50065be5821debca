#!/bin/bash
# regression.sh: test errors on housing, in the folder of data sets that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
set -euo pipefail
cd "$(dirname "$0")"

if [[ ! -f ${SPARSELIN_DATA:-}/README.md ]]; then
    echo "skipped: SPARSELIN_DATA names no folder of data sets"
    exit 0
fi
psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS sparselin_regression' -c 'CREATE DATABASE sparselin_regression'
PGDATABASE=sparselin_regression psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_regression /usr/bin/python3 regression.py "$SPARSELIN_DATA"
psql -Xq -c 'DROP DATABASE sparselin_regression'
