#!/bin/bash
# speed.sh: scanning, training and predicting beside bare loops and scikit-learn, and the feature table beside a plain
# array. Uses the data sets of the folder that SPARSELIN_DATA names as well, where it names one.
source "$(dirname "$0")/database.bash"
source ./loops.bash

in_database sparselin_speed /usr/bin/python3 speed.py "$scratch" "${SPARSELIN_DATA:-}"
