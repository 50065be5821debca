#!/bin/bash
# speed.sh: scanning, training and predicting beside bare loops and scikit-learn, and the feature table beside a plain
# array. Uses the data sets of the folder that SPARSELIN_DATA names as well, where it names one.
source "$(dirname "$0")/database.bash"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.speed.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# What src/learn is compiled with, so that the table is measured as it runs in the server.
read -ra server_flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
"${CXX:-g++}" -std=c++20 -O2 bare_loop.cpp -o "$scratch/bare_loop"
"${CXX:-g++}" "${server_flags[@]}" -std=c++20 -O2 -ffp-contract=off -I../src/learn table_loop.cpp \
    -o "$scratch/table_loop"

in_database sparselin_speed /usr/bin/python3 speed.py "$scratch" "${SPARSELIN_DATA:-}"
