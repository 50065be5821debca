# shellcheck shell=bash
# Sourced by the scripts of this folder that need a server: the one that PGHOST and the rest lead to.
set -euo pipefail
cd "$(dirname "$0")"

# Runs a command in a new database of that name, which has the extension, and drops it.
in_database() {
    local name=$1
    shift
    psql -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
        -c "DROP DATABASE IF EXISTS $name" -c "CREATE DATABASE $name"
    PGDATABASE=$name psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION sparselin'
    PGDATABASE=$name OMP_NUM_THREADS=1 "$@"
    psql -Xq -c "DROP DATABASE $name"
}

needs_data() {
    [[ ! -f ${SPARSELIN_DATA:-}/README.md ]] || return 0
    echo "skipped: SPARSELIN_DATA names no folder of data sets"
    exit 0
}
