#!/usr/bin/python3
"""one_row.py: what a prediction costs where a statement scores one row, and where models alternate, in the database that
PGHOST and the rest lead to.

One row: the latency of pgbench, prepared, of a statement with a prediction, above that of the same statement without it;
the lowest of several runs that take turns. By name it is a role that is no superuser, so that row security holds. Exit
status 1 when a figure is above its bound.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

RUNS, SECONDS = 5, 2
ROW_BOUND = 100      # microseconds above the statement without the call
ALTERNATE_BOUND = 2  # times as long at work_mem = 4MB as at 512MB

SETUP = """
SET client_min_messages = warning;
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[i, 2000 + i * 3]::bigint[], ARRAY[1, 0.5]) AS x FROM generate_series(1, 1000) AS i;
ALTER TABLE rows ADD PRIMARY KEY (id);
CREATE TABLE models (name text PRIMARY KEY, model sparselin_model);
INSERT INTO models
SELECT 'm' || n, sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'logistic', 'weights',
    (SELECT jsonb_agg(sin(i)) FROM generate_series(1, n) AS i)))
FROM (VALUES (7000), (1000000)) AS v (n);
CREATE TABLE alternating AS
SELECT n, sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'logistic', 'weights',
    (SELECT jsonb_agg(sin(i * n)) FROM generate_series(1, 200000) AS i))) AS model
FROM generate_series(1, 20) AS n;
DROP ROLE IF EXISTS sparselin_scorer;
CREATE ROLE sparselin_scorer LOGIN;
GRANT SELECT ON rows, models, sparselin_registry, sparselin_models, sparselin_model_values TO sparselin_scorer;
SELECT count(sparselin_fit('m' || n, format('SELECT sparsearray(array_agg(i), array_agg(1)) AS features, i / 1000 %% 2 AS label '
    'FROM generate_series(1::bigint, %s) AS i GROUP BY i / 1000', n), holdout => 0)), count(sparselin_grant('m' || n, 'sparselin_scorer'))
FROM (VALUES (7000), (1000000)) AS v (n);
VACUUM ANALYZE;
"""
CLEAN_UP = "DROP OWNED BY sparselin_scorer; DROP ROLE sparselin_scorer"

BY_VALUE = "SELECT {} FROM rows, models WHERE id = :id AND name = '{}';"
BY_NAME = "SELECT {} FROM rows WHERE id = :id;"
CALLS = [
    (f"{how}, {n} weights", without, with_it)
    for n in (7000, 1000000)
    for how, without, with_it in [
        ("by value", BY_VALUE.format("sparsearray_nnz(x)", f"m{n}"),
         BY_VALUE.format("sparselin_predict(model, x)", f"m{n}")),
        ("by name", BY_NAME.format("sparsearray_nnz(x)"), BY_NAME.format(f"sparselin_predict('m{n}', x)"))]]

# Each row is scored by all the models, one after the other.
ALTERNATE = """
SET work_mem = '{}';
EXPLAIN (ANALYZE, FORMAT JSON) SELECT sum(sparselin_predict(m.model, x))
FROM (SELECT * FROM rows ORDER BY id) AS r, LATERAL (SELECT model FROM alternating WHERE r.id > 0 OFFSET 0) AS m;
"""
MEMORY = """
SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts WHERE name LIKE 'sparselin model%'
"""


def psql(script):
    return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=script, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def latency(statement):
    """In microseconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write("\\set id random(1, 1000)\n" + statement + "\n")
        file.flush()
        out = subprocess.run(["pgbench", "-n", "-M", "prepared", "-T", str(SECONDS), "-f", file.name,
                              "-U", "sparselin_scorer"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             check=True, env=dict(os.environ, PGUSER="sparselin_scorer")).stdout
    return float(re.search(r"latency average = ([\d.]+) ms", out).group(1)) * 1000


def alternate(work_mem):
    """Milliseconds of the first statement of a session, and the bytes of the models that it keeps."""
    has_memory_view = int(psql("SHOW server_version_num")) >= 140000
    out = psql(ALTERNATE.format(work_mem) + (MEMORY if has_memory_view else "SELECT 0"))
    plan, kept = out.rstrip("\n").rsplit("\n", 1)
    return json.loads(plan)[0]["Execution Time"], int(kept)


def main():
    psql(SETUP)
    missed = False
    print(f"One row, in microseconds (bound: {ROW_BOUND} above the statement without the call)")
    lowest = {}
    for _ in range(RUNS):
        for _, *statements in CALLS:
            for statement in statements:
                lowest[statement] = min(latency(statement), lowest.get(statement, float("inf")))
    for name, without, with_it in CALLS:
        above = lowest[with_it] - lowest[without]
        missed |= above > ROW_BOUND
        print(f"  {name:24} {lowest[with_it]:6.0f}, without {lowest[without]:6.0f}: {above:+5.0f}")

    print("20 models of 1.6 MB that alternate row by row, 1000 rows, the first statement of a session")
    times = {}
    for _ in range(RUNS):
        for work_mem in ("4MB", "512MB"):
            took, kept = alternate(work_mem)
            times[work_mem] = min(took, times.get(work_mem, float("inf")))
    ratio = times["4MB"] / times["512MB"]
    missed |= ratio > ALTERNATE_BOUND
    print(f"  work_mem 4MB {times['4MB']:.0f} ms, 512MB {times['512MB']:.0f} ms: {ratio:.2f} (bound: {ALTERNATE_BOUND})")
    print(f"  kept afterwards: {kept / 2**20:.1f} MB (sparselin.cache_size = 64MB)")
    psql(CLEAN_UP)
    return missed


if __name__ == "__main__":
    sys.exit(main())
