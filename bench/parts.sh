#!/bin/bash
# parts.sh: what it costs to learn in parts, on data sets of the folder that SPARSELIN_DATA names.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_parts /usr/bin/python3 parts.py "$SPARSELIN_DATA"
