#!/bin/bash
# memory.sh: how much memory training takes. Fails when a bound is broken.
source "$(dirname "$0")/database.bash"

in_database sparselin_memory /usr/bin/python3 memory.py
