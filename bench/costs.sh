#!/bin/bash
# costs.sh [FOLDER]: what training costs against rows, features, classes and groups, as tables, and as charts that are left
# in the folder (docs for those of the documentation), or in build/. bench/check build/costs.tsv says which goals are missed.
set -euo pipefail
[[ $# == 0 ]] || pictures=$(cd "$1" && pwd)
source "$(dirname "$0")/database.bash"

mkdir -p ../build
in_database sparselin_costs /usr/bin/python3 costs.py ../build/costs.tsv "${pictures:-../build}"
