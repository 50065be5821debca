#!/bin/bash
# one_row.sh: what it costs to score one row by a stored model, and rows by models in turn. Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

in_database sparselin_one_row /usr/bin/python3 one_row.py
