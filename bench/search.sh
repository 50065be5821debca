#!/bin/bash
# search.sh: what `search` chooses beside a grid of separate calls and LIBLINEAR at its best C, on the data sets of the
# folder that SPARSELIN_DATA names, and what it costs. Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_search /usr/bin/python3 search.py "$SPARSELIN_DATA"
