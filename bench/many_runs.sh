#!/bin/bash
# many_runs.sh: a step of many runs beside one of a lone run, with the loops that the processor takes, and with those
# that every processor of the kind has. Needs no server.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.many_runs.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# What src/learn is compiled with.
read -ra flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
flags+=(-std=c++20 -O2 -ffp-contract=off -I../src/learn)
others=()
for file in ../src/learn/*/*.cpp; do [[ $file == */wide.cpp ]] || others+=("$file"); done
printf '%s\n' "${others[@]}" many_runs.cpp | xargs -P "$(nproc)" -I '{}' bash -c \
    'file=$1; shift; exec "$@" -c -o "$0/$(basename "$file" .cpp).o" "$file"' "$scratch" '{}' "${CXX:-g++}" "${flags[@]}"
for loops in taken plain; do
    mkdir "$scratch/$loops"
    also=()
    [[ $loops == taken ]] || also=(-DSPARSELIN_ONE_PROCESSOR)
    "${CXX:-g++}" "${flags[@]}" -O3 "${also[@]}" -c -o "$scratch/$loops/wide.o" ../src/learn/base/wide.cpp
    "${CXX:-g++}" -o "$scratch/$loops/many_runs" "$scratch"/*.o "$scratch/$loops/wide.o"
    printf '%s loops:\n' "$loops"
    "$scratch/$loops/many_runs"
done
