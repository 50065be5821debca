#!/bin/bash
# summary.sh: what sparselin costs beside the least that it could cost, and beside what a user would do instead, as one
# table of ratios. A line a figure is left in build/bench.tsv for bench/check. Uses the data sets of the folder that
# SPARSELIN_DATA names as well, where it names one, and LIBLINEAR's liblinear-train, where there is one.
source "$(dirname "$0")/database.bash"
source ./loops.bash

mkdir -p ../build
in_database sparselin_summary /usr/bin/python3 summary.py "$scratch" ../build/bench.tsv "${SPARSELIN_DATA:-}"
