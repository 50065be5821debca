#!/bin/bash
# xu.sh [FOLDER]: Xu's two synthetic problems, beside the batch solution; writes their charts to the folder, if one is
# given (docs for those of the documentation). Needs no server and no data.
set -euo pipefail
[[ $# == 0 ]] || pictures=$(cd "$1" && pwd)
cd "$(dirname "$0")"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.xu.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"${CXX:-g++}" -std=c++20 -O2 -Wall -Wextra -ffp-contract=off -I../src/learn -I../test/unit xu.cpp ../src/learn/base/error.cpp \
    -o "$scratch/xu"
"$scratch/xu" ${pictures:+"$pictures"}
