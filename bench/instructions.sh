#!/bin/bash
# instructions.sh: what a streaming pass and ten epochs of each learner cost in instructions a non-zero, counted by callgrind
# in a server of one process: the same in each run, whatever else the machine is doing. Makes a cluster of its own.
set -euo pipefail
command -v valgrind >/dev/null || {
    echo 'skipped: there is no valgrind'
    exit 0
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.instructions.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 711 "$scratch"
as_server=()
if ((EUID == 0)); then
    as_server=(setpriv --reuid postgres --regid postgres --init-groups --)
    chown postgres "$scratch"
fi
cd "$scratch"
nonzeros=$((2000 * 60))

# backend COMMAND...: its standard input is SQL, statements ended by an empty line
backend() { "${as_server[@]}" "$@" "$(command -v postgres)" --single -j -D "$scratch/data" postgres >/dev/null; }

# instructions QUERY TIMES: of a backend that does nothing else
instructions() {
    local i
    {
        printf 'SET synchronize_seqscans = off;\n\n'
        for ((i = 0; i < $2; i++)); do printf '%s;\n\n' "$1"; done
    } | backend valgrind --tool=callgrind --callgrind-out-file="$scratch/counts" 2>"$scratch/log"
    awk '/Collected/ { print $4 }' "$scratch/log"
}

"${as_server[@]}" initdb -D data -A trust --no-locale -E UTF8 --no-sync >/dev/null
backend env 2>/dev/null <<'SQL'
CREATE EXTENSION sparselin;

CREATE TABLE rows_of AS
SELECT id, sparsearray(array_agg(f ORDER BY f), array_agg((1 + (hashint4(id * 31 + f) & 255)) / 256.0::float8 ORDER BY f)) AS x,
       hashint4(id * 7 + 1) & 1 = 0 AS y
FROM generate_series(1, 2000) AS id, generate_series(0, 59) AS j, LATERAL (SELECT 1 + j * 68 + (hashint4(id * 13 + j) & 63) AS f) AS s
GROUP BY id;

VACUUM rows_of;
SQL
printf '%-12s %10s %10s   instructions a non-zero\n' learner 'one pass' 'ten'
for learner in sgd asgd casgd onepass truncated elasticnet; do
    one_pass='epochs=1 sampling=sequential loss=hinge'
    [[ $learner == truncated ]] || one_pass+=' lambda=0.001'
    [[ $learner != casgd ]] || one_pass+=' center={1:0.5}'
    counts=()
    for options in "$one_pass" 'epochs=10 loss=hinge'; do
        query="SELECT pg_column_size(${learner}_train(x, y, '$options')) FROM rows_of"
        counts+=("$(($(instructions "$query" 2) - $(instructions "$query" 1)))")
    done
    awk -v learner="$learner" -v one="${counts[0]}" -v ten="${counts[1]}" -v nonzeros="$nonzeros" \
        'BEGIN { printf "%-12s %10.2f %10.2f\n", learner, one / nonzeros, ten / nonzeros }'
done
