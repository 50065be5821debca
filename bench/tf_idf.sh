#!/bin/bash
# tf_idf.sh: models of raw text with scale=idf norm=l2 search=true, beside LIBLINEAR's at its best C on the same tf-idf, on the
# data sets of the folder that SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_tf_idf /usr/bin/python3 tf_idf.py "$SPARSELIN_DATA"
