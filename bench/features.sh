#!/bin/bash
# features.sh: how fast features are made of names, and how well the default learner does on raw text. Fails when a bound
# is broken. Uses the raw texts of the folder that SPARSELIN_DATA names, where it names one.
set -euo pipefail
cd "$(dirname "$0")"

psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS sparselin_features' \
    -c 'CREATE DATABASE sparselin_features'
PGDATABASE=sparselin_features psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_features /usr/bin/python3 features.py "${SPARSELIN_DATA:-}"
psql -Xq -c 'DROP DATABASE sparselin_features'
