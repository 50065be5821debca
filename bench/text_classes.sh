#!/bin/bash
# text_classes.sh: models of several classes, from raw text with no options, beside LIBLINEAR's and scikit-learn's, on the data
# sets of the folder that SPARSELIN_DATA names (docs/benchmarks.md says what it looks like). Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

needs_data
in_database sparselin_text_classes /usr/bin/python3 text_classes.py "$SPARSELIN_DATA"
