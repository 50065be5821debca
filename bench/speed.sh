#!/bin/bash
# speed.sh: scanning, training and predicting beside bare loops and scikit-learn, and the feature table beside a plain
# array. Uses the data sets of the folder that SPARSELIN_DATA names as well, where it names one.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.speed.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# What src/learn is compiled with, so that the table is measured as it runs in the server.
read -ra server_flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
"${CXX:-g++}" -std=c++20 -O2 bare_loop.cpp -o "$scratch/bare_loop"
"${CXX:-g++}" "${server_flags[@]}" -std=c++20 -O2 -ffp-contract=off table_loop.cpp ../src/learn/sort.cpp \
    -o "$scratch/table_loop"

psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
    -c 'DROP DATABASE IF EXISTS sparselin_speed' -c 'CREATE DATABASE sparselin_speed'
export PGDATABASE=sparselin_speed OMP_NUM_THREADS=1
psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
/usr/bin/python3 speed.py "$scratch" "${SPARSELIN_DATA:-}"
PGDATABASE=postgres psql -Xq -c 'DROP DATABASE sparselin_speed'
