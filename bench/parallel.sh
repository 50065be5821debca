#!/bin/bash
# parallel.sh: wall-clock time of training with one parallel worker beside the serial time, on generated rows. Fails when
# a bound is broken. Needs two idle cores.
source "$(dirname "$0")/database.bash"

in_database sparselin_parallel /usr/bin/python3 parallel.py
