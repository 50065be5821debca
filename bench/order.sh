#!/bin/bash
# order.sh [ROWS]: an epoch in random order beside one in sequential order, of rows in memory that no cache holds (500
# bytes each). Needs no server.
set -euo pipefail
cd "$(dirname "$0")"
source ./learn.bash

compile order.cpp ../src/learn/*/*.cpp
"${CXX:-g++}" -o "$scratch/order" "$scratch"/*.o
"$scratch/order" "${1:-2000000}"
