#!/bin/bash
# elastic.sh: the lazy elastic net beside the dense one. Needs no server.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.elastic.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# What src/learn is compiled with.
read -ra server_flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
"${CXX:-g++}" "${server_flags[@]}" -std=c++20 -O2 -ffp-contract=off -I../src/learn -I../test/unit elastic.cpp ../src/learn/base/error.cpp \
    ../src/learn/options/losses.cpp \
    -o "$scratch/elastic"
"$scratch/elastic"
