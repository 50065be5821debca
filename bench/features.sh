#!/bin/bash
# features.sh: how fast features are made of names, and how well the default learner does on raw text. Fails when a bound
# is broken. Uses the raw texts of the folder that SPARSELIN_DATA names, where it names one.
source "$(dirname "$0")/database.bash"

in_database sparselin_features /usr/bin/python3 features.py "${SPARSELIN_DATA:-}"
