#!/bin/bash
# bits.sh: a fingerprint of a model of every kind, a line each, to be compared with what another build prints:
#   bench/run bits >before; ...; bench/run bits >after; diff before after
source "$(dirname "$0")/database.bash"

in_database sparselin_bits psql -Xq -f bits.sql
