#!/bin/bash
# parallel.sh: wall-clock time of training with one parallel worker beside the serial time, on generated rows. Fails when
# a bound is broken. Needs two idle cores.
set -euo pipefail
cd "$(dirname "$0")"

psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS sparselin_parallel' -c 'CREATE DATABASE sparselin_parallel'
PGDATABASE=sparselin_parallel psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
PGDATABASE=sparselin_parallel /usr/bin/python3 parallel.py
psql -Xq -c 'DROP DATABASE sparselin_parallel'
