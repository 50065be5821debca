#!/bin/bash
# refine.sh: models of parts, merged and refined, beside one call over all rows and the minimum of F, on data sets of the
# folder that SPARSELIN_DATA names. Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_refine /usr/bin/python3 refine.py "$SPARSELIN_DATA"
