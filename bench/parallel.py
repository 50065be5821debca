#!/usr/bin/python3
"""parallel.py [RUNS]: training by the leader and one worker, beside the leader alone.

In the database that PGHOST and the rest lead to. Plans are chosen by the planner at its default costs; the script fails
when it does not choose a parallel one. Serial and parallel runs alternate, and the shortest of each counts. The table is
cached. `stream` is one pass of asgd_train over 75 million ready non-zeros, `text` the same over features that are made
of text on the way, `buffered` the ten epochs of casgd_train over 15 million, of which only the scan is parallel.
"""
import os
import subprocess
import sys
import time

ROWS, FEATURES, NONZEROS = 300000, 47000, 50
TIMES = 5
MESSAGES = 60000
STREAM = "'epochs=1 sampling=sequential lambda=1e-5 resumable=false'"

TABLES = f"""
SET synchronous_commit = off;
-- A function: subqueries that depend on the row keep a plan from being parallel.
CREATE FUNCTION words(tsvector) RETURNS sparsearray LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100 AS $$
BEGIN
    RETURN (SELECT sparsearray_agg((hashtext(lexeme) & 65535) + 1, cardinality(positions)) FROM unnest($1));
END $$;
CREATE TABLE ready AS
SELECT sparsearray(array_agg(j * {FEATURES // NONZEROS} + 1 + (hashint8(i * 1000::bigint + j)::bigint & 2147483647)
                                 % {FEATURES // NONZEROS}),
                   array_agg(0.01 * (1 + (i + j) % 100))) AS features,
       hashint8(i) > 0 AS label
FROM generate_series(1, {ROWS}) AS i, generate_series(0, {NONZEROS - 1}) AS j
GROUP BY i;
CREATE TABLE messages AS
SELECT string_agg('word' || (hashint8(i * 1000::bigint + j)::bigint & 2147483647) % 5000, ' ') AS body,
       hashint8(i) > 0 AS label
FROM generate_series(1, {MESSAGES}) AS i, generate_series(0, 19) AS j
GROUP BY i;
CREATE TABLE many AS SELECT features, label FROM ready, generate_series(1, {TIMES});
VACUUM ANALYZE ready;
VACUUM ANALYZE many;
VACUUM ANALYZE messages;
"""

CASES = [
    ("stream", f"SELECT asgd_train(features, label, {STREAM}) FROM many", 0.6),
    ("text", f"SELECT asgd_train(words(to_tsvector('english', body)), label, {STREAM}) FROM messages", 0.6),
    ("buffered", "SELECT casgd_train(features, label) FROM ready", 1.1),
]


class Session:
    """One psql, so that a backend and its caches stay warm."""

    def __init__(self, workers):
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, bufsize=1)
        self.run(f"SET max_parallel_workers_per_gather = {workers}; SET work_mem = '1GB'; SET client_min_messages = error")

    def run(self, sql):
        self.psql.stdin.write(sql + ";\n\\echo done\n")
        self.psql.stdin.flush()
        lines = []
        for line in self.psql.stdout:
            if line == "done\n":
                return lines
            lines.append(line)
        sys.exit("psql has ended")

    def seconds(self, query):
        start = time.monotonic()
        self.run(f"SELECT octet_length(sparselin_model_send(m)) FROM ({query}) AS s (m)")
        return time.monotonic() - start


def main(runs):
    subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=TABLES, text=True, check=True)
    serial, parallel = Session(0), Session(1)
    broken = 0
    print(f"{'':10} {'serial':>9} {'parallel':>9} {'ratio':>6}  bound")
    for name, query, bound in CASES:
        if not any("Partial Aggregate" in line for line in parallel.run("EXPLAIN " + query)):
            print(f"{name:10} no parallel plan was chosen   FAIL")
            broken += 1
            continue
        times = [(serial.seconds(query), parallel.seconds(query)) for _ in range(runs)]
        alone, together = (min(column) for column in zip(*times))
        good = together <= bound * alone
        broken += not good
        print(f"{name:10} {alone:8.3f}s {together:8.3f}s {together / alone:6.2f}  {bound}   {'pass' if good else 'FAIL'}",
              flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    if os.cpu_count() < 2:
        sys.exit("one core cannot show this")
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
