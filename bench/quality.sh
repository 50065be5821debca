#!/bin/bash
# quality.sh: accuracy and objective of untouched defaults beside LIBLINEAR's, on the data sets of the folder that
# SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
set -euo pipefail
cd "$(dirname "$0")"

if [[ ! -f ${SPARSELIN_DATA:-}/README.md ]]; then
    echo "skipped: SPARSELIN_DATA names no folder of data sets"
    exit 0
fi
psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS sparselin_quality' -c 'CREATE DATABASE sparselin_quality'
PGDATABASE=sparselin_quality psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
OMP_NUM_THREADS=1 PGDATABASE=sparselin_quality /usr/bin/python3 quality.py "$SPARSELIN_DATA"
psql -Xq -c 'DROP DATABASE sparselin_quality'
