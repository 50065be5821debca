#!/bin/bash
# memory.sh: how much memory training takes. Fails when a bound is broken.
set -euo pipefail
cd "$(dirname "$0")"

psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS sparselin_memory' -c 'CREATE DATABASE sparselin_memory'
PGDATABASE=sparselin_memory psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_memory /usr/bin/python3 memory.py
psql -Xq -c 'DROP DATABASE sparselin_memory'
