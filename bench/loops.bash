# shellcheck shell=bash
# The loops that speed is measured beside, built in $scratch, which goes in the end; to be sourced in bench/.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.speed.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# What src/learn is compiled with, so that the table is measured as it runs in the server.
read -ra server_flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
"${CXX:-g++}" -std=c++20 -O2 bare_loop.cpp -o "$scratch/bare_loop"
"${CXX:-g++}" "${server_flags[@]}" -std=c++20 -O2 -ffp-contract=off -I../src/learn table_loop.cpp \
    -o "$scratch/table_loop"
