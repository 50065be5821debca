#!/bin/bash
# parts.sh: what it costs to learn in parts, and what sparselin_refine gives back, on the data sets of the folder that
# SPARSELIN_DATA names. Fails when a refined model is not as good as one of all rows.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_parts /usr/bin/python3 parts.py "$SPARSELIN_DATA"
