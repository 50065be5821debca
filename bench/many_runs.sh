#!/bin/bash
# many_runs.sh: a step of many runs beside one of a lone run, with the loops that the processor takes, and with those
# that every processor of the kind has. Needs no server.
set -euo pipefail
cd "$(dirname "$0")"
source ./learn.bash

others=()
for file in ../src/learn/*/*.cpp; do [[ $file == */wide_loops.cpp ]] || others+=("$file"); done
compile many_runs.cpp "${others[@]}"
for loops in taken plain; do
    mkdir "$scratch/$loops"
    also=()
    [[ $loops == taken ]] || also=(-DSPARSELIN_ONE_PROCESSOR)
    "${CXX:-g++}" "${flags[@]}" -O3 "${also[@]}" -c -o "$scratch/$loops/wide_loops.o" ../src/learn/base/wide_loops.cpp
    "${CXX:-g++}" -o "$scratch/$loops/many_runs" "$scratch"/*.o "$scratch/$loops/wide_loops.o"
    printf '%s loops:\n' "$loops"
    "$scratch/$loops/many_runs"
done
